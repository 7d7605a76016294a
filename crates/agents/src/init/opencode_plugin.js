// Written by `tersely init --hook`, and removed by `tersely uninstall`.
// Lets Tersely compress what a tool returned before the model sees it. If that fails, the result stays as it is.
import { spawn } from "node:child_process"

const PROGRAM = "{program}"
const PATIENCE_MS = 1000

// What Tersely answers to an event; empty if the result stays.
const ask = (event) =>
  new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook"], { stdio: ["pipe", "pipe", "ignore"] })
    const pieces = []
    const end = (answer) => {
      clearTimeout(late)
      resolve(answer)
    }
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      end("")
    }, PATIENCE_MS)
    child.on("error", () => end(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (piece) => pieces.push(piece))
    child.on("close", (code) => end(code === 0 ? Buffer.concat(pieces).toString() : ""))
    child.stdin.end(JSON.stringify(event))
  })

export const Tersely = async () => {
  // MCP servers behind `tersely mcp` see this, and leave their results to this plugin.
  process.env.TERSELY_HOOK = "1"
  return {
    "tool.execute.after": async (input, output) => {
      try {
        const { sessionID: session_id, tool: tool_name, callID: tool_use_id, args: tool_input } = input
        const tool_response = Array.isArray(output.content) ? { content: output.content } : { output: output.output }
        const event = { hook_event_name: "tool.execute.after", session_id, tool_name, tool_use_id, tool_input, tool_response }
        const answer = await ask(event)
        if (answer) Object.assign(output, JSON.parse(answer).hookSpecificOutput.updatedToolOutput)
      } catch {
        // The result stays as it is.
      }
    },
  }
}

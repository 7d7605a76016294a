//! The shapes of tool results that are known from real clients.

use tersely_json::JsonNode;

/// What the names of MCP tools begin with in Claude Code.
const CLAUDE_MCP: &str = "mcp__";

/// The most tokens of an MCP server's result that Claude Code shows to its model.
const CLAUDE_MCP_TOKENS: usize = 25_000;

/// A client, by the name of the event that it reports after a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookClient {
    Claude,
    OpenCode,
}

impl HookClient {
    /// The client that reports this event.
    pub(super) fn of_event(event: &str) -> Option<Self> {
        match event {
            "PostToolUse" => Some(Self::Claude),
            "tool.execute.after" => Some(Self::OpenCode),
            _ => None,
        }
    }

    /// The name of the client in records.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::OpenCode => "opencode",
        }
    }

    /// The most tokens of this tool's results that the model is shown.
    pub(super) fn max_tokens(self, tool: &str) -> Option<usize> {
        (self == Self::Claude && tool.starts_with(CLAUDE_MCP)).then_some(CLAUDE_MCP_TOKENS)
    }

    /// The texts that the model reads of a tool's result; none if the shape is unknown.
    pub(super) fn texts<'a>(self, tool: &str, response: &JsonNode<'a>) -> Vec<JsonNode<'a>> {
        match self {
            Self::Claude if tool == "Bash" => command_output(response).into_iter().collect(),
            // A structured result is a string here, every other result a list of blocks.
            Self::Claude if tool.starts_with(CLAUDE_MCP) && is_string(response) => vec![response.clone()],
            Self::Claude if tool.starts_with(CLAUDE_MCP) => blocks(response),
            Self::Claude => Vec::new(),
            Self::OpenCode => match response.get_all(["output", "content"]) {
                Some([Some(output), None]) if is_string(&output) => vec![output],
                Some([None, Some(content)]) => blocks(&content),
                _ => Vec::new(),
            },
        }
    }
}

/// What a command of Claude Code's Bash printed, if it is shown to the model and nothing else is.
fn command_output<'a>(response: &JsonNode<'a>) -> Option<JsonNode<'a>> {
    let names = ["stdout", "isImage", "backgroundTaskId", "persistedOutputPath", "structuredContent"];
    let [output, image, task, file, structured] = response.get_all(names)?;
    let is_plain = image.is_none_or(|image| image.bytes() == b"false");
    let is_shown = [task, file, structured].iter().all(Option::is_none);
    output.filter(|output| is_plain && is_shown && is_string(output))
}

/// The texts in a list of content blocks.
fn blocks<'a>(list: &JsonNode<'a>) -> Vec<JsonNode<'a>> {
    let text = |block: JsonNode<'a>| {
        let [kind, text] = block.get_all(["type", "text"])?;
        text.filter(|text| kind.is_some_and(|kind| kind.is_str("text")) && is_string(text))
    };
    list.items().into_iter().filter_map(text).collect()
}

pub(super) fn is_string(node: &JsonNode<'_>) -> bool {
    node.bytes().starts_with(b"\"")
}

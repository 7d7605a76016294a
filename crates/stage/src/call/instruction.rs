//! Recognises tools whose results are meant to be followed: what people answer, and instructions.

/// Parts of the names of such tools.
const NAMES: [&str; 10] =
    ["ask_", "askuser", "instruct", "memory", "permission", "plan", "prompt", "skill", "todo", "user"];

/// True when the results of the tool with this name are meant to be followed.
pub(super) fn is_instruction(tool: &str) -> bool {
    let name = tool.to_ascii_lowercase();
    NAMES.iter().any(|part| name.contains(part))
}

//! Decides whether a list of tools and categories includes a tool.

use tersely_core::{Call, ToolKind};

/// True when `listed`, a category or the name of a tool, covers `tool`.
pub(crate) fn means(listed: &str, tool: &str) -> bool {
    listed == tool || is_of_category(listed, tool)
}

fn is_of_category(category: &str, tool: &str) -> bool {
    let kind = Call { tool, ..Call::default() }.tool_kind();
    match category.to_ascii_lowercase().as_str() {
        "read" => kind == ToolKind::Read,
        "bash" => kind == ToolKind::Bash,
        "glob" => kind == ToolKind::Glob,
        "grep" => kind == ToolKind::Grep,
        "edit" => kind == ToolKind::Edit,
        "write" => kind == ToolKind::Write,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 8.7.
    #[test]
    fn categories_mean_many_tools_and_names_one() {
        for (listed, tools) in [
            ("read", "Read view read_file mcp__files__read_file"),
            ("edit", "Edit MultiEdit str_replace apply_patch"),
            ("write", "Write write_file mcp__files__write_file"),
            ("bash", "Bash shell exec_command"),
            ("glob", "Glob list_files"),
            ("Grep", "Grep rg search_files"),
            ("get_weather", "get_weather"),
        ] {
            assert!(tools.split(' ').all(|tool| means(listed, tool)), "{listed}");
        }
        for (listed, tool) in [("read", "Bash"), ("get_weather", "Get_Weather"), ("write", "Read"), ("", "x")]
        {
            assert!(!means(listed, tool), "{listed} {tool}");
        }
    }
}

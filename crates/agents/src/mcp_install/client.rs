//! The configuration file of each MCP client, and its format.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::clients::ClientEnvironment;
use crate::mcp_install::json::ANY;

/// A client whose configuration can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpClient {
    /// Claude Code
    Claude,
    /// Claude Desktop
    ClaudeDesktop,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Gemini CLI
    Gemini,
    /// `OpenCode`
    #[value(help = "OpenCode")]
    Opencode,
}

/// The format of a file, and the location of its servers.
#[derive(Debug, Clone, Copy)]
pub(super) enum FileShape {
    /// JSON, with the paths of the objects that contain servers.
    Json(&'static [&'static [&'static str]]),
    /// TOML, with the name of the table that contains servers.
    Toml(&'static str),
}

impl McpClient {
    /// The format of the client's files.
    pub(super) fn shape(self) -> FileShape {
        match self {
            // Servers for all projects, and servers for one project.
            Self::Claude => FileShape::Json(&[&["mcpServers"], &["projects", ANY, "mcpServers"]]),
            Self::ClaudeDesktop | Self::Cursor | Self::Gemini => FileShape::Json(&[&["mcpServers"]]),
            // The last path is for settings.json, which may contain servers, too.
            Self::Vscode => FileShape::Json(&[&["servers"], &["mcpServers"], &["mcp", "servers"]]),
            Self::Opencode => FileShape::Json(&[&["mcp"], &["mcp", "servers"]]),
            Self::Codex => FileShape::Toml("mcp_servers"),
        }
    }

    /// The files that may contain the user's servers; the first that exists is used.
    pub(super) fn files(self, environment: &ClientEnvironment) -> Vec<PathBuf> {
        match self {
            Self::Claude => vec![environment.home("CLAUDE_CONFIG_DIR", "").join(".claude.json")],
            Self::ClaudeDesktop => vec![settings(environment).join("Claude/claude_desktop_config.json")],
            Self::Codex => vec![environment.home("CODEX_HOME", ".codex").join("config.toml")],
            Self::Cursor => vec![environment.home("", ".cursor/mcp.json")],
            Self::Vscode => vec![settings(environment).join("Code/User/mcp.json")],
            Self::Gemini => vec![environment.home("GEMINI_CLI_HOME", "").join(".gemini/settings.json")],
            Self::Opencode => {
                let own = environment.home("XDG_CONFIG_HOME", ".config").join("opencode");
                let named = environment.var("OPENCODE_CONFIG").map(PathBuf::from);
                let usual = ["opencode.json", "opencode.jsonc", "config.json"].map(|name| own.join(name));
                named.into_iter().chain(usual).collect()
            }
        }
    }
}

/// The folder where desktop applications store their settings.
fn settings(environment: &ClientEnvironment) -> PathBuf {
    if cfg!(target_os = "macos") {
        environment.home("", "Library/Application Support")
    } else if cfg!(windows) {
        environment.home("APPDATA", "AppData/Roaming")
    } else {
        environment.home("XDG_CONFIG_HOME", ".config")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn every_client_has_its_place() {
        let vars = [("HOME", "/h"), ("CODEX_HOME", "/c"), ("XDG_CONFIG_HOME", "/x")];
        for (client, file) in [
            (McpClient::Claude, "/h/.claude.json"),
            (McpClient::ClaudeDesktop, "/x/Claude/claude_desktop_config.json"),
            (McpClient::Codex, "/c/config.toml"),
            (McpClient::Cursor, "/h/.cursor/mcp.json"),
            (McpClient::Vscode, "/x/Code/User/mcp.json"),
            (McpClient::Gemini, "/h/.gemini/settings.json"),
            (McpClient::Opencode, "/x/opencode/opencode.json"),
        ] {
            assert_eq!(client.files(&ClientEnvironment::of(&vars))[0], PathBuf::from(file));
        }
    }
}

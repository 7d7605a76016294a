//! Table: known client programs, recognized by their user agent and title headers.

use http::header::{HeaderMap, USER_AGENT};

/// A program and how it is recognized. All texts are in lower case, and the first match applies.
struct Program {
    name: &'static str,
    /// Prefixes of words in the program's `user-agent` header.
    agents: &'static [&'static str],
    /// The program's titles in headers for app rankings.
    titles: &'static [&'static str],
}

const fn program(
    name: &'static str,
    agents: &'static [&'static str],
    titles: &'static [&'static str],
) -> Program {
    Program { name, agents, titles }
}

/// Agents precede the libraries that they use, because a library's name may appear next to the agent's.
const PROGRAMS: [Program; 30] = [
    program("claude-code", &["claude-cli/", "claude-code/"], &["claude code"]),
    program("codex", &["codex_", "codex-", "codex/"], &["codex"]),
    program("opencode", &["opencode/"], &["opencode", "opencode.ai"]),
    program("gemini-cli", &["geminicli", "gemini-cli/"], &["gemini cli"]),
    program("qwen-code", &["qwencode/", "qwen-code/"], &["qwen code"]),
    program("aider", &["aider/"], &["aider", "aider.chat"]),
    program("goose", &["goose/", "goose-"], &["goose", "block.github.io/goose"]),
    program("cline", &["cline/"], &["cline", "cline.bot"]),
    program("roo-code", &["roocode/", "roo-code/"], &["roo code", "roocode"]),
    program("kilo-code", &["kilo-code/", "kilocode/"], &["kilo code", "kilocode.ai"]),
    program("crush", &["crush/", "charm-crush/"], &["crush", "charm.land"]),
    program("pi", &["pi/", "pi-coding-agent/"], &["pi"]),
    program("openhands", &["openhands/"], &["openhands"]),
    program("copilot", &["githubcopilot", "copilot/", "copilot-"], &["github copilot"]),
    program("cursor", &["cursor/"], &["cursor"]),
    program("zed", &["zed/"], &["zed", "zed.dev"]),
    program("continue", &["continue/"], &["continue", "continue.dev"]),
    program("open-webui", &["open-webui/"], &["open webui", "openwebui.com"]),
    program("langchain", &["langchain"], &["langchain"]),
    program("litellm", &["litellm/"], &["litellm"]),
    program("ai-sdk", &["ai-sdk/", "ai/"], &[]),
    program("anthropic-sdk", &["anthropic/", "asyncanthropic/", "anthropic-sdk"], &[]),
    program("openai-sdk", &["openai/", "asyncopenai/", "openai-"], &[]),
    program("google-sdk", &["google-genai-sdk/", "google-api-"], &[]),
    program("ollama-sdk", &["ollama-python/", "ollama-js/", "ollama/"], &[]),
    program("aws-sdk", &["boto3/", "botocore/", "aws-sdk-", "aws-cli/"], &[]),
    program("curl", &["curl/"], &[]),
    program("python", &["python-requests/", "python-httpx/", "python-urllib/", "aiohttp/"], &[]),
    program("node", &["node", "undici", "axios/", "got"], &[]),
    program("go", &["go-http-client/"], &[]),
];

/// Headers in which programs send their title.
const TITLES: [&str; 4] = ["x-title", "http-referer", "referer", "originator"];

/// The program that sent a request with these headers, if the program is known.
pub(crate) fn of(headers: &HeaderMap) -> Option<&'static str> {
    let said = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_ascii_lowercase());
    let agent = said(USER_AGENT.as_str()).unwrap_or_default();
    let titles: Vec<_> = TITLES.iter().filter_map(|name| said(name)).collect();
    let fits = |program: &&Program| {
        let begins = |word: &str| program.agents.iter().any(|agent| word.starts_with(agent));
        let is = |title: &String| program.titles.contains(&plain(title)) || begins(title);
        agent.split(' ').any(begins) || titles.iter().any(is)
    };
    PROGRAMS.iter().find(fits).map(|program| program.name)
}

/// A URL without its scheme, `www.` and trailing slash.
fn plain(title: &str) -> &str {
    let bare = title.strip_prefix("https://").unwrap_or(title);
    bare.strip_prefix("www.").unwrap_or(bare).trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn check(name: &str, value: &str, expected: Option<&str>) {
        let name: HeaderName = name.parse().unwrap();
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())]);
        assert_eq!(of(&headers), expected, "{value}");
    }

    #[test]
    fn programs_are_told_by_what_they_say_of_themselves() {
        for (agent, name) in [
            ("claude-cli/2.1.70 (external, cli)", "claude-code"),
            ("codex_cli_rs/0.166.0 (Debian 12.0.0; x86_64) xterm", "codex"),
            ("codex_exec/0.166.0 (Debian 12.0.0; x86_64) dumb", "codex"),
            ("opencode/1.18.33 ai-sdk/provider-utils/3.0.9 runtime/bun/1.3.0", "opencode"),
            ("GeminiCLI/0.61.0/gemini-2.5-flash (linux; x64) google-api-nodejs-client/9.15.1", "gemini-cli"),
            ("Cline/3.39.2", "cline"),
            ("RooCode/3.30.0", "roo-code"),
            ("ai-sdk/openai-compatible/1.0.19 ai-sdk/provider-utils/3.0.9", "ai-sdk"),
            ("Anthropic/Python 0.84.0", "anthropic-sdk"),
            ("AsyncOpenAI/Python 2.1.0", "openai-sdk"),
            ("google-genai-sdk/1.40.0 gl-python/3.11", "google-sdk"),
            ("ollama-python/0.6.0 (x86_64 linux) Python/3.11.2", "ollama-sdk"),
            ("Boto3/1.40.0 md/Botocore#1.40.0", "aws-sdk"),
            ("curl/8.5.0", "curl"),
        ] {
            check("user-agent", agent, Some(name));
        }
        check("x-title", "Aider", Some("aider"));
        check("http-referer", "https://aider.chat/", Some("aider"));
        check("originator", "codex_vscode", Some("codex"));
        for other in ["", "Mozilla/5.0 (X11; Linux x86_64)", "my own agent", "notcurl/1"] {
            check("user-agent", other, None);
        }
    }

    #[test]
    fn names_are_unique() {
        for (at, program) in PROGRAMS.iter().enumerate() {
            assert!(PROGRAMS[..at].iter().all(|other| other.name != program.name), "{}", program.name);
        }
    }
}

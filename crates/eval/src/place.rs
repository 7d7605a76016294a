//! Chooses the server, the request format and the key.

use std::env;
use std::path::PathBuf;

use http::HeaderMap;
use tersely_gateway::Upstream;
use tersely_terminal::fault::CommandFault;

use crate::api::EvalApi;
use crate::args::EvalArgs;

const ANTHROPIC_KEY: &str = "ANTHROPIC_API_KEY";
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// The server, the request format and the key.
pub(super) struct AskedPlace {
    /// The server.
    pub(super) upstream: Upstream,
    /// The request format.
    pub(super) api: EvalApi,
    /// The headers that contain the key.
    pub(super) headers: HeaderMap,
    /// True for `OpenAI`'s own server, where the field for the maximum number of output tokens has another name.
    pub(super) is_openai: bool,
}

/// Finds the server, the request format and the key from the arguments.
pub(super) fn find(args: &EvalArgs) -> Result<AskedPlace, CommandFault> {
    let url = base(&args.upstream);
    let upstream: Upstream = url.parse().map_err(|error: tersely_gateway::Error| {
        CommandFault::unable(
            format!("--upstream: {error}"),
            "use a URL such as --upstream http://127.0.0.1:8080",
        )
    })?;
    let is_set = |name: &str| env::var_os(name).is_some_and(|it| !it.is_empty());
    let keys = [is_set(ANTHROPIC_KEY), is_set(OPENAI_KEY)];
    let api = args.api.unwrap_or_else(|| guess(&args.upstream, &args.model, keys));
    let headers = api.headers(key(args, api)?.as_deref()).ok_or_else(|| {
        CommandFault::unable(
            "the key contains characters that are not allowed in a header",
            "check the environment variable that contains the key",
        )
    })?;
    let is_openai = api == EvalApi::Openai && url.starts_with("https://api.openai.com");
    Ok(AskedPlace { upstream, api, headers, is_openai })
}

/// The address without the path that we add ourselves.
fn base(url: &str) -> &str {
    let url = url.trim_end_matches('/');
    ["/chat/completions", "/messages"].iter().find_map(|path| url.strip_suffix(path)).unwrap_or(url)
}

fn guess(url: &str, model: &str, [anthropic, openai]: [bool; 2]) -> EvalApi {
    let url = url.to_lowercase();
    if url.contains("anthropic") || url.trim_end_matches('/').ends_with("/messages") {
        return EvalApi::Anthropic;
    }
    if url.contains("openai") || url.ends_with("/completions") {
        return EvalApi::Openai;
    }
    if model.to_lowercase().starts_with("claude") || (anthropic && !openai) {
        EvalApi::Anthropic
    } else {
        EvalApi::Openai
    }
}

/// The key, if there is one. Servers on this machine need none.
fn key(args: &EvalArgs, api: EvalApi) -> Result<Option<String>, CommandFault> {
    let read = |name: &str| env::var(name).ok().filter(|it| !it.trim().is_empty());
    let Some(name) = &args.key_env else {
        return Ok(read(match api {
            EvalApi::Openai => OPENAI_KEY,
            EvalApi::Anthropic => ANTHROPIC_KEY,
        }));
    };
    let fault = || {
        CommandFault::unable(format!("the environment variable {name} is not set"), "set it to the API key")
    };
    read(name).map(Some).ok_or_else(fault)
}

/// The default log file for a model.
pub(super) fn file(model: &str) -> PathBuf {
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || "._-".contains(sign) { sign } else { '-' };
    let name: String = model.chars().map(plain).take(80).collect();
    PathBuf::from(format!("eval-{name}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_follows_from_the_address_then_the_model_then_the_keys() {
        use EvalApi::{Anthropic, Openai};
        for (url, model, keys, expected) in [
            ("https://api.anthropic.com", "m", [false, true], Anthropic),
            ("https://api.openai.com/v1", "claude-x", [true, false], Openai),
            ("http://h/v1/messages", "m", [false, false], Anthropic),
            ("http://h/v1/chat/completions", "claude-x", [false, false], Openai),
            ("http://h", "claude-x", [false, false], Anthropic),
            ("http://h", "m", [true, false], Anthropic),
            ("http://h", "m", [true, true], Openai),
            ("http://h", "m", [false, false], Openai),
        ] {
            assert_eq!(guess(url, model, keys), expected, "{url} {model}");
        }
        assert_eq!(base("http://h/v1/chat/completions/"), "http://h/v1");
        assert_eq!(base("http://h/"), "http://h");
    }

    #[test]
    fn the_file_says_the_model() {
        assert_eq!(file("org/qwen3:8b"), PathBuf::from("eval-org-qwen3-8b.jsonl"));
        assert_eq!(file("../../x"), PathBuf::from("eval-..-..-x.jsonl"));
    }
}

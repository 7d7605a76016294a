//! Reads the table of agents' system prompts and tool definitions, which published transcripts do not contain.

use std::sync::LazyLock;

use serde::Deserialize;

/// Token counts from `trials/clients/heads.py`, with their date.
pub(crate) static HEADS: LazyLock<HeadTable> =
    LazyLock::new(|| serde_json::from_str(include_str!("heads.json")).unwrap_or_default());

/// The heads of agents, and the day on which they were counted.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct HeadTable {
    pub date: String,
    pub heads: Vec<AgentHead>,
}

/// The number of tokens that one version of an agent sends in front of a conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct AgentHead {
    pub client: String,
    pub version: String,
    /// Prefixes of the models that are used with this agent.
    pub models: Vec<String>,
    pub system: usize,
    pub tools: usize,
}

/// Prefixes of transcript names, with the client of each.
const CLIENTS: [(&str, &str); 6] = [
    ("cc", "Claude Code"),
    ("claude", "Claude Code"),
    ("codex", "Codex"),
    ("opencode", "OpenCode"),
    ("gemini", "Gemini CLI"),
    ("pi", "pi"),
];

/// The client name of all other transcripts.
pub(crate) const OTHERS: &str = "other agents";

/// The client of a transcript, by its name.
pub(crate) fn client(transcript: &str) -> &'static str {
    let word = transcript.split('-').next().unwrap_or_default();
    CLIENTS.iter().find(|(first, _)| *first == word).map_or(OTHERS, |(_, client)| client)
}

/// The head that a client sent when this model was current.
pub(crate) fn head(client: &str, model: &str) -> Option<&'static AgentHead> {
    let fits = |head: &&AgentHead| head.models.iter().any(|begins| model.starts_with(begins.as_str()));
    HEADS.heads.iter().filter(|head| head.client == client).find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_a_head_for_any_model() {
        for (word, client_name) in CLIENTS {
            let client = client(&format!("{word}-rest-01"));
            assert_eq!(client, client_name);
            let head = head(client, "a model").expect("a head");
            assert!(head.system > 0 && head.tools > 0 && !head.version.is_empty(), "{head:?}");
        }
        assert_eq!(client("tau-airline-007"), OTHERS);
        assert!(head(OTHERS, "gpt-4o").is_none());
        assert_eq!(HEADS.date.len(), "2026-11-16".len());
    }

    #[test]
    fn a_version_is_chosen_by_the_time_of_the_model() {
        let version = |model| head("Claude Code", model).map(|head| head.version.as_str());
        assert_ne!(version("claude-opus-4-5-20251101"), version("claude-opus-4-6"));
        assert_eq!(version("claude-opus-5"), version("claude-fable-5"));
    }
}

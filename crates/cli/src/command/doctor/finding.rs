//! The result of one check, as text and as JSON.

use std::io::{self, IsTerminal};

use serde_json::{Value, json};
use tersely_terminal::table;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) state: State,
    /// What was checked.
    pub(crate) subject: String,
    /// The result, and what to do if it is bad.
    pub(crate) detail: String,
    /// The text for bug reports, if any, without the user's addresses, paths or names.
    pub(crate) public: Option<String>,
}

/// The status of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Everything is as it should be.
    Good,
    /// Neutral: not set, not installed, not running.
    Open,
    /// Broken.
    Bad,
}

impl Finding {
    pub(crate) fn good(subject: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(State::Good, subject.into(), detail.into())
    }

    pub(crate) fn open(subject: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(State::Open, subject.into(), detail.into())
    }

    pub(crate) fn bad(subject: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(State::Bad, subject.into(), detail.into())
    }

    fn new(state: State, subject: String, detail: String) -> Self {
        Self { state, subject, detail, public: None }
    }

    /// Sets the text for bug reports.
    pub(crate) fn public(self, words: impl Into<String>) -> Self {
        Self { public: Some(words.into()), ..self }
    }

    /// The finding as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({ "state": self.state.name(), "subject": self.subject, "detail": self.detail })
    }
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Open => "-",
            Self::Bad => "bad",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Open => "·",
            Self::Bad => "✗",
        }
    }
}

/// One line for each finding, with symbols on a terminal and with words elsewhere.
pub(crate) fn lines(findings: &[Finding]) -> String {
    let mark = if io::stdout().is_terminal() { State::sign } else { State::name };
    let row = |it: &Finding| vec![mark(it.state).to_owned(), it.subject.clone(), it.detail.clone()];
    table::align("lll", &findings.iter().map(row).collect::<Vec<_>>())
}

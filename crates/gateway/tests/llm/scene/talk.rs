//! A conversation of an agent whose tools print logs.

use serde_json::{Value, json};

/// The error line of each log.
pub(crate) const ERROR: &str = "error: disk full on /dev/sda1";

/// A conversation that grows by a call and its result at a time.
#[derive(Default, Clone)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Value>,
}

impl Conversation {
    pub(crate) fn new() -> Self {
        Self { messages: vec![json!({"role": "user", "content": "why did the job fail?"})] }
    }

    /// Adds a call and its result.
    pub(crate) fn result(&mut self, command: &str, text: &str) -> &mut Self {
        let id = format!("toolu_{}", self.messages.len());
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        self.messages.push(json!({"role": "assistant", "content": [call]}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        self.messages.push(json!({"role": "user", "content": [result]}));
        self
    }

    pub(crate) fn body(&self) -> String {
        json!({"tools": [{"name": "Bash", "input_schema": {}}], "messages": self.messages}).to_string()
    }
}

/// A log with no two lines alike, and an error in it.
pub(crate) fn log(number: usize) -> String {
    let line = |n| {
        format!(
            "{:02}:{:02} job {} of queue {} took {} ms\n",
            n / 60,
            n % 60,
            n * 7919 % 9973,
            n % 13,
            n * 31 % 997
        )
    };
    let lines: String = (number..number + 120).map(line).collect();
    format!("{lines}{ERROR}\n")
}

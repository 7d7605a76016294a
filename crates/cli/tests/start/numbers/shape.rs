//! Builds conversations in each provider's format, and finds their tool results without our own scanner.

use serde_json::{Value, json};

/// A provider's format.
pub(crate) struct Shape {
    pub name: &'static str,
    pub path: &'static str,
    /// A conversation with these results, `(id, text)`.
    pub body: fn(&[(String, String)]) -> Value,
    /// The member with the messages, and how a message holds results.
    pub messages: &'static str,
    pub results: fn(&Value) -> Vec<(String, String)>,
}

pub(crate) const SHAPES: [Shape; 5] = [
    Shape {
        name: "anthropic",
        path: "/v1/messages",
        body: messages,
        messages: "/messages",
        results: |message| {
            let blocks = message["content"].as_array().into_iter().flatten();
            let results = blocks.filter(|block| block["type"] == "tool_result");
            results.flat_map(|it| named(&it["tool_use_id"], texts(&it["content"]))).collect()
        },
    },
    Shape {
        name: "chat",
        path: "/v1/chat/completions",
        body: chat,
        messages: "/messages",
        results: tool_message,
    },
    Shape { name: "ollama", path: "/api/chat", body: chat, messages: "/messages", results: tool_message },
    Shape {
        name: "responses",
        path: "/v1/responses",
        body: responses,
        messages: "/input",
        results: |item| match item["type"].as_str() {
            Some("function_call_output" | "custom_tool_call_output") => {
                named(&item["call_id"], texts(&item["output"]))
            }
            _ => Vec::new(),
        },
    },
    Shape {
        name: "gemini",
        path: "/v1beta/models/m:generateContent",
        body: gemini,
        messages: "/contents",
        results: |content| {
            let parts = content["parts"].as_array().into_iter().flatten();
            let response = |part: &Value| {
                let it = &part["functionResponse"];
                named(&it["id"], texts(&it["response"]["output"]))
            };
            parts.flat_map(response).collect()
        },
    },
];

impl Shape {
    /// The texts of all results in a body, with their call ids.
    pub(crate) fn results(&self, body: &str) -> Vec<(String, String)> {
        let body: Value = serde_json::from_str(body).expect("JSON");
        let messages = body.pointer(self.messages).and_then(Value::as_array).expect("messages").iter();
        messages.flat_map(|message| (self.results)(message)).collect()
    }
}

fn tool_message(message: &Value) -> Vec<(String, String)> {
    if message["role"] != "tool" {
        return Vec::new();
    }
    named(&message["tool_call_id"], texts(&message["content"]))
}

/// The text of a string, or of blocks.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn named(id: &Value, texts: Vec<String>) -> Vec<(String, String)> {
    texts.into_iter().map(|text| (id.as_str().unwrap_or_default().to_owned(), text)).collect()
}

const COMMAND: &str = "make report";

fn messages(results: &[(String, String)]) -> Value {
    let turns = results.iter().flat_map(|(id, text)| {
        let call = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": COMMAND } });
        let block = json!({ "type": "text", "text": text });
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": [block] });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "user", "content": [result] })]
    });
    let turns: Vec<_> =
        [json!({ "role": "user", "content": "Look at it, please." })].into_iter().chain(turns).collect();
    json!({
        "model": "m", "max_tokens": 100, "messages": turns,
        "tools": [{ "name": "Bash", "input_schema": { "type": "object" } }],
    })
}

fn chat(results: &[(String, String)]) -> Value {
    let turns = results.iter().flat_map(|(id, text)| {
        let function = json!({ "name": "Bash", "arguments": json!({ "command": COMMAND }).to_string() });
        let call = json!({ "id": id, "type": "function", "function": function });
        [
            json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
            json!({ "role": "tool", "tool_call_id": id, "content": text }),
        ]
    });
    let turns: Vec<_> =
        [json!({ "role": "user", "content": "Look at it, please." })].into_iter().chain(turns).collect();
    let tool =
        json!({ "type": "function", "function": { "name": "Bash", "parameters": { "type": "object" } } });
    json!({ "model": "m", "messages": turns, "tools": [tool] })
}

fn responses(results: &[(String, String)]) -> Value {
    let turns = results.iter().flat_map(|(id, text)| {
        let arguments = json!({ "command": COMMAND }).to_string();
        [
            json!({ "type": "function_call", "call_id": id, "name": "Bash", "arguments": arguments }),
            json!({ "type": "function_call_output", "call_id": id, "output": text }),
        ]
    });
    let turns: Vec<_> =
        [json!({ "role": "user", "content": "Look at it, please." })].into_iter().chain(turns).collect();
    let tool = json!({ "type": "function", "name": "Bash", "parameters": { "type": "object" } });
    json!({ "model": "m", "store": false, "input": turns, "tools": [tool] })
}

fn gemini(results: &[(String, String)]) -> Value {
    let turns = results.iter().flat_map(|(id, text)| {
        let call = json!({ "functionCall": { "id": id, "name": "Bash", "args": { "command": COMMAND } } });
        let response = json!({ "id": id, "name": "Bash", "response": { "output": text } });
        [
            json!({ "role": "model", "parts": [call] }),
            json!({ "role": "user", "parts": [{ "functionResponse": response }] }),
        ]
    });
    let first = json!({ "role": "user", "parts": [{ "text": "Look at it, please." }] });
    let turns: Vec<_> = [first].into_iter().chain(turns).collect();
    json!({ "contents": turns, "tools": [{ "functionDeclarations": [{ "name": "Bash" }] }] })
}

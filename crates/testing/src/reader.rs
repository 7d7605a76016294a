//! A client that reads a response as clients do, and says which tools it was told to call.

use serde_json::Value;

/// The names of all calls in a whole response or in the events of a stream.
#[must_use]
pub fn calls(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let mut names = Names::default();
    match serde_json::from_str::<Value>(&text) {
        Ok(whole) => names.read(&whole),
        Err(_) => events(&text).iter().for_each(|event| names.read(event)),
    }
    names.found.extend(names.pieces.into_iter().map(|(_, name)| name));
    names.found
}

/// What stands behind `data:` of each event, if it is JSON.
fn events(text: &str) -> Vec<Value> {
    let (mut events, mut data) = (Vec::new(), String::new());
    for line in text.replace("\r\n", "\n").replace('\r', "\n").split('\n').chain([""]) {
        match line.strip_prefix("data:") {
            Some(more) => data = format!("{data}{}\n", more.strip_prefix(' ').unwrap_or(more)),
            None if line.is_empty() => events.extend(serde_json::from_str(&std::mem::take(&mut data)).ok()),
            None => {}
        }
    }
    events
}

#[derive(Default)]
struct Names {
    found: Vec<String>,
    /// Names that come in pieces, by the choice and the number of their call.
    pieces: Vec<((u64, u64), String)>,
}

impl Names {
    fn read(&mut self, value: &Value) {
        for block in list(&value["content"]).iter().chain([&value["content_block"]]) {
            self.named(&block["name"], block["type"] == "tool_use");
        }
        for choice in list(&value["choices"]) {
            for call in list(&choice["message"]["tool_calls"]) {
                self.named(&call["function"]["name"], true);
            }
            for call in list(&choice["delta"]["tool_calls"]) {
                let name = &call["function"]["name"];
                // A piece that does not say which call it belongs to belongs to none.
                match call["index"].as_u64() {
                    Some(index) => self.piece((choice["index"].as_u64().unwrap_or(0), index), name),
                    None => self.named(name, true),
                }
            }
        }
        for item in [&value["output"], &value["response"]["output"]]
            .into_iter()
            .flat_map(list)
            .chain([&value["item"]])
        {
            self.named(&item["name"], item["type"] == "function_call");
        }
        for candidate in list(&value["candidates"]) {
            for part in list(&candidate["content"]["parts"]) {
                self.named(&part["functionCall"]["name"], true);
            }
        }
    }

    fn named(&mut self, name: &Value, is_call: bool) {
        self.found.extend(name.as_str().filter(|_| is_call).map(str::to_owned));
    }

    fn piece(&mut self, call: (u64, u64), name: &Value) {
        let Some(name) = name.as_str() else { return };
        match self.pieces.iter_mut().find(|(it, _)| *it == call) {
            Some((_, begun)) => begun.push_str(name),
            None => self.pieces.push((call, name.to_owned())),
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

//! Reads a response as clients do, and lists the tools that it calls.

use std::collections::HashSet;
use std::fmt::{self, Formatter};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use tersely_wire::hidden::ResponseFraming;

use crate::stream;

/// The names of all tool calls in a response of this framing.
#[must_use]
pub fn calls(body: &[u8], framing: ResponseFraming) -> Vec<String> {
    let names = read(body, framing);
    names.found.into_iter().chain(names.pieces.into_iter().map(|piece| piece.name)).collect()
}

/// The same without names that came in several pieces. If events between the pieces are broken, clients disagree on the
/// name.
#[must_use]
pub fn whole_calls(body: &[u8], framing: ResponseFraming) -> Vec<String> {
    let names = read(body, framing);
    let whole = names.pieces.into_iter().filter(|piece| piece.parts == 1).map(|piece| piece.name);
    names.found.into_iter().chain(whole).collect()
}

fn read(body: &[u8], framing: ResponseFraming) -> Names {
    let text = String::from_utf8_lossy(body);
    let mut names = Names::default();
    match framing {
        ResponseFraming::Whole => unambiguous(&text).iter().for_each(|whole| names.read(whole)),
        ResponseFraming::Events => events(&text).iter().for_each(|event| names.read(event)),
        ResponseFraming::Messages => {
            let said = stream::events(body);
            let said = said.iter().filter_map(|said| unambiguous(&String::from_utf8_lossy(said)));
            said.for_each(|event| names.read(&event));
        }
    }
    names
}

/// The data of each event, if it is JSON.
fn events(text: &str) -> Vec<Value> {
    let (mut events, mut data) = (Vec::new(), String::new());
    for line in text.replace("\r\n", "\n").replace('\r', "\n").split('\n').chain([""]) {
        match line.strip_prefix("data:") {
            Some(more) => data = format!("{data}{}\n", more.strip_prefix(' ').unwrap_or(more)),
            None if line.is_empty() => events.extend(unambiguous(&std::mem::take(&mut data))),
            None => {}
        }
    }
    events
}

/// The value of a JSON text, if it is unambiguous: clients disagree on duplicate names and broken UTF-8.
fn unambiguous(text: &str) -> Option<Value> {
    if text.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    serde_json::from_str::<UniqueNames>(text).ok()?;
    serde_json::from_str(text).ok()
}

/// A value in whose objects no name occurs twice.
struct UniqueNames;

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueNames {
    type Value = Self;

    fn expecting(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.write_str("no name twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some((name, Self)) = map.next_entry::<String, Self>()? {
            if !names.insert(name) {
                return Err(A::Error::custom("twice"));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

#[derive(Default)]
struct Names {
    found: Vec<String>,
    pieces: Vec<NamePiece>,
}

/// A name that comes in pieces.
struct NamePiece {
    /// The choice and the number of its call.
    call: (u64, u64),
    name: String,
    parts: usize,
    is_whole: bool,
}

impl Names {
    fn read(&mut self, value: &Value) {
        for block in list(&value["content"]) {
            self.add_name(&block["name"], block["type"] == "tool_use");
        }
        // Clients ignore events of unknown types.
        let block = &value["content_block"];
        self.add_name(&block["name"], block["type"] == "tool_use" && value["type"] == "content_block_start");
        for choice in list(&value["choices"]) {
            for call in list(&choice["message"]["tool_calls"]) {
                self.add_name(&call["function"]["name"], true);
            }
            for call in list(&choice["delta"]["tool_calls"]) {
                // A piece without an index belongs to no call in progress.
                match call["index"].as_u64() {
                    Some(index) => {
                        self.piece((choice["index"].as_u64().unwrap_or(0), index), &call["function"]);
                    }
                    None => self.add_name(&call["function"]["name"], true),
                }
            }
        }
        for item in [&value["output"], &value["response"]["output"]].into_iter().flat_map(list) {
            self.add_name(&item["name"], item["type"] == "function_call");
        }
        let (item, kind) = (&value["item"], &value["type"]);
        let is_item = *kind == "response.output_item.added" || *kind == "response.output_item.done";
        self.add_name(&item["name"], item["type"] == "function_call" && is_item);
        for block in list(&value["output"]["message"]["content"]).iter().chain([&value["start"]]) {
            self.add_name(&block["toolUse"]["name"], true);
        }
        for candidate in list(&value["candidates"]) {
            for part in list(&candidate["content"]["parts"]) {
                self.add_name(&part["functionCall"]["name"], true);
            }
        }
    }

    fn add_name(&mut self, name: &Value, is_call: bool) {
        self.found.extend(name.as_str().filter(|_| is_call).map(str::to_owned));
    }

    /// A name ends where the arguments begin.
    fn piece(&mut self, call: (u64, u64), function: &Value) {
        let at = self.pieces.iter().position(|piece| piece.call == call).unwrap_or_else(|| {
            self.pieces.push(NamePiece { call, name: String::new(), parts: 0, is_whole: false });
            self.pieces.len() - 1
        });
        let piece = &mut self.pieces[at];
        if !piece.is_whole {
            let more = function["name"].as_str().unwrap_or("");
            piece.parts += usize::from(!more.is_empty());
            piece.name.push_str(more);
            piece.is_whole = function["arguments"].as_str().is_some_and(|arguments| !arguments.is_empty());
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

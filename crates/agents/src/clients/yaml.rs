//! Converts the YAML of clients' settings to JSON, with the types that YAML 1.2 gives to unquoted words.

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

/// Limits that no real settings file exceeds.
const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 100_000;

/// Parses a text that contains one document. `None` if there is not exactly one, or if it has aliases, tags or merge
/// keys, because clients interpret those differently.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut reader = Reader { parser: Parser::new_from_str(text), nodes: 0 };
    let mut root = None;
    loop {
        match reader.next()? {
            Event::StreamEnd => return root,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event if root.is_none() => root = Some(reader.node(event, 0)?),
            _ => return None,
        }
    }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Event<'a>> {
        match self.parser.next_event() {
            None => Some(Event::StreamEnd),
            Some(event) => event.ok().map(|(event, _)| event),
        }
    }

    fn node(&mut self, event: Event<'a>, depth: usize) -> Option<Value> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return None;
        }
        match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None) => Some(plain(&text)),
            Event::Scalar(text, _, _, None) => Some(Value::from(text.into_owned())),
            Event::SequenceStart(_, None) => {
                let mut list = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Some(Value::from(list)),
                        event => list.push(self.node(event, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(_, None) => self.table(depth),
            _ => None,
        }
    }

    fn table(&mut self, depth: usize) -> Option<Value> {
        let mut map = Map::new();
        loop {
            let name = match self.next()? {
                Event::MappingEnd => return Some(Value::from(map)),
                Event::Scalar(name, ..) if name != "<<" => name.into_owned(),
                _ => return None,
            };
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            map.insert(name, value);
        }
    }
}

/// The value of an unquoted word: a number, a boolean or null where JSON has one, otherwise a string.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::from(true),
        "false" | "False" | "FALSE" => Value::from(false),
        _ => serde_json::from_str(text).ok().filter(Value::is_number).unwrap_or_else(|| Value::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_have_the_types_of_yaml() {
        let text = "# a file\na: 1\nb: '1'\nc: [x, true, 1.50, ~]\nd:\n  - e: http://h/v1\n    f: \"\"\n";
        let expected =
            json!({"a": 1, "b": "1", "c": ["x", true, 1.5, null], "d": [{"e": "http://h/v1", "f": ""}]});
        assert_eq!(read(text), Some(expected));
    }

    #[test]
    fn what_only_the_client_can_read_is_left_to_it() {
        for text in ["a: &x 1\nb: *x\n", "<<: {a: 1}\n", "a: !t 1\n", "a: [", "--- 1\n--- 2\n", ""] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&format!("a: {}{}", "[".repeat(99), "]".repeat(99))), None);
    }
}

//! Reads `pipes.tool_output` and `providers`, the file shape of other gateways, and says what of it has no effect here.
//!
//! Nothing is sent to a remote compressor: whatever strategy is named, our own stages do the work, and a fault of theirs
//! always forwards the original.

use super::field::{Words, switch, time};
use super::node::{Node, Pair, Value};
use super::reader::Reader;

/// What a key of theirs means here.
pub(crate) enum Meaning {
    /// Whether anything is done at all.
    Enabled,
    /// Who does it: nobody, or we.
    Strategy,
    /// Whether a model may fetch back what was left out, without which nothing is.
    Expand,
    /// The same as a key of ours.
    Key(&'static str),
    /// Nothing, and why; what is typed must still be of its kind.
    Nothing(Kind, &'static str),
}

/// What can be typed for a key of theirs that has no effect.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Word,
    Strategy,
    Number,
    Switch,
    Time,
}

const STRATEGIES: [&str; 4] = ["passthrough", "simple", "api", "external_provider"];
const LOCAL: &str = "no remote compressor is called";

/// The keys of `pipes.tool_output`.
pub(crate) static SEED: [(&str, Meaning); 15] = [
    ("enabled", Meaning::Enabled),
    ("strategy", Meaning::Strategy),
    (
        "fallback_strategy",
        Meaning::Nothing(Kind::Strategy, "after an error the original is always forwarded"),
    ),
    ("provider", Meaning::Nothing(Kind::Word, LOCAL)),
    ("api.endpoint", Meaning::Nothing(Kind::Word, LOCAL)),
    ("api.api_key", Meaning::Nothing(Kind::Word, LOCAL)),
    ("api.model", Meaning::Nothing(Kind::Word, LOCAL)),
    ("api.timeout", Meaning::Nothing(Kind::Time, LOCAL)),
    ("api.query_agnostic", Meaning::Nothing(Kind::Switch, LOCAL)),
    ("min_bytes", Meaning::Key("min_bytes")),
    ("max_bytes", Meaning::Key("skip_above")),
    ("target_ratio", Meaning::Nothing(Kind::Number, "the cheapest form always wins")),
    ("enable_expand_context", Meaning::Expand),
    ("include_expand_hint", Meaning::Nothing(Kind::Switch, "a shortened text always says so")),
    ("skip_tools", Meaning::Key("skip_tools")),
];

const PIPE: &str = "pipes.tool_output";

/// Reads a whole `pipes` or `providers`.
pub(crate) fn read(reader: &mut Reader<'_>, pair: &Pair) {
    let Some(pairs) = table(reader, &pair.name, &pair.node) else { return };
    if pair.name == "providers" {
        return reader.layer.notices.push(format!("{} has no effect: {LOCAL}", pair.name));
    }
    for pair in pairs {
        match pair.name.as_str() {
            "tool_output" => pipe(reader, &pair.node),
            name => reader.unknown(&format!("pipes.{name}"), pair.line, [PIPE]),
        }
    }
}

fn pipe(reader: &mut Reader<'_>, node: &Node) {
    let Some(pairs) = table(reader, PIPE, node) else { return };
    let mut mode = None;
    for pair in pairs.iter().filter(|pair| pair.node.value != Value::Nothing) {
        if pair.name == "api" {
            for inner in table(reader, "pipes.tool_output.api", &pair.node).unwrap_or_default() {
                key(reader, &format!("api.{}", inner.name), inner, &mut mode);
            }
        } else {
            key(reader, &pair.name, pair, &mut mode);
        }
    }
    if let Some((word, line)) = mode {
        let origin = reader.at(line);
        reader.layer.put("mode", word.into(), origin);
    }
}

fn table<'n>(reader: &mut Reader<'_>, name: &str, node: &'n Node) -> Option<&'n [Pair]> {
    match &node.value {
        Value::Table(pairs) => Some(pairs),
        Value::Nothing => None,
        other => {
            reader.problem(node.line, name, format!("expects a group of keys, not {}", other.kind()));
            None
        }
    }
}

/// The mode that the pipe's switches ask for, and the line that says so.
type Asked = Option<(&'static str, usize)>;

fn key(reader: &mut Reader<'_>, name: &str, pair: &Pair, mode: &mut Asked) {
    let full = format!("{PIPE}.{name}");
    let Some((_, meaning)) = SEED.iter().find(|(known, _)| *known == name) else {
        return reader.unknown(name, pair.line, SEED.iter().map(|(known, _)| *known));
    };
    let read = match meaning {
        Meaning::Key(key) => reader.words(&pair.node).map(|words| {
            let origin = reader.at(pair.line);
            reader.layer.put(key, words, origin);
        }),
        Meaning::Nothing(kind, why) => idle(*kind, &pair.node).map(|()| {
            reader.layer.notices.push(format!("{full} has no effect: {why}"));
        }),
        Meaning::Enabled => one(reader, pair).and_then(|word| switch(&word)).map(|enabled| {
            let asked = if enabled { "standard" } else { "disabled" };
            if mode.is_none_or(|(asked, _)| asked != "disabled") {
                *mode = Some((asked, pair.line));
            }
        }),
        Meaning::Expand => one(reader, pair).and_then(|word| switch(&word)).map(|enabled| {
            let origin = reader.at(pair.line);
            reader.layer.put("loss", if enabled { "detail" } else { "form" }.into(), origin);
        }),
        Meaning::Strategy => one(reader, pair).and_then(|word| strategy(&word)).map(|word| match word {
            "passthrough" => *mode = Some(("disabled", pair.line)),
            _ => reader.layer.notices.push(format!("{full}: {word} is replaced by our own stages; {LOCAL}")),
        }),
    };
    if let Err(what) = read {
        reader.problem(pair.line, &full, what);
    }
}

fn one(reader: &Reader<'_>, pair: &Pair) -> Result<String, String> {
    match reader.words(&pair.node)? {
        Words::One(word) => Ok(word.trim().to_owned()),
        Words::Many(_) => Err("expects one value, not a list".to_owned()),
    }
}

fn strategy(word: &str) -> Result<&'static str, String> {
    let known = STRATEGIES.into_iter().find(|known| *known == word);
    known.ok_or_else(|| format!("unknown strategy {word:?}; use {}", STRATEGIES.join(", ")))
}

/// Holds a value without effect to its kind. A variable in it is not asked for: nobody needs to set what nobody reads.
fn idle(kind: Kind, node: &Node) -> Result<(), String> {
    let Value::Text(text) = &node.value else {
        return Err(format!("expects a value, not {}", node.value.kind()));
    };
    match kind {
        _ if text.contains("${") => Ok(()),
        Kind::Word => Ok(()),
        Kind::Strategy => strategy(text).map(drop),
        Kind::Number => text.parse::<f64>().map(drop).map_err(|_| format!("{text:?} is not a number")),
        Kind::Switch => switch(text).map(drop),
        Kind::Time => time(text).map(drop),
    }
}

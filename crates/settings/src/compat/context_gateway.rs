//! Reads `pipes.tool_output` and `providers`, which other gateways' files use, and reports the keys that have no effect
//! here.

use super::{remote, tool_discovery};
use crate::node::{Pair, SettingNode, SettingValue};
use crate::reader::TreeReader;
use crate::words::switch;

/// What a configuration key of another gateway means in our settings.
pub(crate) enum CompatMeaning {
    /// Switches compression on or off.
    Enabled,
    /// Chooses the compressor.
    Strategy,
    /// Sets whether the model can fetch omitted text. If it cannot, no detail is left out.
    Expand,
    /// Has the same meaning as one of our keys.
    Key(&'static str),
    /// Has the same meaning as one of our compressor keys, unless the named provider sets that key.
    Remote(&'static str),
    /// Has no effect, for the given reason. The value must still be of the given kind.
    Nothing(CompatKind, &'static str),
}

/// The kind of value that a key without effect accepts.
#[derive(Clone, Copy)]
pub(crate) enum CompatKind {
    Number,
    Switch,
}

pub(crate) const STRATEGIES: [&str; 4] = ["passthrough", "simple", "api", "external_provider"];

/// The keys of `pipes.tool_output`.
pub(crate) static CONTEXT_GATEWAY_KEYS: [(&str, CompatMeaning); 15] = [
    ("enabled", CompatMeaning::Enabled),
    ("strategy", CompatMeaning::Strategy),
    ("fallback_strategy", CompatMeaning::Remote("remote.fallback")),
    ("provider", CompatMeaning::Remote("remote.provider")),
    ("api.endpoint", CompatMeaning::Remote("remote.endpoint")),
    ("api.api_key", CompatMeaning::Remote("remote.key")),
    ("api.model", CompatMeaning::Remote("remote.model")),
    ("api.timeout", CompatMeaning::Remote("remote.timeout")),
    ("api.query_agnostic", CompatMeaning::Remote("remote.query_agnostic")),
    ("min_bytes", CompatMeaning::Key("min_bytes")),
    ("max_bytes", CompatMeaning::Key("skip_above")),
    ("target_ratio", CompatMeaning::Nothing(CompatKind::Number, "Tersely always uses the cheapest form")),
    ("enable_expand_context", CompatMeaning::Expand),
    (
        "include_expand_hint",
        CompatMeaning::Nothing(CompatKind::Switch, "Tersely always adds the hint to shortened text"),
    ),
    ("skip_tools", CompatMeaning::Key("skip_tools")),
];

const PIPE: &str = "pipes.tool_output";

/// Reads a whole `pipes` or `providers` table.
pub(crate) fn read(reader: &mut TreeReader<'_>, pair: &Pair) {
    let Some(pairs) = reader.table(&pair.name, &pair.node) else { return };
    if pair.name == "providers" {
        return remote::providers(reader, pair, pairs);
    }
    for pair in pairs {
        match pair.name.as_str() {
            "tool_output" => pipe(reader, &pair.node),
            "tool_discovery" => tool_discovery::read(reader, &pair.node),
            name => reader.unknown(&format!("pipes.{name}"), pair.line, [PIPE, "pipes.tool_discovery"]),
        }
    }
}

fn pipe(reader: &mut TreeReader<'_>, node: &SettingNode) {
    let Some(pairs) = reader.table(PIPE, node) else { return };
    let mut mode = None;
    for pair in pairs.iter().filter(|pair| pair.node.value != SettingValue::Nothing) {
        if pair.name == "api" {
            for inner in reader.table("pipes.tool_output.api", &pair.node).unwrap_or_default() {
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

/// The mode that the pipe's switches request, and the line that requests it.
type RequestOptions = Option<(&'static str, usize)>;

fn key(reader: &mut TreeReader<'_>, name: &str, pair: &Pair, mode: &mut RequestOptions) {
    let full = format!("{PIPE}.{name}");
    let Some((_, meaning)) = CONTEXT_GATEWAY_KEYS.iter().find(|(known, _)| *known == name) else {
        return reader.unknown(name, pair.line, CONTEXT_GATEWAY_KEYS.iter().map(|(known, _)| *known));
    };
    let read = match meaning {
        CompatMeaning::Key(key) => reader.words(&pair.node).map(|words| {
            let origin = reader.at(pair.line);
            reader.layer.put(key, words, origin);
        }),
        CompatMeaning::Remote(key) => remote::note(reader, key, pair),
        CompatMeaning::Nothing(kind, why) => idle(*kind, &pair.node).map(|()| {
            reader.layer.notices.push(format!("{full} has no effect: {why}"));
        }),
        CompatMeaning::Enabled => reader.one(pair).and_then(|word| switch(&word)).map(|enabled| {
            let asked = if enabled { "standard" } else { "disabled" };
            if mode.is_none_or(|(asked, _)| asked != "disabled") {
                *mode = Some((asked, pair.line));
            }
        }),
        CompatMeaning::Expand => reader.one(pair).and_then(|word| switch(&word)).map(|enabled| {
            let origin = reader.at(pair.line);
            reader.layer.put("loss", if enabled { "detail" } else { "form" }.into(), origin);
        }),
        CompatMeaning::Strategy => reader.one(pair).and_then(|word| strategy(&word)).map(|word| match word {
            "passthrough" => *mode = Some(("disabled", pair.line)),
            word => {
                let origin = reader.at(pair.line);
                reader.layer.put("remote.strategy", word.into(), origin);
            }
        }),
    };
    if let Err(what) = read {
        reader.problem(pair.line, &full, what);
    }
}

fn strategy(word: &str) -> Result<&'static str, String> {
    let known = STRATEGIES.into_iter().find(|known| *known == word);
    known.ok_or_else(|| format!("unknown strategy {word:?}; use {}", STRATEGIES.join(", ")))
}

/// Checks the kind of a value that has no effect. Variables in it are not resolved, so the user need not set them.
fn idle(kind: CompatKind, node: &SettingNode) -> Result<(), String> {
    let SettingValue::Text(text) = &node.value else {
        return Err(format!("expects a value, not {}", node.value.kind()));
    };
    match kind {
        _ if text.contains("${") => Ok(()),
        CompatKind::Number => text.parse::<f64>().map(drop).map_err(|_| format!("{text:?} is not a number")),
        CompatKind::Switch => switch(text).map(drop),
    }
}

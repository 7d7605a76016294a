//! Reads `pipes.tool_discovery` of other gateways' files. An option that is not supported here is an error, not
//! ignored.

use crate::node::{Pair, SettingNode, SettingValue};
use crate::reader::TreeReader;
use crate::words::switch;

/// What a configuration key of another gateway means in our settings.
pub(crate) enum ToolPipeMeaning {
    /// Switches tool discovery on or off.
    Enabled,
    /// How tools are chosen.
    Strategy,
    /// Has the same meaning as one of our keys.
    Key(&'static str),
    /// Sets whether hidden tools can be searched for. Here they always can.
    Search,
    /// Not supported, with advice on what to do instead.
    Refused(&'static str),
}

const LOCAL: &str = "is not supported, because Tersely chooses tools in its own process; remove the key";

/// The keys of `pipes.tool_discovery`.
pub(crate) static TOOL_PIPE: [(&str, ToolPipeMeaning); 13] = [
    ("enabled", ToolPipeMeaning::Enabled),
    ("strategy", ToolPipeMeaning::Strategy),
    ("min_tools", ToolPipeMeaning::Key("discovery.min_tools")),
    ("max_tools", ToolPipeMeaning::Key("discovery.max_tools")),
    ("always_keep", ToolPipeMeaning::Key("discovery.always_keep")),
    ("max_search_results", ToolPipeMeaning::Key("discovery.max_results")),
    ("enable_search_fallback", ToolPipeMeaning::Search),
    (
        "search_tool_name",
        ToolPipeMeaning::Refused("is not supported, because the tool is called search_tools; remove the key"),
    ),
    ("target_ratio", ToolPipeMeaning::Refused("is not supported; set max_tools instead")),
    ("provider", ToolPipeMeaning::Refused(LOCAL)),
    ("api.endpoint", ToolPipeMeaning::Refused(LOCAL)),
    ("api.api_key", ToolPipeMeaning::Refused(LOCAL)),
    ("api.timeout", ToolPipeMeaning::Refused(LOCAL)),
];

const PIPE: &str = "pipes.tool_discovery";

/// Reads the whole pipe.
pub(crate) fn read(reader: &mut TreeReader<'_>, node: &SettingNode) {
    let Some(pairs) = reader.table(PIPE, node) else { return };
    let mut enabled = None;
    for pair in pairs.iter().filter(|pair| pair.node.value != SettingValue::Nothing) {
        if pair.name == "api" {
            for inner in reader.table("pipes.tool_discovery.api", &pair.node).unwrap_or_default() {
                key(reader, &format!("api.{}", inner.name), inner, &mut enabled);
            }
        } else {
            key(reader, &pair.name, pair, &mut enabled);
        }
    }
    if let Some((word, line)) = enabled {
        let origin = reader.at(line);
        reader.layer.put("discovery.enabled", word.into(), origin);
    }
}

/// Whether the pipe is enabled, and the line that sets it.
type PipeSwitch = Option<(&'static str, usize)>;

fn key(reader: &mut TreeReader<'_>, name: &str, pair: &Pair, enabled: &mut PipeSwitch) {
    let Some((_, meaning)) = TOOL_PIPE.iter().find(|(known, _)| *known == name) else {
        return reader.unknown(name, pair.line, TOOL_PIPE.iter().map(|(known, _)| *known));
    };
    let read = match meaning {
        ToolPipeMeaning::Key(key) => reader.words(&pair.node).map(|words| {
            let origin = reader.at(pair.line);
            reader.layer.put(key, words, origin);
        }),
        ToolPipeMeaning::Enabled => reader.one(pair).and_then(|word| switch(&word)).map(|is_on| {
            if enabled.is_none_or(|(word, _)| word != "false") {
                *enabled = Some((if is_on { "true" } else { "false" }, pair.line));
            }
        }),
        ToolPipeMeaning::Strategy => reader.one(pair).and_then(|word| strategy(reader, &word, pair, enabled)),
        ToolPipeMeaning::Search => reader.one(pair).and_then(|word| switch(&word)).and_then(|is_on| {
            let what = || "cannot be false: the model can always search for hidden tools".to_owned();
            is_on.then_some(()).ok_or_else(what)
        }),
        ToolPipeMeaning::Refused(why) => Err((*why).to_owned()),
    };
    if let Err(what) = read {
        reader.problem(pair.line, &format!("{PIPE}.{name}"), what);
    }
}

fn strategy(
    reader: &mut TreeReader<'_>,
    word: &str,
    pair: &Pair,
    enabled: &mut PipeSwitch,
) -> Result<(), String> {
    match word {
        "relevance" => Ok(()),
        "passthrough" => {
            *enabled = Some(("false", pair.line));
            Ok(())
        }
        "tool-search" => {
            for key in ["discovery.min_tools", "discovery.max_tools"] {
                let origin = reader.at(pair.line);
                reader.layer.put(key, "0".into(), origin);
            }
            Ok(())
        }
        "api" => Err(format!("\"api\" {LOCAL}, or use relevance or tool-search")),
        _ => Err(format!("unknown strategy {word:?}; use passthrough, relevance or tool-search")),
    }
}

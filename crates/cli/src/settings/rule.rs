//! Reads `rules`: tools and routes that are treated otherwise.

use tersely_core::Redaction;
use tersely_engine::{Change, Rule};

use super::field::{Words, bytes, positive, redaction};
use super::node::{Pair, SettingNode, SettingValue};
use super::reader::Reader;

/// What a rule can hold, and what each part means.
pub(crate) const PARTS: [(&str, &str); 11] = [
    ("tool", "The tool's name; `*` matches any part. Default: any tool"),
    ("route", "The beginning of the request's path. Default: any path"),
    ("mode", "Same as the key"),
    ("loss", "Same as the key"),
    ("min_bytes", "Same as the key"),
    ("min_tokens", "Same as the key"),
    ("skip_above", "Same as the key"),
    ("max_bytes", "Same as the key"),
    ("max_tokens", "Same as the key"),
    (
        "redact_secrets",
        "`usual` or `false`, same as the key; `true` applies to all requests and cannot be set in a rule",
    ),
    ("dictionary", "Same as the key"),
];

/// Reads the whole list.
pub(crate) fn read(reader: &mut Reader<'_>, node: &SettingNode) {
    let SettingValue::List(list) = &node.value else {
        return reader.problem(node.line, "rules", "expects a list; write [[rules]] above each rule in TOML");
    };
    for node in list {
        one(reader, node);
    }
}

fn one(reader: &mut Reader<'_>, node: &SettingNode) {
    let SettingValue::Table(pairs) = &node.value else {
        let what = format!("a rule is a table of tool, route and what changes, not {}", node.value.kind());
        return reader.problem(node.line, "rules", what);
    };
    let mut rule = Rule::default();
    for pair in pairs.iter().filter(|pair| pair.node.value != SettingValue::Nothing) {
        part(reader, &mut rule, pair);
    }
    let known = |pair: &Pair| PARTS[2..].iter().any(|(name, _)| *name == pair.name);
    if !pairs.iter().any(known) {
        reader.problem(
            node.line,
            "rules",
            "this rule changes nothing; add a setting, for example mode = \"safe\"",
        );
    }
    let origin = reader.at(node.line);
    reader.layer.rules.push((rule, origin));
}

fn part(reader: &mut Reader<'_>, rule: &mut Rule, pair: &Pair) {
    let name = format!("rules.{}", pair.name);
    if !PARTS.iter().any(|(part, _)| *part == pair.name) {
        return reader.unknown(&pair.name, pair.line, PARTS.map(|(part, _)| part));
    }
    let read = reader.words(&pair.node).and_then(|words| match words {
        Words::One(word) => set(rule, &pair.name, word.trim()),
        Words::Many(_) => Err("expects one value, not a list".to_owned()),
    });
    if let Err(what) = read {
        reader.problem(pair.line, &name, what);
    }
}

fn set(rule: &mut Rule, part: &str, word: &str) -> Result<(), String> {
    let Change { mode, loss, min_bytes, skip_above, max_bytes, redact, dictionary } = &mut rule.change;
    let tokens = |word: &str| bytes(word)?.checked_mul(4).ok_or_else(|| "is too large".to_owned());
    match part {
        "tool" if word.is_empty() => return Err("is empty; write a name, or remove it".to_owned()),
        "tool" => rule.tool = Some(word.to_owned()),
        "route" if !word.starts_with('/') => {
            return Err(format!("{word:?} is not a path; it must begin with /"));
        }
        "route" => rule.route = Some(word.to_owned()),
        "mode" => *mode = Some(word.parse()?),
        "loss" => *loss = Some(word.parse()?),
        "min_bytes" => *min_bytes = Some(bytes(word)?),
        "min_tokens" => *min_bytes = Some(tokens(word)?),
        "skip_above" => *skip_above = Some(bytes(word)?),
        "max_bytes" => *max_bytes = Some(positive(bytes(word)?)?),
        "max_tokens" => *max_bytes = Some(positive(tokens(word)?)?),
        "redact_secrets" => *redact = Some(lesser(redaction(word)?)?),
        _ => *dictionary = Some(word.parse()?),
    }
    Ok(())
}

/// Masking that fails closed covers whole requests, whatever tools are in them.
fn lesser(redact: Redaction) -> Result<Redaction, String> {
    match redact {
        Redaction::All => {
            Err("true applies to all requests; set redact_secrets = true above the rules".to_owned())
        }
        lesser => Ok(lesser),
    }
}

/// A rule in a line.
pub(crate) fn spell(rule: &Rule) -> String {
    let Change { mode, loss, min_bytes, skip_above, max_bytes, redact, dictionary } = rule.change;
    let parts = [
        ("tool", rule.tool.clone()),
        ("route", rule.route.clone()),
        ("mode", mode.map(|mode| mode.name().to_owned())),
        ("loss", loss.map(|loss| loss.name().to_owned())),
        ("min_bytes", min_bytes.map(|bytes| bytes.to_string())),
        ("skip_above", skip_above.map(|bytes| bytes.to_string())),
        ("max_bytes", max_bytes.map(|bytes| bytes.to_string())),
        ("redact_secrets", redact.map(|redact| redact.name().to_owned())),
        ("dictionary", dictionary.map(|method| method.name().to_owned())),
    ];
    let said = parts.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    said.collect::<Vec<_>>().join(" ")
}

//! Reads `rules`: overrides for tools, routes and tenants.

use serde_json::Value;
use tersely_core::{Mode, Plan, Redaction};
use tersely_engine::{FIELDS, PlanField, PlanOverride, PlanPlace, Rule};

use super::key_table::ALIASES;
use super::node::{Pair, SettingNode, SettingValue};
use super::place;
use super::reader::TreeReader;
use super::words::{Words, bytes};

/// The conditions of a rule.
const WHERE: [(&str, &str); 3] = [
    ("tool", "The name of the tool. `*` matches any text. Default: every tool"),
    ("route", "The beginning of the request path. Default: every path"),
    ("tenant", "The name of the tenant, from `tenants`. `*` matches any text. Default: every sender"),
];

/// The keys that a rule can contain, and their meanings.
pub(crate) fn parts() -> Vec<(&'static str, &'static str)> {
    let named = |field: &'static PlanField| {
        let aliases = ALIASES.iter().filter(move |alias| alias.key == field.name);
        std::iter::once((field.name, about(field))).chain(aliases.map(|alias| (alias.name, SAME)))
    };
    WHERE.into_iter().chain(FIELDS.iter().flat_map(named)).collect()
}

const SAME: &str = "Same as the top-level key";

fn about(field: &PlanField) -> &'static str {
    match field.place {
        PlanPlace::Redaction(_) => {
            "`usual` or `false`, as in the top-level key. A rule cannot set `true`, because `true` applies \
             to all requests"
        }
        _ => SAME,
    }
}

/// Reads the whole list of rules.
pub(crate) fn read(reader: &mut TreeReader<'_>, node: &SettingNode) {
    let SettingValue::List(list) = &node.value else {
        return reader.problem(node.line, "rules", "expects a list; write [[rules]] above each rule in TOML");
    };
    for node in list {
        one(reader, node);
    }
}

fn one(reader: &mut TreeReader<'_>, node: &SettingNode) {
    let SettingValue::Table(pairs) = &node.value else {
        let what =
            format!("a rule is a table of tool, route, tenant and settings, not {}", node.value.kind());
        return reader.problem(node.line, "rules", what);
    };
    let mut rule = Rule::default();
    for pair in pairs.iter().filter(|pair| pair.node.value != SettingValue::Nothing) {
        part(reader, &mut rule, pair);
    }
    let parts = parts();
    let changes = |pair: &Pair| parts[WHERE.len()..].iter().any(|(name, _)| *name == pair.name);
    if !pairs.iter().any(changes) {
        reader.problem(
            node.line,
            "rules",
            "this rule changes nothing; add a setting, for example mode = \"safe\"",
        );
    }
    if rule.tool.is_some() && rule.change.on(Plan::default()).mode == Mode::Observe {
        let what = "observe applies to whole requests; remove `tool` from this rule, or choose another mode";
        reader.problem(node.line, "rules", what);
    }
    let origin = reader.at(node.line);
    reader.layer.rules.push((rule, origin));
}

fn part(reader: &mut TreeReader<'_>, rule: &mut Rule, pair: &Pair) {
    let name = format!("rules.{}", pair.name);
    let names = parts().into_iter().map(|(name, _)| name);
    if !names.clone().any(|name| name == pair.name) {
        return reader.unknown(&pair.name, pair.line, names);
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
    match part {
        "tool" | "tenant" if word.is_empty() => return Err("is empty; write a name, or remove it".to_owned()),
        "tool" => rule.tool = Some(word.to_owned()),
        "route" if !word.starts_with('/') => {
            return Err(format!("{word:?} is not a path; it must begin with /"));
        }
        "route" => rule.route = Some(word.to_owned()),
        "tenant" => rule.tenant = Some(word.to_owned()),
        _ => return change(&mut rule.change, part, word),
    }
    Ok(())
}

/// Sets a field of the plan, by its own name or by an alias in another unit.
fn change(change: &mut PlanOverride, part: &str, word: &str) -> Result<(), String> {
    let alias = ALIASES.iter().find(|alias| alias.name == part);
    let name = alias.map_or(part, |alias| alias.key);
    let Some(field) = FIELDS.iter().find(|field| field.name == name) else { return Ok(()) };
    let words = match alias {
        Some(alias) => Words::One(times(alias.times, word)?.to_string()),
        None => word.into(),
    };
    change.set(field, |plan| {
        place::write(field.place, plan, &words)?;
        lesser(plan.redact)
    })
}

fn times(factor: usize, word: &str) -> Result<usize, String> {
    bytes(word)?.checked_mul(factor).ok_or_else(|| "is too large".to_owned())
}

/// Rejects `true`: masking that fails closed covers whole requests, whatever tools are in them.
fn lesser(redact: Redaction) -> Result<(), String> {
    match redact {
        Redaction::All => {
            Err("true applies to all requests; set redact_secrets = true above the rules".to_owned())
        }
        Redaction::Usual | Redaction::Off => Ok(()),
    }
}

/// A rule as one line.
pub(crate) fn spell(rule: &Rule) -> String {
    let place = [("tool", &rule.tool), ("route", &rule.route), ("tenant", &rule.tenant)];
    let place = place.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
    let mut plan = rule.change.on(Plan::default());
    let said = FIELDS.iter().filter(|field| rule.change.sets(field.name));
    let said = said.map(|field| match place::show(field.place, &mut plan) {
        Value::String(word) => format!("{}={word}", field.name),
        value => format!("{}={value}", field.name),
    });
    place.chain(said).collect::<Vec<_>>().join(" ")
}

//! Reads `tenants`: who may use the gateway, and what each of them may do.

use serde_json::{Value, json};
use tersely_gateway::{KnownTenant, MayAsk, TenantSettings};

use super::node::{Pair, SettingNode, SettingValue};
use super::reader::TreeReader;
use super::server::is_plain;
use super::shape::{list, number};
use super::words::{Words, count};

/// The keys that a tenant can contain, and their meanings.
pub(crate) const PARTS: [(&str, &str); 5] = [
    ("name", "The name of the tenant. It may contain letters, digits, `.`, `-` and `_`"),
    (
        "keys",
        "SHA-256 hashes of the tenant's keys, in hex. To name a key in reports, put the name before its \
         hash: `ci:9f8a…`. `tersely config key` prints a new key and its hash",
    ),
    ("certificates", "DNS names or URIs in the tenant's client certificates. Requires `tls.client_ca`"),
    ("rate", "Maximum requests per second. Overrides `limits.tenant_rate`"),
    (
        "may_ask",
        "Request settings that the tenant may use: `all`, `none`, or a list of `x-tersely-mode`, `x-tersely-bypass`, \
         `x-tersely-reader`, `x-compression-threshold` and `_tersely`. Default: `all`",
    ),
];

/// The description of the list.
pub(crate) const ABOUT: &str = "Tenants that may send requests, each identified by a key or a client certificate: \
    [access.md](access.md). If no tenant is configured, anyone who can reach the address may send requests";

/// The maximum length of a tenant's name.
const MAX_NAME_BYTES: usize = 64;

/// Reads the whole list of tenants.
pub(crate) fn read(reader: &mut TreeReader<'_>, node: &SettingNode) {
    let SettingValue::List(list) = &node.value else {
        let what = "expects a list; write [[tenants]] above each tenant in TOML";
        return reader.problem(node.line, "tenants", what);
    };
    for node in list {
        one(reader, node);
    }
}

fn one(reader: &mut TreeReader<'_>, node: &SettingNode) {
    let SettingValue::Table(pairs) = &node.value else {
        let what =
            format!("a tenant is a table with a name, keys and permissions, not {}", node.value.kind());
        return reader.problem(node.line, "tenants", what);
    };
    let tenant = KnownTenant::new("");
    let mut settings = TenantSettings { tenant, keys: Vec::new(), certificates: Vec::new() };
    for pair in pairs.iter().filter(|pair| pair.node.value != SettingValue::Nothing) {
        part(reader, &mut settings, pair);
    }
    if settings.tenant.name.is_empty() && !pairs.iter().any(|pair| pair.name == "name") {
        reader.problem(node.line, "tenants", "this tenant has no name");
    }
    if !pairs.iter().any(|pair| ["keys", "certificates"].contains(&pair.name.as_str())) {
        let what = "no request can match this tenant; give it keys or certificates (`tersely config key` prints a key)";
        reader.problem(node.line, "tenants", what);
    }
    let origin = reader.at(node.line);
    reader.layer.tenants.push((settings, origin));
}

fn part(reader: &mut TreeReader<'_>, settings: &mut TenantSettings, pair: &Pair) {
    let names = PARTS.map(|(name, _)| name);
    if !names.contains(&pair.name.as_str()) {
        return reader.unknown(&pair.name, pair.line, names);
    }
    if let Err(what) = reader.words(&pair.node).and_then(|words| set(settings, &pair.name, &words)) {
        reader.problem(pair.line, &format!("tenants.{}", pair.name), what);
    }
}

fn set(settings: &mut TenantSettings, part: &str, words: &Words) -> Result<(), String> {
    match part {
        "name" => settings.tenant.name = name(words.one()?)?,
        "keys" => settings.keys = some(words)?.iter().map(|word| word.parse()).collect::<Result<_, _>>()?,
        "certificates" => settings.certificates = some(words)?,
        "rate" => settings.tenant.rate = count(words.one()?)?,
        _ => settings.tenant.may_ask = may_ask(words)?,
    }
    Ok(())
}

fn name(word: &str) -> Result<String, String> {
    let fits = is_plain(word) && word.len() <= MAX_NAME_BYTES;
    let what = || {
        format!(
            "{word:?} cannot be a name; use up to {MAX_NAME_BYTES} letters, digits, \".\", \"-\" and \"_\""
        )
    };
    if fits { Ok(word.to_owned()) } else { Err(what()) }
}

fn some(words: &Words) -> Result<Vec<String>, String> {
    let list = words.list();
    if list.is_empty() { Err("is empty".to_owned()) } else { Ok(list) }
}

fn may_ask(words: &Words) -> Result<MayAsk, String> {
    let list = words.list();
    match list.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["all"] => Ok(MayAsk::All),
        [] | ["none"] => Ok(MayAsk::Listed(Vec::new())),
        all => all.iter().map(|word| parse_permission(word)).collect::<Result<_, _>>().map(MayAsk::Listed),
    }
}

fn parse_permission(word: &str) -> Result<&'static str, String> {
    let known = MayAsk::NAMES.iter().find(|name| name.eq_ignore_ascii_case(word));
    let names = MayAsk::NAMES.join(", ");
    known.copied().ok_or_else(|| format!("{word:?} is neither all, none nor one of {names}"))
}

/// The conflict between a tenant and the others, if there is one.
pub(crate) fn clash(settings: &TenantSettings, others: &[TenantSettings]) -> Option<String> {
    if let Some(other) = others.iter().find(|other| other.tenant.name == settings.tenant.name) {
        return Some(format!("{} is listed twice; list all its keys in one place", other.tenant.name));
    }
    let shared = |other: &&TenantSettings| {
        other.keys.iter().any(|key| settings.keys.iter().any(|own| own.hash == key.hash))
            || other
                .certificates
                .iter()
                .any(|it| settings.certificates.iter().any(|own| own.eq_ignore_ascii_case(it)))
    };
    let other = others.iter().find(shared)?;
    Some(format!("{} has the same key or certificate as {}", settings.tenant.name, other.tenant.name))
}

/// A tenant as one line.
pub(crate) fn spell(settings: &TenantSettings) -> String {
    let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let TenantSettings { tenant: KnownTenant { name, rate, may_ask }, keys, certificates } = settings;
    let rate = if *rate > 0 { format!(", {rate} requests per second") } else { String::new() };
    let asks = match may_ask {
        MayAsk::All => String::new(),
        MayAsk::Listed(list) if list.is_empty() => ", may set nothing".to_owned(),
        MayAsk::Listed(list) => format!(", may set {}", list.join(" ")),
    };
    format!(
        "{name}: {}, {}{rate}{asks}",
        many(keys.len(), "key"),
        many(certificates.len(), "certificate name")
    )
}

/// The JSON Schema of the list.
pub(crate) fn shape() -> Value {
    let parts = PARTS.map(|(name, about)| {
        let mut part = match name {
            "name" => {
                json!({ "type": "string", "pattern": "^[A-Za-z0-9._-]+$", "maxLength": MAX_NAME_BYTES })
            }
            "rate" => number(0),
            _ => list(),
        };
        part["description"] = json!(about);
        (name.to_owned(), part)
    });
    let tenant = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name"],
        "properties": Value::Object(parts.into_iter().collect()),
    });
    json!({ "type": "array", "description": ABOUT, "items": tenant })
}

#[cfg(test)]
mod tests {
    use tersely_gateway::KeyHash;

    use super::*;

    fn settings(name: &str, key: &str, certificate: &str) -> TenantSettings {
        TenantSettings {
            tenant: KnownTenant::new(name),
            keys: vec![KeyHash::of(key.as_bytes()).into()],
            certificates: vec![certificate.to_owned()],
        }
    }

    #[test]
    fn no_two_tenants_are_the_same() {
        let one = settings("a", "1", "a.example");
        for (other, expected) in [
            (settings("b", "2", "b.example"), None),
            (settings("a", "2", "b.example"), Some("a is listed twice; list all its keys in one place")),
            (settings("b", "1", "b.example"), Some("b has the same key or certificate as a")),
            (settings("b", "2", "A.example"), Some("b has the same key or certificate as a")),
        ] {
            assert_eq!(clash(&other, std::slice::from_ref(&one)).as_deref(), expected);
        }
    }

    #[test]
    fn what_a_tenant_may_ask_is_read_by_name() {
        let read = |word: &str| may_ask(&Words::One(word.to_owned()));
        assert_eq!(read("all"), Ok(MayAsk::All));
        assert_eq!(read("none"), Ok(MayAsk::Listed(Vec::new())));
        assert_eq!(read("X-Tersely-Mode, _tersely"), Ok(MayAsk::Listed(vec!["x-tersely-mode", "_tersely"])));
        assert!(read("x-tersely-key").is_err_and(|why| why.contains("x-compression-threshold")));
    }
}

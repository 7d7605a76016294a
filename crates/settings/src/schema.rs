//! The JSON Schema of the configuration file, for editors and checks.

use serde_json::{Map, Value, json};
use tersely_engine::{ClearMode, ExpandOffer};

use super::compat::context_gateway;
use super::compat::context_gateway::{CONTEXT_GATEWAY_KEYS, CompatKind, CompatMeaning};
use super::compat::tool_discovery::{TOOL_PIPE, ToolPipeMeaning};
use super::draft::Draft;
use super::field::SettingField;
use super::key_table::{ALIASES, GROUPS, KEYS, SettingKey};
use super::shape::{list, number, words};
use super::{place, rule, server, tenant};

/// The whole schema.
#[must_use]
pub fn schema() -> Value {
    let mut properties = group("");
    for (name, about) in GROUPS.iter().filter(|(name, _)| !name.is_empty()) {
        properties.insert((*name).to_owned(), object(&group(name), about));
    }
    properties.insert("rules".to_owned(), rules());
    properties.insert("tenants".to_owned(), tenant::shape());
    let servers = Map::from_iter([("servers".to_owned(), server::shape())]);
    properties.insert("mcp".to_owned(), object(&servers, "MCP"));
    properties.insert("pipes".to_owned(), pipes());
    properties.insert(
        "providers".to_owned(),
        json!({ "type": "object", "description": "Model providers, by name. Each has api_key, auth, model and endpoint", "additionalProperties": { "type": "object" } }),
    );
    let mut schema = object(&properties, "Tersely configuration: tersely.toml or tersely.yaml");
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Tersely");
    schema
}

fn group(group: &str) -> Map<String, Value> {
    let mut draft = Draft::default();
    let mut properties = Map::new();
    for key in KEYS.iter().filter(|key| split(key.name).0 == group) {
        properties.insert(split(key.name).1.to_owned(), property(key, &mut draft));
    }
    for alias in ALIASES.iter().filter(|_| group.is_empty()) {
        properties.insert(alias.name.to_owned(), describe(number(0), alias.about));
    }
    properties
}

fn property(key: &SettingKey, draft: &mut Draft) -> Value {
    let mut property = describe(shape(key.field), key.about);
    let usual = key.field.show(draft);
    if usual != json!("") {
        property["default"] = usual;
    }
    property
}

/// The JSON Schema of a field's values.
fn shape(field: SettingField) -> Value {
    match field {
        SettingField::Address(_)
        | SettingField::Listener(_)
        | SettingField::Url(_)
        | SettingField::Proxy(_)
        | SettingField::Secret(_)
        | SettingField::Header(_)
        | SettingField::Key(_)
        | SettingField::Word(_) => {
            json!({ "type": "string" })
        }
        SettingField::Text(_)
        | SettingField::Names(_)
        | SettingField::Files(_)
        | SettingField::Origins(_)
        | SettingField::Hosts(_)
        | SettingField::Stores(_)
        | SettingField::Headers(_) => list(),
        SettingField::Plan(place) => place::shape(place),
        SettingField::Choice(_, all) => {
            words(&all.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>())
        }
        SettingField::Expand(_) => words(&ExpandOffer::NAMES),
        SettingField::Clear(_) => words(&ClearMode::NAMES),
        SettingField::Schema(_) => words(&["disabled", "minify"]),
        SettingField::Prompt(_) => words(&["auto", "toon"]),
        SettingField::Share(_) => json!({ "type": ["string", "number"], "examples": ["5%", "0.5%"] }),
        SettingField::Bytes(_) | SettingField::Count(_) => number(1),
        SettingField::Floor(_) | SettingField::Tally(_) => number(0),
        SettingField::Time(_) | SettingField::Pause(_) | SettingField::Patience(_) => {
            json!({ "type": "string", "examples": ["500ms", "30s", "5m"] })
        }
        SettingField::Switch(_) => json!({ "type": ["boolean", "string"] }),
    }
}

fn rules() -> Value {
    let part = |name: &str| match (KEYS.iter().find(|key| key.name == name), name) {
        (Some(key), _) => shape(key.field),
        (None, name) if ALIASES.iter().any(|alias| alias.name == name) => number(0),
        (None, _) => json!({ "type": "string" }),
    };
    let parts = rule::parts().into_iter();
    let parts = parts.map(|(name, about)| (name.to_owned(), describe(part(name), about)));
    let about = "Overrides for tools, routes and tenants. The last matching rule wins";
    json!({ "type": "array", "description": about, "items": object(&parts.collect(), "A rule") })
}

fn pipes() -> Value {
    let mut pipe = Map::new();
    let mut api = Map::new();
    for (name, meaning) in &CONTEXT_GATEWAY_KEYS {
        match name.strip_prefix("api.") {
            Some(name) => api.insert(name.to_owned(), compat_schema(meaning)),
            None => pipe.insert((*name).to_owned(), compat_schema(meaning)),
        };
    }
    pipe.insert("api".to_owned(), object(&api, "An external compressor"));
    let pipe = object(&pipe, "The tool_output pipe of other gateways");
    let pipes = [("tool_output".to_owned(), pipe), ("tool_discovery".to_owned(), tool_pipe())];
    object(&Map::from_iter(pipes), "The configuration format of other gateways")
}

/// The schema of `pipes.tool_discovery`, without the keys that are rejected.
fn tool_pipe() -> Value {
    let key = |(name, meaning): &(&str, ToolPipeMeaning)| {
        let shape = match meaning {
            ToolPipeMeaning::Enabled => {
                describe(json!({ "type": ["boolean", "string"] }), "`discovery.enabled`")
            }
            ToolPipeMeaning::Search => describe(json!({ "type": ["boolean", "string"] }), "Must be `true`"),
            ToolPipeMeaning::Strategy => words(&["passthrough", "relevance", "tool-search"]),
            ToolPipeMeaning::Key(key) => {
                let field = KEYS.iter().find(|known| known.name == *key)?.field;
                describe(shape(field), &format!("Same as `{key}`"))
            }
            ToolPipeMeaning::Refused(_) => return None,
        };
        Some(((*name).to_owned(), shape))
    };
    object(&TOOL_PIPE.iter().filter_map(key).collect(), "The tool_discovery pipe of other gateways")
}

fn compat_schema(meaning: &CompatMeaning) -> Value {
    match meaning {
        CompatMeaning::Enabled => {
            describe(json!({ "type": ["boolean", "string"] }), "Whether to compress tool results")
        }
        CompatMeaning::Expand => describe(
            json!({ "type": ["boolean", "string"] }),
            "Whether to omit text that the model can fetch back",
        ),
        CompatMeaning::Strategy => {
            describe(words(&context_gateway::STRATEGIES), "How to shorten results; `passthrough`: not at all")
        }
        CompatMeaning::Key(name) | CompatMeaning::Remote(name) => {
            match KEYS.iter().find(|key| key.name == *name) {
                Some(key) => describe(shape(key.field), key.about),
                None => json!({}),
            }
        }
        CompatMeaning::Nothing(kind, why) => {
            let kind = match kind {
                CompatKind::Number => json!({ "type": ["number", "string"] }),
                CompatKind::Switch => json!({ "type": ["boolean", "string"] }),
            };
            describe(kind, &format!("Ignored: {why}"))
        }
    }
}

fn object(properties: &Map<String, Value>, about: &str) -> Value {
    json!({ "type": "object", "description": about, "additionalProperties": false, "properties": properties })
}

fn describe(mut shape: Value, about: &str) -> Value {
    shape["description"] = json!(about);
    shape
}

/// A key's group, and its name within the group.
fn split(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or(("", name))
}

//! Points `OpenCode` at a gateway.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::command::run::client::{Client, Told, direct};
use crate::command::run::door::Doors;
use crate::command::run::world::World;
use crate::fault::Fault;

/// `OpenCode`.
pub(crate) struct OpenCode;

const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// Providers that it knows by itself: the address, and the variables that hold a key.
const KNOWN: [(&str, &str, &[&str]); 4] = [
    ("anthropic", "https://api.anthropic.com/v1", &["ANTHROPIC_API_KEY"]),
    ("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"]),
    (
        "google",
        "https://generativelanguage.googleapis.com/v1beta",
        &["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    ),
    ("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"]),
];

impl Client for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g opencode-ai")
    }

    /// Its configuration can be added to by a variable. Only providers that are in use are named there, for naming
    /// one makes it count as set up.
    fn point(&self, world: &World, doors: &mut Doors) -> Result<Told, Fault> {
        let mut content = said(world);
        for (provider, url) in providers(world) {
            let url = doors.open(&format!("provider.{provider}.options.baseURL"), &url)?;
            put(&mut content, &["provider", &provider, "options", "baseURL"], url);
        }
        let mut told = Told { env: direct(world), ..Told::default() };
        told.env.push((CONTENT.to_owned(), content.to_string()));
        Ok(told)
    }
}

/// What the variable says already.
fn said(world: &World) -> Value {
    world.var(CONTENT).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| json!({}))
}

/// Writes `url` at the end of a path; whatever stands in the way gives way.
fn put(place: &mut Value, path: &[&str], url: String) {
    let Some((name, rest)) = path.split_first() else {
        *place = Value::from(url);
        return;
    };
    if !place.is_object() {
        *place = json!({});
    }
    if let Value::Object(map) = place {
        put(map.entry(*name).or_insert(Value::Null), rest, url);
    }
}

/// The providers in use, each with where its requests would go.
fn providers(world: &World) -> BTreeMap<String, String> {
    let logins = World::json(&world.home("XDG_DATA_HOME", ".local/share").join("opencode/auth.json"));
    let keyed = |(name, _, keys): &&(&str, &str, &[&str])| {
        keys.iter().any(|key| world.var(key).is_some()) || logins.get(*name).is_some()
    };
    let known = KNOWN.iter().filter(keyed).map(|(name, url, _)| ((*name).to_owned(), (*url).to_owned()));
    let mut found: BTreeMap<_, _> = known.collect();
    for config in files(world).iter().map(World::json).chain([said(world)]) {
        for (name, provider) in config["provider"].as_object().into_iter().flatten() {
            let url = provider["options"]["baseURL"].as_str().filter(|url| url.contains("://"));
            found.extend(url.map(|url| (name.clone(), url.to_owned())));
        }
    }
    found
}

/// The files of settings, the one that is heard last at the end.
fn files(world: &World) -> Vec<PathBuf> {
    let own = world.home("XDG_CONFIG_HOME", ".config").join("opencode/opencode.json");
    let named = world.var("OPENCODE_CONFIG").map(PathBuf::from);
    let folders: Vec<_> = world.folder.ancestors().map(|folder| folder.join("opencode.json")).collect();
    [own].into_iter().chain(named).chain(folders.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_providers_in_use_are_named_and_the_rest_stays() {
        let vars = [
            ("HOME", "/nowhere"),
            ("OPENAI_API_KEY", "k"),
            (CONTENT, r#"{"theme":"x","provider":{"mine":{"npm":"y","options":{"baseURL":"http://h/z"}}}}"#),
        ];
        let vars = vars.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let world = World { vars, ..World::default() };
        let told = OpenCode.point(&world, &mut Doors::new(None)).expect("doors");
        let content: Value = serde_json::from_str(&told.env[0].1).expect("JSON");
        let path = |name: &str| {
            let url = content["provider"][name]["options"]["baseURL"].as_str().unwrap_or_default();
            url.splitn(4, '/').nth(3).unwrap_or_default().to_owned()
        };
        assert_eq!((path("openai").as_str(), path("mine").as_str()), ("v1", "z"));
        assert_eq!(content["provider"].as_object().map(serde_json::Map::len), Some(2));
        assert_eq!(content["provider"]["mine"]["npm"], "y");
        assert_eq!(content["theme"], "x");
    }
}

//! Points `OpenCode` at a gateway.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use tersely_gateway::Vendor;
use tersely_terminal::fault::CommandFault;

use crate::command::run::client::{Client, Told, direct};
use crate::command::run::door::Doors;
use crate::command::run::vendor::VendorPlace;
use crate::command::run::world::World;

/// `OpenCode`.
pub(crate) struct OpenCode;

const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// A provider that it knows by itself.
struct Known {
    name: &'static str,
    vendor: Option<Vendor>,
    address: &'static str,
    /// The variable that names another address, where one is read.
    variable: &'static str,
    /// The variables that hold a key.
    keys: &'static [&'static str],
}

const KNOWN: [Known; 4] = [
    Known {
        name: "anthropic",
        vendor: Some(Vendor::Anthropic),
        address: "https://api.anthropic.com/v1",
        variable: "ANTHROPIC_BASE_URL",
        keys: &["ANTHROPIC_API_KEY"],
    },
    Known {
        name: "openai",
        vendor: Some(Vendor::OpenAi),
        address: "https://api.openai.com/v1",
        variable: "OPENAI_BASE_URL",
        keys: &["OPENAI_API_KEY"],
    },
    Known {
        name: "google",
        vendor: Some(Vendor::Gemini),
        address: "https://generativelanguage.googleapis.com/v1beta",
        variable: "",
        keys: &["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    },
    Known {
        name: "openrouter",
        vendor: None,
        address: "https://openrouter.ai/api/v1",
        variable: "",
        keys: &["OPENROUTER_API_KEY"],
    },
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
    fn point(&self, world: &World, doors: &mut Doors) -> Result<Told, CommandFault> {
        let mut content = said(world);
        let mut told = Told { env: direct(world), ..Told::default() };
        for (name, place) in providers(world) {
            let key = format!("provider.{name}.options.baseURL");
            let known = KNOWN.iter().find(|known| known.name == name);
            let usual = known.map_or((None, ""), |known| (known.vendor, known.address));
            if let VendorPlace::Open(why) = &place {
                told.notes.push(format!("{key} is left alone, because {why}"));
            } else if let Some(url) = doors.lead(&key, usual, &place)? {
                put(&mut content, &["provider", &name, "options", "baseURL"], url);
            }
        }
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
fn providers(world: &World) -> BTreeMap<String, VendorPlace> {
    let logins = World::json(&world.home("XDG_DATA_HOME", ".local/share").join("opencode/auth.json"));
    let used = |known: &&Known| {
        known.keys.iter().any(|key| world.var(key).is_some()) || logins.get(known.name).is_some()
    };
    let place = |known: &Known| world.url(known.variable).map_or(VendorPlace::Usual, VendorPlace::Chosen);
    let known = KNOWN.iter().filter(used).map(|known| (known.name.to_owned(), place(known)));
    let mut found: BTreeMap<_, _> = known.collect();
    for config in files(world).iter().map(World::json).chain([said(world)]) {
        for (name, provider) in config["provider"].as_object().into_iter().flatten() {
            let url = provider["options"]["baseURL"].as_str();
            found.extend(url.map(|url| (name.clone(), written(world, url))));
        }
    }
    found
}

/// The place that a configuration names: `{env:NAME}` stands for a variable, and `{file:PATH}` for what we do not read.
fn written(world: &World, url: &str) -> VendorPlace {
    let mut pieces = url.split("{env:");
    let mut place = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('}').unwrap_or((piece, ""));
        place.push_str(world.var(name).unwrap_or_default());
        place.push_str(rest);
    }
    let reads = place.contains("://") && !place.contains('{');
    if reads { VendorPlace::Chosen(place) } else { VendorPlace::Open(format!("{url} is not an address")) }
}

/// The files of settings, the one that is heard last at the end.
fn files(world: &World) -> Vec<PathBuf> {
    let own = world.home("XDG_CONFIG_HOME", ".config").join("opencode");
    let named = world.var("OPENCODE_CONFIG").map(PathBuf::from);
    let above: Vec<_> = world.folder.ancestors().map(PathBuf::from).collect();
    let hidden = above.iter().rev().map(|folder| folder.join(".opencode"));
    let folders = hidden
        .chain([world.home("", ".opencode")])
        .chain(world.var("OPENCODE_CONFIG_DIR").map(PathBuf::from));
    let in_folder = |folder: PathBuf| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name));
    let own = [own.join("config.json")].into_iter().chain(in_folder(own));
    let project: Vec<_> = above.iter().rev().cloned().flat_map(in_folder).collect();
    own.chain(named).chain(project).chain(folders.flat_map(in_folder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_providers_in_use_are_named_and_the_rest_stays() {
        let world = World::of(&[
            ("OPENAI_API_KEY", "k"),
            (CONTENT, r#"{"theme":"x","provider":{"mine":{"npm":"y","options":{"baseURL":"http://h/z"}}}}"#),
        ]);
        let told = OpenCode.point(&world, &mut Doors::default()).expect("doors");
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

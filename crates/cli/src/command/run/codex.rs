//! Points Codex at a gateway.

use std::fs;

use serde_json::Value;
use toml::Table;

use crate::command::run::client::{Client, Told, direct};
use crate::command::run::door::Doors;
use crate::command::run::world::World;
use crate::fault::Fault;

/// Codex.
pub(crate) struct Codex;

const OPENAI: &str = "https://api.openai.com/v1";
const CHATGPT: &str = "https://chatgpt.com/backend-api/codex";

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @openai/codex")
    }

    /// The provider stays the one that is set up, so that sessions are found again; only its address changes.
    fn point(&self, world: &World, doors: &mut Doors) -> Result<Told, Fault> {
        let config = config(world);
        let provider = text(&config, "model_provider").unwrap_or("openai");
        let (key, meant) = match provider {
            "openai" => ("openai_base_url".to_owned(), openai(world, &config)),
            other => (format!("model_providers.{other}.base_url"), custom(&config, other)?),
        };
        let url = doors.open(&key, &meant)?;
        let args = vec!["-c".to_owned(), format!("{key}={}", Value::from(url))];
        Ok(Told { env: direct(world), args })
    }
}

fn config(world: &World) -> Table {
    let path = world.home("CODEX_HOME", ".codex").join("config.toml");
    fs::read_to_string(path).unwrap_or_default().parse().unwrap_or_default()
}

fn text<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(toml::Value::as_str)
}

/// Where the built-in provider's requests would go.
fn openai(world: &World, config: &Table) -> String {
    let set = text(config, "openai_base_url").map(str::to_owned).or_else(|| world.url("OPENAI_BASE_URL"));
    set.unwrap_or_else(|| if is_subscribed(world) { CHATGPT } else { OPENAI }.to_owned())
}

/// True when Codex is logged in with `ChatGPT`: such a login is good at another address than a key.
fn is_subscribed(world: &World) -> bool {
    let login = World::json(&world.home("CODEX_HOME", ".codex").join("auth.json"));
    let keyed = world.var("CODEX_API_KEY").is_some() || login["OPENAI_API_KEY"].is_string();
    login["auth_mode"] == "chatgpt" || (login["tokens"].is_object() && !keyed)
}

fn custom(config: &Table, provider: &str) -> Result<String, Fault> {
    let table = config.get("model_providers").and_then(|all| all.get(provider));
    let url = table.and_then(|it| it.get("base_url")).and_then(toml::Value::as_str);
    url.map(str::to_owned).ok_or_else(|| {
        Fault::unable(
            format!("codex uses the provider {provider}, and its configuration does not say where that is"),
            format!("write base_url under [model_providers.{provider}] in codex's config.toml"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: &str) {
        let home = std::env::temp_dir().join(format!("tersely-codex-{}", std::process::id()));
        let home = home.join(expected.len().to_string());
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).expect("a folder");
        for (name, content) in files {
            fs::write(home.join(name), content).expect("a file");
        }
        let vars = [("CODEX_HOME".to_owned(), home.display().to_string())].into();
        let world = World { vars, ..World::default() };
        let mut doors = Doors::new(None);
        let told = Codex.point(&world, &mut doors).expect("a door");
        let (key, url) = told.args[1].split_once('=').expect("a setting");
        // The port is any.
        let path =
            url.trim_start_matches("\"http://127.0.0.1:").trim_start_matches(|c: char| c.is_ascii_digit());
        assert_eq!(format!("{key} {path}"), expected);
        let _ = fs::remove_dir_all(&home);
    }

    #[test]
    fn the_address_that_would_be_used_becomes_the_upstream() {
        check(&[], "openai_base_url /v1\"");
        check(&[("auth.json", r#"{"auth_mode":"chatgpt"}"#)], "openai_base_url /backend-api/codex\"");
        let custom = "model_provider=\"x\"\n[model_providers.x]\nbase_url=\"http://h/y\"\n";
        check(&[("config.toml", custom)], "model_providers.x.base_url /y\"");
    }
}

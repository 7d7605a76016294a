//! Models of known clients, each as the real one was observed to behave.

use serde_json::{Value, json};

use crate::hosts::subsets;
use crate::hosts::town::{Home, Told, Town};

/// Writes an address to one of a client's places; returns the variable's value if it is a variable.
type Put = fn(&Home, &str, &str) -> Option<String>;

/// The places where a client looks for its address, in order of precedence.
struct Client {
    name: &'static str,
    places: &'static [(&'static str, Put)],
    args: &'static [&'static str],
    /// Its default address, and the variables and files that it needs.
    usual: &'static str,
    needs: &'static [(&'static str, &'static str)],
    files: &'static [(&'static str, &'static str)],
    /// The address that we pass with the highest precedence, and the one in a variable.
    told: fn(&Told) -> Option<String>,
    variable: &'static str,
}

/// Sets the address as the value of this variable.
#[expect(clippy::unnecessary_wraps, reason = "one of several that a table holds")]
fn variable(_: &Home, _: &str, url: &str) -> Option<String> {
    Some(url.to_owned())
}

fn settings(home: &Home, path: &str, url: &str) -> Option<String> {
    home.write(path, &json!({ "env": { "ANTHROPIC_BASE_URL": url } }).to_string());
    None
}

fn codex(home: &Home, path: &str, url: &str) -> Option<String> {
    home.write(path, &format!("openai_base_url = \"{url}\"\n"));
    None
}

fn opencode(home: &Home, path: &str, url: &str) -> Option<String> {
    let provider = json!({ "anthropic": { "options": { "baseURL": url } } });
    home.write(path, &format!("{{ // mine\n \"provider\": {provider}, }}"));
    None
}

/// A configuration that refers to the variable `MY_BASE`.
#[expect(clippy::unnecessary_wraps, reason = "one of several that a table holds")]
fn indirect(home: &Home, path: &str, url: &str) -> Option<String> {
    opencode(home, path, "{env:MY_BASE}");
    Some(url.to_owned())
}

fn env_file(home: &Home, path: &str, url: &str) -> Option<String> {
    home.write(path, &format!("export GOOGLE_GEMINI_BASE_URL='{url}'\n"));
    None
}

/// The value after an argument.
fn after<'t>(told: &'t Told, arg: &str) -> Option<&'t str> {
    let at = told.args.iter().position(|it| it == arg)?;
    told.args.get(at + 1).map(String::as_str)
}

fn claude_told(told: &Told) -> Option<String> {
    let settings: Value = serde_json::from_str(after(told, "--settings")?).ok()?;
    settings["env"]["ANTHROPIC_BASE_URL"].as_str().map(str::to_owned)
}

fn codex_told(told: &Told) -> Option<String> {
    let url = after(told, "-c")?.strip_prefix("openai_base_url=")?;
    serde_json::from_str(url).ok()
}

fn opencode_told(told: &Told) -> Option<String> {
    let content: Value = serde_json::from_str(told.vars.get("OPENCODE_CONFIG_CONTENT")?).ok()?;
    content["provider"]["anthropic"]["options"]["baseURL"].as_str().map(str::to_owned)
}

const CLAUDE: Client = Client {
    name: "claude",
    places: &[
        ("project/.claude/settings.local.json", settings),
        ("project/.claude/settings.json", settings),
        (".claude/settings.json", settings),
        ("ANTHROPIC_BASE_URL", variable),
    ],
    args: &["-p", "hi"],
    usual: "https://api.anthropic.com",
    needs: &[("ANTHROPIC_API_KEY", "fake")],
    files: &[],
    told: claude_told,
    variable: "ANTHROPIC_BASE_URL",
};

/// The current Codex: it ignores the variable.
const CODEX: Client = Client {
    name: "codex",
    places: &[(".codex/p.config.toml", codex), (".codex/config.toml", codex)],
    args: &["exec", "-p", "p", "hi"],
    usual: "https://api.openai.com/v1",
    needs: &[("CODEX_API_KEY", "fake"), ("OPENAI_API_BASE", "http://127.0.0.1:1/v1")],
    files: &[],
    told: codex_told,
    variable: "",
};

/// An older Codex, which reads the variable.
const HEEDFUL: Client = Client {
    places: &[(".codex/config.toml", codex), ("OPENAI_BASE_URL", variable)],
    args: &["exec", "hi"],
    variable: "OPENAI_BASE_URL",
    ..CODEX
};

/// The current Codex, with the variable set for other programs.
const HEEDLESS: Client = Client { needs: &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")], ..CODEX };

const SUBSCRIBED: Client = Client {
    usual: "https://chatgpt.com/backend-api/codex",
    needs: &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")],
    files: &[(".codex/auth.json", r#"{"auth_mode":"chatgpt","tokens":{}}"#)],
    ..CODEX
};

const OPENCODE: Client = Client {
    name: "opencode",
    places: &[
        ("project/.opencode/opencode.json", opencode),
        ("project/opencode.jsonc", opencode),
        ("project/opencode.json", opencode),
        (".config/opencode/opencode.json", opencode),
        ("ANTHROPIC_BASE_URL", variable),
    ],
    args: &["run", "hi"],
    usual: "https://api.anthropic.com/v1",
    needs: &[("ANTHROPIC_API_KEY", "fake")],
    files: &[],
    told: opencode_told,
    variable: "ANTHROPIC_BASE_URL",
};

const GEMINI: Client = Client {
    name: "gemini",
    places: &[
        ("GOOGLE_GEMINI_BASE_URL", variable),
        ("project/.gemini/.env", env_file),
        (".gemini/.env", env_file),
    ],
    args: &["-p", "hi"],
    usual: "https://generativelanguage.googleapis.com",
    needs: &[("GEMINI_API_KEY", "fake")],
    files: &[(
        ".gemini/settings.json",
        "{ /* mine */ \"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}",
    )],
    told: |_| None,
    variable: "GOOGLE_GEMINI_BASE_URL",
};

impl Client {
    /// Checks every subset of its places: requests go where they would without us.
    fn check(&self, test: &str) {
        let mut town = Town::new(test);
        for set in subsets(self.places.len()) {
            self.look(&mut town, &set);
        }
    }

    fn look(&self, town: &mut Town, set: &[bool]) {
        let home = town.home();
        self.files.iter().for_each(|(path, content)| home.write(path, content));
        let mut vars: Vec<_> =
            self.needs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let chosen: Vec<_> =
            self.places.iter().zip(set).filter(|(_, set)| **set).map(|(place, _)| place).collect();
        for (name, put) in &chosen {
            let url = format!("{}/x", town.url(name));
            vars.extend(put(&home, name, &url).map(|value| (Self::named(name).to_owned(), value)));
        }
        let alone = chosen.first().map_or_else(|| town.lands(self.usual), |(name, _)| (*name).to_owned());
        town.run(&home, &[&[self.name], self.args].concat(), &vars, |told| {
            // Our argument comes first, then files, then variables; for Gemini, variables come before files.
            let said = (self.told)(&told).or_else(|| told.vars.get(self.variable).cloned());
            let lands = said.map_or_else(|| alone.clone(), |url| town.lands(&url));
            assert_eq!(
                lands,
                alone,
                "{} with {:?}",
                self.name,
                chosen.iter().map(|it| it.0).collect::<Vec<_>>()
            );
        });
    }

    /// The variable of a place: its own name, or `MY_BASE` for a file that refers to one.
    fn named(place: &'static str) -> &'static str {
        if place.contains('/') { "MY_BASE" } else { place }
    }
}

#[test]
fn claude_goes_where_it_goes_by_itself() {
    CLAUDE.check("claude");
}

#[test]
fn codex_goes_where_it_goes_by_itself() {
    for (test, client) in
        [("codex", CODEX), ("heedful", HEEDFUL), ("heedless", HEEDLESS), ("subscribed", SUBSCRIBED)]
    {
        client.check(test);
    }
}

#[test]
fn opencode_goes_where_it_goes_by_itself() {
    OPENCODE.check("opencode");
    let places = &[("project/opencode.json", indirect as Put), ("ANTHROPIC_BASE_URL", variable)];
    Client { places, ..OPENCODE }.check("opencode-indirect");
}

#[test]
fn gemini_goes_where_it_goes_by_itself() {
    GEMINI.check("gemini");
}

//! Points `OpenCode` and its fork Kilo Code at a gateway.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, ClientSettings, LaunchOptions, direct};
use crate::clients::default_endpoints::usual;
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::planted_address::PlantedAddress;
use crate::clients::vendor::{VendorPlace, VendorVariables};
use crate::edit::SettingPlace;

/// `OpenCode` or a fork of it.
pub(super) struct OpenCode {
    name: &'static str,
    install: &'static str,
    /// The prefix of its variables.
    prefix: &'static str,
    /// The name of its folders.
    folder: &'static str,
    /// The names of its settings files.
    files: &'static [&'static str],
    /// The service of its vendor.
    service: &'static [VendorVariables],
}

/// `OpenCode`.
pub(super) const OPENCODE: OpenCode = OpenCode {
    name: "opencode",
    install: "npm install -g opencode-ai",
    prefix: "OPENCODE",
    folder: "opencode",
    files: &["opencode.json", "opencode.jsonc"],
    service: &[],
};

/// Kilo Code.
pub(super) const KILO: OpenCode = OpenCode {
    name: "kilo",
    install: "npm install -g @kilocode/cli",
    prefix: "KILO",
    folder: "kilo",
    files: &["opencode.json", "opencode.jsonc", "kilo.json", "kilo.jsonc"],
    service: &[VendorVariables {
        provider: None,
        usual: "https://api.kilo.ai",
        names: &["KILO_API_URL"],
        kin: &[],
        key: None,
    }],
};

/// A provider that is supported without configuration.
struct BuiltinProvider {
    name: &'static str,
    /// The variable for another address; empty if there is none.
    variable: &'static str,
    /// The variables for an API key.
    keys: &'static [&'static str],
}

const KNOWN: [BuiltinProvider; 4] = [
    BuiltinProvider { name: "anthropic", variable: "ANTHROPIC_BASE_URL", keys: &["ANTHROPIC_API_KEY"] },
    BuiltinProvider { name: "openai", variable: "OPENAI_BASE_URL", keys: &["OPENAI_API_KEY"] },
    BuiltinProvider {
        name: "google",
        variable: "",
        keys: &["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    },
    BuiltinProvider { name: "openrouter", variable: "", keys: &["OPENROUTER_API_KEY"] },
];

impl Client for OpenCode {
    fn name(&self) -> &'static str {
        self.name
    }

    fn install(&self) -> Option<&'static str> {
        Some(self.install)
    }

    fn planted_addresses(&self, environment: &ClientEnvironment) -> Vec<PlantedAddress> {
        let mut found = BTreeMap::new();
        for file in self.files(environment) {
            let is_planted = environment.foreign().any(|folder| self.project_files(folder).contains(&file));
            for (name, provider) in
                ClientEnvironment::json(&file)["provider"].as_object().into_iter().flatten()
            {
                if let Some(url) = provider["options"]["baseURL"].as_str() {
                    let address = is_planted.then(|| PlantedAddress::new(file.clone(), url));
                    found.insert(name.clone(), address);
                }
            }
        }
        for (name, provider) in self.config_content(environment)["provider"].as_object().into_iter().flatten()
        {
            if provider["options"]["baseURL"].is_string() {
                found.remove(name);
            }
        }
        found.into_values().flatten().collect()
    }

    /// A variable adds to the configuration. Only providers in use are listed there, because a listed provider counts
    /// as configured.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let mut content = self.config_content(environment);
        let mut launch = LaunchOptions { env: direct(environment), ..LaunchOptions::default() };
        for (name, place) in self.providers(environment) {
            let key = format!("provider.{name}.options.baseURL");
            if let VendorPlace::Open(why) = &place {
                launch.notes.push(format!("{key} is left unchanged, because {why}"));
            } else if let Some(url) = endpoints.lead(&key, usual(&name).unwrap_or((None, "")), &place)? {
                put(&mut content, &["provider", &name, "options", "baseURL"], url);
            }
        }
        for vendor in self.service {
            for name in vendor.names {
                launch.variable(endpoints, vendor, name, &vendor.place(name, environment))?;
            }
        }
        launch.env.push((self.variable("CONFIG_CONTENT"), content.to_string()));
        Ok(launch)
    }

    /// Lists only providers in use, because a listed provider counts as configured, and only those whose requests the
    /// gateway can route.
    fn settings(&self, environment: &ClientEnvironment, url: &str) -> Result<ClientSettings, String> {
        if ["CONFIG_DIR", "CONFIG_CONTENT"].iter().any(|name| environment.var(&self.variable(name)).is_some())
        {
            return Err("an environment variable adds to its configuration".to_owned());
        }
        let (mut addresses, mut notes) = (Vec::new(), Vec::new());
        for (name, place) in self.providers(environment) {
            let known = usual(&name).filter(|(vendor, _)| vendor.is_some());
            let wanted = known.map(|(_, address)| format!("{url}{}", path(address)));
            let is_ours = |chosen: &String| Some(chosen) == wanted.as_ref();
            let is_free = matches!(&place, VendorPlace::Usual)
                || matches!(&place, VendorPlace::Chosen(url) if is_ours(url));
            match wanted {
                Some(wanted) if is_free => {
                    addresses.push(SettingPlace::new(&["provider", &name, "options", "baseURL"], wanted));
                }
                _ => notes.push(format!("{}: requests to {name} do not go through tersely", self.name)),
            }
        }
        if addresses.is_empty() {
            return Err("found no key or login of a provider that tersely knows".to_owned());
        }
        let own = environment.home("XDG_CONFIG_HOME", ".config").join(self.folder);
        let named = environment.var(&self.variable("CONFIG")).map(PathBuf::from);
        let mut known = self.files.iter().chain(&["config.json"]).map(|name| own.join(name));
        let file = named.or_else(|| known.find(|file| file.exists()));
        let file = file.unwrap_or_else(|| own.join(format!("{}.json", self.name)));
        Ok(ClientSettings { file, addresses, beside: Vec::new(), notes })
    }
}

/// The path of a URL.
fn path(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or("", |at| &url[host + at..])
}

impl OpenCode {
    fn variable(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    /// The configuration that the variable already contains.
    fn config_content(&self, environment: &ClientEnvironment) -> Value {
        environment
            .var(&self.variable("CONFIG_CONTENT"))
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(|| json!({}))
    }

    /// The providers in use, each with its address.
    fn providers(&self, environment: &ClientEnvironment) -> BTreeMap<String, VendorPlace> {
        let logins = ClientEnvironment::json(
            &environment.home("XDG_DATA_HOME", ".local/share").join(self.folder).join("auth.json"),
        );
        let used = |known: &&BuiltinProvider| {
            known.keys.iter().any(|key| environment.var(key).is_some()) || logins.get(known.name).is_some()
        };
        let place = |known: &BuiltinProvider| {
            environment.url(known.variable).map_or(VendorPlace::Usual, VendorPlace::Chosen)
        };
        let known = KNOWN.iter().filter(used).map(|known| (known.name.to_owned(), place(known)));
        let mut found: BTreeMap<_, _> = known.collect();
        for config in self
            .files(environment)
            .iter()
            .map(|file| ClientEnvironment::json(file))
            .chain([self.config_content(environment)])
        {
            for (name, provider) in config["provider"].as_object().into_iter().flatten() {
                let url = provider["options"]["baseURL"].as_str();
                found.extend(url.map(|url| (name.clone(), expand_env(environment, url))));
            }
        }
        found
    }

    /// The settings files that a project may contain.
    fn project_files(&self, folder: &Path) -> Vec<PathBuf> {
        let hidden = folder.join(format!(".{}", self.folder));
        self.files.iter().flat_map(|name| [folder.join(name), hidden.join(name)]).collect()
    }

    /// The settings files, lowest precedence first.
    fn files(&self, environment: &ClientEnvironment) -> Vec<PathBuf> {
        let own = environment.home("XDG_CONFIG_HOME", ".config").join(self.folder);
        let named = environment.var(&self.variable("CONFIG")).map(PathBuf::from);
        let above: Vec<_> = environment.folder.ancestors().map(PathBuf::from).collect();
        let hidden = above.iter().rev().map(|folder| folder.join(format!(".{}", self.folder)));
        let folders = hidden
            .chain([environment.home("", &format!(".{}", self.folder))])
            .chain(environment.var(&self.variable("CONFIG_DIR")).map(PathBuf::from));
        let in_folder = |folder: PathBuf| self.files.iter().map(move |name| folder.join(name));
        let own = [own.join("config.json")].into_iter().chain(in_folder(own));
        let project: Vec<_> = above.iter().rev().cloned().flat_map(in_folder).collect();
        own.chain(named).chain(project).chain(folders.flat_map(in_folder)).collect()
    }
}

/// Stores `url` at the end of a path, and replaces any value on the path that is not an object.
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

/// The address in a configuration. `{env:NAME}` is replaced with the value of a variable; `{file:PATH}` is not read.
fn expand_env(environment: &ClientEnvironment, url: &str) -> VendorPlace {
    let mut pieces = url.split("{env:");
    let mut place = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('}').unwrap_or((piece, ""));
        place.push_str(environment.var(name).unwrap_or_default());
        place.push_str(rest);
    }
    let reads = place.contains("://") && !place.contains('{');
    if reads { VendorPlace::Chosen(place) } else { VendorPlace::Open(format!("{url} is not an address")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_providers_in_use_are_named_and_the_rest_stays() {
        let environment = ClientEnvironment::of(&[
            ("OPENAI_API_KEY", "k"),
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"theme":"x","provider":{"mine":{"npm":"y","options":{"baseURL":"http://h/z"}}}}"#,
            ),
        ]);
        let launch = OPENCODE.point(&environment, &mut LocalEndpoints::default()).expect("doors");
        let content: Value = serde_json::from_str(&launch.env[0].1).expect("JSON");
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

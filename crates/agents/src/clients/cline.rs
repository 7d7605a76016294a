//! Points Cline's command line at a gateway.

use std::path::PathBuf;

use serde_json::Value;
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions, direct};
use crate::clients::default_endpoints;
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;

/// Cline's command line.
pub(super) struct Cline;

/// The variable for the path of Cline's providers file.
const FILE: &str = "CLINE_PROVIDER_SETTINGS_PATH";

/// The variable that chooses which process sends requests to the model: the started process, or a background process
/// that outlives it and does not see its variables.
const BACKEND: &str = "CLINE_SESSION_BACKEND_MODE";

/// Commands that send nothing to a model, or that write the providers file.
const OTHER: [&str; 5] = ["auth", "config", "mcp", "doctor", "update"];

impl Client for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g cline")
    }

    /// A variable makes Cline read another providers file: a copy of the user's own, with local addresses. Anything
    /// that Cline writes to the copy is lost, so a provider that stores a login there is refused.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let mut launch = LaunchOptions { env: direct(environment), ..LaunchOptions::default() };
        if environment.runs(&OTHER) {
            return Ok(launch);
        }
        if environment.option("--config", "--data-dir").next().is_some() {
            launch
                .notes
                .push("cline was started with a settings folder, which tersely does not change".to_owned());
            return Ok(launch);
        }
        let file = file(environment);
        let mut settings = ClientEnvironment::json(&file);
        let used = environment
            .option("-P", "--provider")
            .next_back()
            .or_else(|| settings["lastUsedProvider"].as_str());
        let login = used.filter(|name| settings["providers"][*name]["settings"]["auth"].is_object());
        if let Some(name) = login {
            return Err(CommandFault::unable(
                format!(
                    "cline is logged in to {name}, and stores that login in the file that tersely would have to replace"
                ),
                "choose a provider with an API key (cline auth, or -P NAME), or start cline without tersely",
            ));
        }
        if lead(&mut settings, endpoints)? {
            let path = launch.file("providers.json", &settings.to_string())?;
            launch.env.extend([(FILE.to_owned(), path), (BACKEND.to_owned(), "local".to_owned())]);
        } else {
            launch
                .notes
                .push(format!("{} has no provider with an address that tersely knows", file.display()));
        }
        Ok(launch)
    }
}

/// The path of the providers file.
fn file(environment: &ClientEnvironment) -> PathBuf {
    let data = || environment.home("CLINE_DIR", ".cline").join("data");
    let data = || environment.var("CLINE_DATA_DIR").map_or_else(data, PathBuf::from);
    environment.var(FILE).map_or_else(|| data().join("settings/providers.json"), PathBuf::from)
}

/// Puts local addresses into a providers file. False if no provider in it has an address that can be replaced.
fn lead(settings: &mut Value, endpoints: &mut LocalEndpoints) -> Result<bool, CommandFault> {
    let providers = settings.get_mut("providers").and_then(Value::as_object_mut);
    let mut found = false;
    for (name, provider) in providers.into_iter().flatten() {
        if let Some(table) = provider.get_mut("settings").and_then(Value::as_object_mut) {
            found |= default_endpoints::lead(endpoints, name, table, "baseUrl")?;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const KEYS: &str = r#"{"version":1,"lastUsedProvider":"anthropic","providers":{
        "anthropic":{"settings":{"provider":"anthropic","apiKey":"k"}},
        "cline":{"settings":{"provider":"cline","auth":{"refreshToken":"r"}}},
        "mine":{"settings":{"provider":"mine","baseUrl":"http://h/v1"}}}}"#;

    #[test]
    fn providers_lead_to_doors_and_the_process_asks_by_itself() {
        let (mut environment, home) =
            ClientEnvironment::with_home("cline", &[(".cline/data/settings/providers.json", KEYS)]);
        let mut endpoints = LocalEndpoints::default();
        let launch = Cline.point(&environment, &mut endpoints).expect("doors");
        assert_eq!((launch.env[0].0.as_str(), launch.env[1].0.as_str()), (FILE, BACKEND));
        let text = endpoints.resolve(&fs::read_to_string(&launch.env[0].1).expect("a file"));
        assert!(text.contains(r#""apiKey":"k","baseUrl":"https://api.anthropic.com/v1"}"#), "{text}");
        assert!(
            text.contains(r#""cline":{"settings":{"provider":"cline","auth":{"refreshToken":"r"}}}"#),
            "{text}"
        );
        assert!(text.contains(r#""baseUrl":"http://h/v1"}"#), "{text}");
        environment.args = vec!["-P".to_owned(), "cline".to_owned()];
        assert!(Cline.point(&environment, &mut LocalEndpoints::default()).is_err());
        environment.args = vec!["auth".to_owned()];
        assert!(
            Cline
                .point(&environment, &mut LocalEndpoints::default())
                .is_ok_and(|launch| launch.env.is_empty())
        );
        drop(home);
    }
}

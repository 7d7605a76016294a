//! Points Qwen Code at a gateway.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions};
use crate::clients::default_endpoints;
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::{ANTHROPIC, OPENAI, VendorVariables};

/// Qwen Code.
pub(super) struct Qwen;

/// The variables for the paths of the machine's settings files: the first file overrides all other settings, and all
/// other settings override the second.
const MACHINE: &str = "QWEN_CODE_SYSTEM_SETTINGS_PATH";
const DEFAULTS: &str = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";

const FOLDER: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/QwenCode" } else { "/etc/qwen-code" };

/// Qwen Code uses the address to decide which provider is meant, so an address is replaced only if it is already set.
const VENDORS: [VendorVariables; 2] = [
    VendorVariables { usual: "", names: &["OPENAI_BASE_URL"], ..OPENAI },
    VendorVariables { usual: "", ..ANTHROPIC },
];

impl Client for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @qwen-code/qwen-code")
    }

    /// Models in the user's settings have addresses that no variable overrides. The machine's settings override all
    /// others, and a variable contains the path of that file. So the variable is set to a file with the user's models
    /// and local addresses.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let mut launch = LaunchOptions::variables(environment, endpoints, &VENDORS)?;
        let path =
            environment.var(MACHINE).map_or_else(|| Path::new(FOLDER).join("settings.json"), PathBuf::from);
        let mut machine = ClientEnvironment::json(&path);
        let own = ClientEnvironment::json(&environment.home("QWEN_HOME", ".qwen").join("settings.json"));
        let mut models = Some(machine["modelProviders"].take())
            .filter(Value::is_object)
            .unwrap_or_else(|| own["modelProviders"].clone());
        if !lead(&mut models, endpoints)? {
            return Ok(launch);
        }
        // Qwen Code itself asks the user whether to trust a project's settings.
        if ClientEnvironment::json(&environment.folder.join(".qwen/settings.json"))["modelProviders"]
            .is_object()
        {
            launch.notes.push(
                "modelProviders is left unchanged, because this folder's .qwen/settings.json has its own"
                    .to_owned(),
            );
            return Ok(launch);
        }
        if !machine.is_object() {
            machine = Value::Object(serde_json::Map::new());
        }
        machine["modelProviders"] = models;
        let file = launch.file("settings.json", &machine.to_string())?;
        let defaults = path.with_file_name("system-defaults.json").display().to_string();
        let defaults = environment.var(DEFAULTS).map_or(defaults, str::to_owned);
        launch.env.extend([(MACHINE.to_owned(), file), (DEFAULTS.to_owned(), defaults)]);
        Ok(launch)
    }
}

/// Puts local addresses into the lists of models of each provider. False if no model has an address that can be
/// replaced.
fn lead(providers: &mut Value, endpoints: &mut LocalEndpoints) -> Result<bool, CommandFault> {
    let mut found = false;
    for (name, models) in providers.as_object_mut().into_iter().flatten() {
        for model in models.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            let has_address = model.get("baseUrl").is_some_and(Value::is_string);
            found |= has_address && default_endpoints::lead(endpoints, name, model, "baseUrl")?;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn models_of_the_settings_lead_to_doors() {
        let settings = r#"{"modelProviders":{"openai":[{"id":"a","baseUrl":"http://h/v1","envKey":"K"},{"id":"b"}]},"x":1}"#;
        let (mut environment, home) = ClientEnvironment::with_home(
            "qwen",
            &[(".qwen/settings.json", settings), ("machine.json", r#"{"y":2}"#)],
        );
        let machine = format!("{}/machine.json", environment.vars["HOME"]);
        environment.vars.insert(MACHINE.to_owned(), machine.clone());
        let mut endpoints = LocalEndpoints::default();
        let launch = Qwen.point(&environment, &mut endpoints).expect("doors");
        let text = endpoints.resolve(&fs::read_to_string(&launch.env[0].1).expect("a file"));
        assert_eq!(
            text,
            r#"{"y":2,"modelProviders":{"openai":[{"id":"a","baseUrl":"http://h/v1","envKey":"K"},{"id":"b"}]}}"#
        );
        assert_eq!(launch.env[1].1, machine.replace("machine", "system-defaults"));
        drop(home);
    }

    #[test]
    fn only_variables_that_are_set_are_changed() {
        let mut endpoints = LocalEndpoints::default();
        assert!(
            Qwen.point(&ClientEnvironment::of(&[]), &mut endpoints).is_ok_and(|launch| launch.env.is_empty())
        );
        let launch = Qwen
            .point(&ClientEnvironment::of(&[("OPENAI_BASE_URL", "http://h/v1")]), &mut endpoints)
            .expect("a door");
        assert_eq!(launch.env.len(), 1);
        assert_eq!(
            (launch.env[0].0.as_str(), endpoints.resolve(&launch.env[0].1).as_str()),
            ("OPENAI_BASE_URL", "http://h/v1")
        );
    }
}

//! Points Continue's `cn` at a gateway.

use serde_json::Value;
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions};
use crate::clients::default_endpoints;
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::{GEMINI, VendorVariables};

/// Continue's command line.
pub(super) struct Cn;

impl Client for Cn {
    fn name(&self) -> &'static str {
        "cn"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @continuedev/cli")
    }

    /// An argument makes `cn` read another settings file: a copy of the user's own, with local addresses. The copy is
    /// JSON, which is also valid YAML. For Gemini, `cn` reads the address only from a variable, never from a file.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let file = environment.home("CONTINUE_GLOBAL_DIR", ".continue").join("config.yaml");
        let mut config = ClientEnvironment::yaml(&file);
        let mut models = config["models"].as_array().into_iter().flatten();
        let is_gemini = models.any(|model| model["provider"] == "gemini");
        let vendors: &[VendorVariables] = if is_gemini { &[GEMINI] } else { &[] };
        let mut launch = LaunchOptions::variables(environment, endpoints, vendors)?;
        if environment.option("--config", "--config").next().is_some() {
            launch.notes.push(format!(
                "cn uses the file that --config names; without --config, the models in {} go through tersely",
                file.display()
            ));
        } else if lead(&mut config, endpoints)? {
            let path = launch.file("config.yaml", &config.to_string())?;
            launch.args = vec!["--config".to_owned(), path];
        } else {
            launch
                .notes
                .push(format!("{} has no model with an address that tersely can read", file.display()));
        }
        Ok(launch)
    }
}

/// Puts local addresses into a configuration. False if no model in it has an address that can be replaced.
fn lead(config: &mut Value, endpoints: &mut LocalEndpoints) -> Result<bool, CommandFault> {
    let models = config.get_mut("models").and_then(Value::as_array_mut);
    let mut found = false;
    for model in models.into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(provider) = model.get("provider").and_then(Value::as_str).map(str::to_owned) {
            found |= default_endpoints::lead(endpoints, &provider, model, "apiBase")?;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn models_lead_to_doors_and_the_rest_stays() {
        let config = "name: mine\nmodels:\n  - provider: anthropic\n    apiKey: '1'\n  - provider: vllm\n    apiBase: http://h/v1/\n    \
                      maxTokens: 9\n  - uses: some/one\nrules: [be brief]\n";
        let (environment, home) = ClientEnvironment::with_home("cn", &[(".continue/config.yaml", config)]);
        let mut endpoints = LocalEndpoints::default();
        let launch = Cn.point(&environment, &mut endpoints).expect("doors");
        assert!(launch.args[0] == "--config" && launch.env.is_empty(), "{launch:?}");
        let text = endpoints.resolve(&fs::read_to_string(&launch.args[1]).expect("a file"));
        assert_eq!(
            text,
            r#"{"name":"mine","models":[{"provider":"anthropic","apiKey":"1","apiBase":"https://api.anthropic.com/v1"},{"provider":"vllm","apiBase":"http://h/v1/","maxTokens":9},{"uses":"some/one"}],"rules":["be brief"]}"#
        );
        drop(home);
    }

    #[test]
    fn gemini_is_told_by_a_variable() {
        let config = "models:\n  - provider: gemini\n    apiKey: k\n";
        let (environment, home) =
            ClientEnvironment::with_home("cn-gemini", &[(".continue/config.yaml", config)]);
        let mut endpoints = LocalEndpoints::default();
        let launch = Cn.point(&environment, &mut endpoints).expect("doors");
        assert_eq!(launch.env[0].0, "GOOGLE_GEMINI_BASE_URL");
        assert_eq!(endpoints.resolve(&launch.env[0].1), "https://generativelanguage.googleapis.com");
        drop(home);
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for (environment, home) in [
            ClientEnvironment::with_home("cn-none", &[]),
            ClientEnvironment::with_home("cn-odd", &[(".continue/config.yaml", "models: [a")]),
        ] {
            let launch = Cn.point(&environment, &mut LocalEndpoints::default()).expect("nothing");
            assert!(launch.args.is_empty() && launch.notes.len() == 1, "{launch:?}");
            drop(home);
        }
    }
}

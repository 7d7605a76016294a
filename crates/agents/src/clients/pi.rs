//! Points pi at a gateway.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tersely_gateway::Vendor;
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions, direct};
use crate::clients::default_endpoints::usual;
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::VendorPlace;

/// pi.
pub(super) struct Pi;

/// Commands that send nothing to a model and do not accept an extension.
const OTHER: [&str; 6] = ["install", "remove", "uninstall", "update", "list", "config"];

/// Providers that pi supports, in addition to those of the shared table.
const KNOWN: [(&str, Option<Vendor>, &str); 6] = [
    ("anthropic", Some(Vendor::Anthropic), "https://api.anthropic.com"),
    ("openai-codex", None, "https://chatgpt.com/backend-api"),
    ("deepseek", None, "https://api.deepseek.com"),
    ("groq", None, "https://api.groq.com/openai/v1"),
    ("xai", None, "https://api.x.ai/v1"),
    ("zai", None, "https://api.z.ai/api/coding/paas/v4"),
];

impl Client for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @mariozechner/pi-coding-agent")
    }

    /// An extension can change the address of a provider and nothing else about it. It is written as a `CommonJS` module:
    /// pi stores a copy of any other kind in the temporary folder, including the local addresses.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let mut launch = LaunchOptions { env: direct(environment), ..LaunchOptions::default() };
        if environment.runs(&OTHER) {
            return Ok(launch);
        }
        let file = environment.home("PI_CODING_AGENT_DIR", ".pi/agent").join("models.json");
        let mut places = BTreeMap::new();
        for name in ["openai", "google", "openrouter"] {
            places.extend(usual(name).map(|usual| (name.to_owned(), (usual, VendorPlace::Usual))));
        }
        for (name, vendor, address) in KNOWN {
            places.insert(name.to_owned(), ((vendor, address), VendorPlace::Usual));
        }
        for (name, provider) in ClientEnvironment::json(&file)["providers"].as_object().into_iter().flatten()
        {
            if has_own_places(provider) {
                launch.notes.push(format!(
                    "{name} is left unchanged, because its models have addresses of their own"
                ));
                places.remove(name);
            } else if let Some(url) = provider["baseUrl"].as_str() {
                places.insert(name.clone(), ((None, ""), VendorPlace::Chosen(url.to_owned())));
            }
        }
        let mut urls = BTreeMap::new();
        for (name, (usual, place)) in places {
            urls.extend(endpoints.lead(&name, usual, &place)?.map(|url| (name, url)));
        }
        let path = launch.file("tersely.cjs", &extension(&json!(urls)))?;
        launch.args = vec!["-e".to_owned(), path];
        Ok(launch)
    }
}

fn has_own_places(provider: &Value) -> bool {
    provider["models"].as_array().into_iter().flatten().any(|model| model["baseUrl"].is_string())
}

fn extension(urls: &Value) -> String {
    format!(
        "const urls = {urls};\n\
         module.exports = (pi) => {{\n  \
           for (const [name, baseUrl] of Object.entries(urls)) pi.registerProvider(name, {{ baseUrl }});\n\
         }};\n"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The extension that is passed to pi, with every local endpoint replaced by its upstream.
    fn models_file(environment: &ClientEnvironment) -> String {
        let mut endpoints = LocalEndpoints::default();
        let launch = Pi.point(environment, &mut endpoints).expect("doors");
        launch
            .args
            .get(1)
            .map_or(String::new(), |path| endpoints.resolve(&fs::read_to_string(path).expect("a file")))
    }

    #[test]
    fn every_provider_keeps_its_own_address_behind_a_door() {
        let models = r#"{"providers":{
            "openai":{"baseUrl":"http://h/v1"},
            "mine":{"baseUrl":"http://mine/x","models":[{"id":"a"}]},
            "apart":{"baseUrl":"http://apart","models":[{"id":"a","baseUrl":"http://b"}]}}}"#;
        let (mut environment, home) =
            ClientEnvironment::with_home("pi", &[(".pi/agent/models.json", models)]);
        let said_all = models_file(&environment);
        for expected in [
            r#""anthropic":"https://api.anthropic.com","#,
            r#""openai":"http://h/v1","#,
            r#""mine":"http://mine/x","#,
            r#""google":"https://generativelanguage.googleapis.com/v1beta","#,
        ] {
            assert!(said_all.contains(expected), "{expected} in {said_all}");
        }
        assert!(!said_all.contains("apart"), "{said_all}");
        assert!(
            said_all.contains("module.exports = (pi) =>") && !said_all.contains("export default"),
            "{said_all}"
        );
        environment.args = vec!["install".to_owned(), "npm:x".to_owned()];
        assert_eq!(models_file(&environment), "");
        drop(home);
    }
}

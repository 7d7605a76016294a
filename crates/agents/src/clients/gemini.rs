//! Points Gemini CLI at a gateway.

use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, ClientSettings, LaunchOptions};
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::{CODE_ASSIST, GEMINI};

/// Gemini CLI.
pub(super) struct GeminiCli;

const BASE: &str = "GOOGLE_GEMINI_BASE_URL";

/// Variables that decide how to log in, if one of them is set.
const CHOSEN: [&str; 3] = [BASE, "GOOGLE_GENAI_USE_GCA", "GOOGLE_GENAI_USE_VERTEXAI"];

impl Client for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @google/gemini-cli")
    }

    /// An API key and a Google login are used at different servers.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let launch = LaunchOptions::variables(environment, endpoints, &[GEMINI, CODE_ASSIST])?;
        if launch.env.iter().any(|(name, _)| name == BASE) && is_undecided(environment) {
            return Err(CommandFault::unable(
                "with another base URL, gemini does not accept an API key as a login by itself",
                r#"write {"security":{"auth":{"selectedType":"gemini-api-key"}}} into ~/.gemini/settings.json"#,
            ));
        }
        Ok(launch)
    }

    /// Gemini CLI reads the address only from files of variables, and only from the first one that it finds.
    fn settings(&self, _world: &ClientEnvironment, _url: &str) -> Result<ClientSettings, String> {
        Err("it reads the address from a .env file, and a project's .env file would override yours"
            .to_owned())
    }
}

/// True if only an API key decides how to log in. Setting the address would then select another login method, which
/// Gemini CLI refuses without a terminal.
fn is_undecided(environment: &ClientEnvironment) -> bool {
    let files = [environment.home("GEMINI_CLI_HOME", "").join(".gemini"), environment.folder.join(".gemini")];
    let chosen = |folder: &std::path::PathBuf| {
        ClientEnvironment::json(&folder.join("settings.json"))["security"]["auth"]["selectedType"].is_string()
    };
    let said = CHOSEN.iter().any(|name| environment.var(name).is_some());
    environment.var("GEMINI_API_KEY").is_some() && !said && !files.iter().any(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(vars: &[(&str, &str)], works: bool) {
        let launch = GeminiCli.point(&ClientEnvironment::of(vars), &mut LocalEndpoints::default());
        assert_eq!(launch.is_ok(), works, "{launch:?}");
    }

    #[test]
    fn a_key_alone_is_not_enough() {
        check(&[("GEMINI_API_KEY", "k")], false);
        check(&[("GEMINI_API_KEY", "k"), (BASE, "http://h")], true);
        check(&[], true);
        check(&[("GEMINI_API_KEY", "k"), ("CODE_ASSIST_ENDPOINT", "http://h")], true);
    }
}

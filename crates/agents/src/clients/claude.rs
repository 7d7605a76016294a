//! Points Claude Code at a gateway.

use std::path::{Path, PathBuf};

use serde_json::json;
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, ClientSettings, LaunchOptions, direct};
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::planted_address::PlantedAddress;
use crate::clients::vendor::{ANTHROPIC, BEDROCK, VERTEX, VendorPlace};
use crate::edit::SettingPlace;

/// Claude Code.
pub(super) struct Claude;

const BASE: &str = "ANTHROPIC_BASE_URL";
const SEARCH: &str = "ENABLE_TOOL_SEARCH";

impl Client for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @anthropic-ai/claude-code")
    }

    fn planted_addresses(&self, environment: &ClientEnvironment) -> Vec<PlantedAddress> {
        let said = configured_url(environment)
            .filter(|(file, url)| !url.is_empty() && is_planted(environment, file));
        said.map(|(file, url)| PlantedAddress::new(file, &url)).into_iter().collect()
    }

    /// Settings files override variables, and the argument overrides both. So an address from a file becomes the
    /// upstream, and the argument points at the local endpoint.
    ///
    /// Claude Code can search for tools, which keeps tens of thousands of tokens out of its requests. It does so only
    /// at Anthropic's own address, or if a setting says that the server forwards everything. That setting is passed if
    /// the endpoint forwards to Anthropic.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let written = configured_url(environment).map(|(_, url)| url);
        let place = match written.as_deref() {
            Some("") => VendorPlace::Usual,
            Some(url) => VendorPlace::Chosen(url.to_owned()),
            None => ANTHROPIC.place(BASE, environment),
        };
        let mut launch = LaunchOptions { env: direct(environment), ..LaunchOptions::default() };
        if is_home(&place) && environment.var(SEARCH).is_none() {
            launch.env.push((SEARCH.to_owned(), "true".to_owned()));
        }
        for cloud in [BEDROCK, VERTEX] {
            for name in cloud.names {
                launch.variable(endpoints, &cloud, name, &cloud.place(name, environment))?;
            }
        }
        launch.variable(endpoints, &ANTHROPIC, BASE, &place)?;
        if let (Some(_), Some((_, url))) = (written, launch.env.last()) {
            launch.args = vec!["--settings".to_owned(), json!({ "env": { BASE: url } }).to_string()];
        }
        Ok(launch)
    }

    /// Refuses if a variable already chooses a server: settings files override variables, so the user's choice would
    /// no longer have an effect.
    fn settings(&self, environment: &ClientEnvironment, url: &str) -> Result<ClientSettings, String> {
        if let Some(name) = CHOSEN.iter().find(|name| environment.var(name).is_some()) {
            return Err(format!("{name} is set, but a settings file would override it"));
        }
        Ok(ClientSettings {
            file: environment.home("CLAUDE_CONFIG_DIR", ".claude").join("settings.json"),
            addresses: vec![SettingPlace::new(&["env", BASE], url)],
            beside: vec![SettingPlace::new(&["env", SEARCH], "true")],
            notes: Vec::new(),
        })
    }
}

/// Variables that choose another server.
const CHOSEN: [&str; 5] = [
    BASE,
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
];

/// True for Anthropic's own address.
fn is_home(place: &VendorPlace) -> bool {
    match place {
        VendorPlace::Usual => true,
        VendorPlace::Chosen(url) => url.trim_end_matches('/') == ANTHROPIC.usual,
        VendorPlace::Open(_) => false,
    }
}

/// The address in the settings files, and the file that contains it; the nearest file comes first. An empty address
/// means that none is set.
fn configured_url(environment: &ClientEnvironment) -> Option<(PathBuf, String)> {
    let local = environment.folder.join(".claude");
    let files = [local.join("settings.local.json"), local.join("settings.json")];
    let own = environment.home("CLAUDE_CONFIG_DIR", ".claude").join("settings.json");
    let url = |file: PathBuf| {
        let url = ClientEnvironment::json(&file)["env"][BASE].as_str().map(str::to_owned);
        url.map(|url| (file, url))
    };
    files.into_iter().chain([own]).find_map(url)
}

/// True for a file that belongs to the project.
fn is_planted(environment: &ClientEnvironment, file: &Path) -> bool {
    let own = environment.home("CLAUDE_CONFIG_DIR", ".claude");
    !file.starts_with(own) && environment.foreign().any(|folder| file.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(vars: &[(&str, &str)]) -> LaunchOptions {
        Claude.point(&ClientEnvironment::of(vars), &mut LocalEndpoints::default()).expect("a door")
    }

    fn names(launch: &LaunchOptions) -> Vec<&str> {
        launch.env.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn tool_search_stays_where_the_upstream_is_anthropic() {
        assert_eq!(names(&launch(&[])), [SEARCH, BASE]);
        assert_eq!(names(&launch(&[(SEARCH, "false")])), [BASE]);
        assert_eq!(names(&launch(&[(BASE, "http://h/x")])), [BASE]);
    }

    #[test]
    fn a_cloud_that_was_chosen_is_led_to() {
        let (bedrock, vertex) = ("ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL");
        let key = ("AWS_BEARER_TOKEN_BEDROCK", "k");
        assert_eq!(names(&launch(&[(bedrock, "https://b"), key])), [bedrock]);
        assert_eq!(names(&launch(&[(vertex, "https://v/v1")])), [vertex]);
        let signed = launch(&[(bedrock, "https://b")]);
        assert!(names(&signed).is_empty() && signed.notes.len() == 2, "{signed:?}");
    }

    #[test]
    fn settings_lead_to_a_gateway_unless_a_variable_leads_elsewhere() {
        let settings = Claude.settings(&ClientEnvironment::of(&[]), "http://g").expect("settings");
        assert_eq!(settings.file, std::path::PathBuf::from("/nowhere/.claude/settings.json"));
        assert_eq!(settings.addresses[0].name(), "env.ANTHROPIC_BASE_URL");
        assert!(
            Claude.settings(&ClientEnvironment::of(&[("CLAUDE_CODE_USE_BEDROCK", "1")]), "http://g").is_err()
        );
    }

    #[test]
    fn a_company_proxy_is_not_asked_for_this_machine() {
        let launch = launch(&[("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "corp")]);
        assert_eq!(launch.env[0], ("NO_PROXY".to_owned(), "corp,127.0.0.1,localhost".to_owned()));
    }
}

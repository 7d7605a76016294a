//! Table: clients that can be pointed at a gateway with environment variables alone.

use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions};
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::{ANTHROPIC, GEMINI, OLLAMA, OPENAI, VendorVariables};

/// A client that can be pointed at a gateway with environment variables alone.
pub(super) struct ByVariables {
    name: &'static str,
    install: &'static str,
    vendors: &'static [VendorVariables],
    /// Returns the variables that the client's own settings file sets; the environment overrides them.
    written: fn(&ClientEnvironment) -> Vec<(String, String)>,
    /// The note for when no variable leads to a local endpoint: what happens, and what to do.
    else_wise: Option<(&'static str, &'static str)>,
}

/// Goose. It has two variables for `OpenAI`, of which the host takes precedence.
pub(super) const GOOSE: ByVariables = ByVariables {
    name: "goose",
    install: "npm install -g @aaif/goose",
    vendors: &[
        VendorVariables { names: &["ANTHROPIC_HOST"], kin: &[], ..ANTHROPIC },
        VendorVariables {
            usual: "https://api.openai.com",
            names: &["OPENAI_HOST"],
            kin: &["OPENAI_BASE_URL"],
            ..OPENAI
        },
        VendorVariables { usual: "", names: &["OPENAI_BASE_URL"], kin: &[], ..OPENAI },
        VendorVariables { names: &["GOOGLE_HOST"], kin: &[], ..GEMINI },
        VendorVariables { kin: &[], ..OLLAMA },
        VendorVariables {
            provider: None,
            usual: "https://openrouter.ai",
            names: &["OPENROUTER_HOST"],
            kin: &[],
            key: None,
        },
        VendorVariables { provider: None, usual: "", names: &["LITELLM_HOST"], kin: &[], key: None },
    ],
    written: |environment| {
        let config = environment.home("XDG_CONFIG_HOME", ".config").join("goose/config.yaml");
        let config = ClientEnvironment::yaml(&config);
        let values = config.as_object().into_iter().flatten();
        values.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    },
    else_wise: None,
};

/// GitHub's Copilot CLI. It receives the address of its own service at login, so only a provider that the user
/// configured can go through the gateway.
pub(super) const COPILOT: ByVariables = ByVariables {
    name: "copilot",
    install: "npm install -g @github/copilot",
    vendors: &[VendorVariables {
        provider: None,
        usual: "",
        names: &["COPILOT_PROVIDER_BASE_URL"],
        kin: &[],
        key: None,
    }],
    written: |_| Vec::new(),
    else_wise: Some((
        "copilot uses GitHub's own service, and gets the address of that service from GitHub",
        "name a provider of your own with COPILOT_PROVIDER_BASE_URL (see `copilot help providers`), or start copilot without tersely",
    )),
};

/// Amp. Its requests go to Amp's own service, which sends them to the models.
pub(super) const AMP: ByVariables = ByVariables {
    name: "amp",
    install: "npm install -g @ampcode/cli",
    vendors: &[],
    written: |_| Vec::new(),
    else_wise: Some((
        "amp reaches its models through its own service, whose address cannot be changed",
        "start amp without tersely; `tersely mcp` makes the results of its MCP servers smaller",
    )),
};

impl Client for ByVariables {
    fn name(&self) -> &'static str {
        self.name
    }

    fn install(&self) -> Option<&'static str> {
        Some(self.install)
    }

    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let launch = LaunchOptions::variables(
            &environment.above((self.written)(environment)),
            endpoints,
            self.vendors,
        )?;
        let leads = |name: &str| self.vendors.iter().any(|vendor| vendor.names.contains(&name));
        match self.else_wise {
            Some((what, hint)) if !launch.env.iter().any(|(name, _)| leads(name)) => {
                Err(CommandFault::unable(what, hint))
            }
            _ => Ok(launch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables that are passed to a client, with every local endpoint replaced by its upstream.
    fn launch(client: &ByVariables, environment: &ClientEnvironment) -> Vec<String> {
        let mut endpoints = LocalEndpoints::default();
        let launch = client.point(environment, &mut endpoints).expect("doors");
        launch.env.iter().map(|(name, url)| endpoints.resolve(&format!("{name}={url}"))).collect()
    }

    #[test]
    fn goose_is_told_hosts_and_its_own_file_is_heard_beneath_variables() {
        let usual = launch(&GOOSE, &ClientEnvironment::of(&[]));
        assert_eq!(usual[0], "ANTHROPIC_HOST=https://api.anthropic.com");
        assert_eq!(usual[1], "OPENAI_HOST=https://api.openai.com");
        assert_eq!(usual.len(), 5, "{usual:?}");
        let base = launch(&GOOSE, &ClientEnvironment::of(&[("OPENAI_BASE_URL", "http://h/v1")]));
        assert!(base.contains(&"OPENAI_BASE_URL=http://h/v1".to_owned()), "{base:?}");
        assert!(!base.iter().any(|it| it.starts_with("OPENAI_HOST")), "{base:?}");
        let (mut environment, home) = ClientEnvironment::with_home(
            "goose",
            &[(
                ".config/goose/config.yaml",
                "ANTHROPIC_HOST: http://f/x\nextensions:\n  a:\n    enabled: true\n",
            )],
        );
        assert_eq!(launch(&GOOSE, &environment)[0], "ANTHROPIC_HOST=http://f/x");
        environment.vars.insert("ANTHROPIC_HOST".to_owned(), "http://v".to_owned());
        assert_eq!(launch(&GOOSE, &environment)[0], "ANTHROPIC_HOST=http://v");
        drop(home);
    }

    #[test]
    fn copilot_needs_a_provider_and_amp_cannot_have_one() {
        let chosen = ClientEnvironment::of(&[("COPILOT_PROVIDER_BASE_URL", "http://h/v1")]);
        assert_eq!(launch(&COPILOT, &chosen), ["COPILOT_PROVIDER_BASE_URL=http://h/v1"]);
        assert!(COPILOT.point(&ClientEnvironment::of(&[]), &mut LocalEndpoints::default()).is_err());
        assert!(AMP.point(&chosen, &mut LocalEndpoints::default()).is_err());
    }
}

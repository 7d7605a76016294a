//! Points aider at a gateway.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tersely_terminal::fault::CommandFault;
use tersely_terminal::small;

use crate::clients::client::{Client, LaunchOptions};
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::planted_address::PlantedAddress;
use crate::clients::vendor::{ANTHROPIC, OPENAI, VendorVariables};
use crate::clients::yaml;

/// aider.
pub(super) struct Aider;

/// The setting for the address of the server, and the variable that aider copies it to.
const BASE: (&str, &str) = ("openai-api-base", "OPENAI_API_BASE");

/// The setting that sets environment variables.
const SET: &str = "set-env";

const FILE: &str = ".aider.conf.yml";

const VENDORS: [VendorVariables; 2] = [
    VendorVariables { names: &["ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"], ..ANTHROPIC },
    VendorVariables { kin: &["OPENAI_", "AZURE_OPENAI_", "AZURE_API_", "AIDER_OPENAI_"], ..OPENAI },
];

impl Client for Aider {
    fn name(&self) -> &'static str {
        "aider"
    }

    fn install(&self) -> Option<&'static str> {
        Some("uv tool install aider-chat")
    }

    fn planted_addresses(&self, environment: &ClientEnvironment) -> Vec<PlantedAddress> {
        let is_place =
            |name: &str| VENDORS.iter().any(|vendor| vendor.is_place(name) || vendor.names.contains(&name));
        let address = |setting: &str, value: &str| match setting {
            SET => value
                .split_once('=')
                .filter(|(name, _)| is_place(name.trim()))
                .map(|(_, url)| url.trim().to_owned()),
            _ => Some(value.to_owned()),
        };
        let mut found = Vec::new();
        for setting in [SET, BASE.0] {
            let SettingValues { values, file } =
                setting_values(environment, setting).unwrap_or_else(|unread| unread);
            let Some(file) = file.filter(|file| is_planted(environment, file)) else { continue };
            let urls = values.iter().filter_map(|value| address(setting, value));
            found.extend(urls.map(|url| PlantedAddress::new(file.clone(), &url)));
        }
        found
    }

    /// aider copies addresses from its settings into variables, where they override the values of the environment. So
    /// these addresses, if set, are the ones to forward to: any other server would receive a key that is not meant for
    /// it.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let mut meant = environment.clone();
        for setting in setting_values(environment, SET).map_err(|said| unread(SET, &said))?.values {
            if let Some((name, value)) = setting.split_once('=') {
                meant.vars.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        if let Some(url) =
            setting_values(environment, BASE.0).map_err(|said| unread(BASE.0, &said))?.values.pop()
        {
            meant.vars.insert(BASE.1.to_owned(), url);
        }
        meant.vars.remove(&variable(BASE.0));
        LaunchOptions::variables(&meant, endpoints, &VENDORS)
    }
}

/// The values of a setting, and the file that they come from.
#[derive(Debug, Default)]
struct SettingValues {
    values: Vec<String>,
    file: Option<PathBuf>,
}

/// The environment variable for a setting.
fn variable(setting: &str) -> String {
    format!("AIDER_{}", setting.to_uppercase().replace('-', "_"))
}

/// The values of a setting, from the first source that contains it: the arguments, its variable, or a file.
///
/// # Errors
/// If a file contains the setting in a form that cannot be read.
fn setting_values(environment: &ClientEnvironment, setting: &str) -> Result<SettingValues, SettingValues> {
    let option = format!("--{setting}");
    let given: Vec<_> = environment.option(&option, &option).map(str::to_owned).collect();
    if !given.is_empty() {
        return Ok(SettingValues { values: given, file: None });
    }
    if let Some(value) = environment.var(&variable(setting)) {
        let values = value.trim_matches(['[', ']']).split(',');
        return Ok(SettingValues {
            values: values.map(|value| value.trim().to_owned()).collect(),
            file: None,
        });
    }
    for file in files(environment) {
        match values_in_file(&file, setting) {
            Some(values) if values.is_empty() => {}
            Some(values) => return Ok(SettingValues { values, file: Some(file) }),
            None => return Err(SettingValues { values: vec![UNREAD.to_owned()], file: Some(file) }),
        }
    }
    Ok(SettingValues::default())
}

/// The address reported for a value that cannot be read: the value may contain an address.
const UNREAD: &str = "OPENAI_API_BASE=?";

fn unread(setting: &str, said: &SettingValues) -> CommandFault {
    let file = said.file.as_ref().map_or(String::new(), |file| file.display().to_string());
    CommandFault::unable(
        format!("{file}: sets {setting}, but tersely cannot read its YAML"),
        format!("pass --{setting} to aider instead, or fix the file"),
    )
}

/// True for a file of the project: the user did not name it, and it is not in the user's home.
fn is_planted(environment: &ClientEnvironment, file: &Path) -> bool {
    let named = environment.option("-c", "--config").next_back().map(|file| environment.folder.join(file));
    named.is_none_or(|named| named != file)
        && environment.foreign().any(|folder| file.parent() == Some(folder))
}

/// The settings files, highest precedence first.
fn files(environment: &ClientEnvironment) -> Vec<PathBuf> {
    let named = environment.option("-c", "--config").next_back().map(|file| environment.folder.join(file));
    let project = environment.folder.ancestors().find(|folder| folder.join(".git").exists());
    let folders =
        [Some(environment.folder.clone()), project.map(Path::to_owned), Some(environment.home("", ""))];
    named.into_iter().chain(folders.into_iter().flatten().map(|folder| folder.join(FILE))).collect()
}

/// The values of a setting in a file; `None` if the file contains a value that cannot be read.
fn values_in_file(file: &Path, setting: &str) -> Option<Vec<String>> {
    let lines = small::text(file);
    let config = yaml::read(&lines).unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let is_unread = config.is_null() && lines.lines().any(|line| line.trim_start().starts_with(setting));
    (!is_unread).then(|| match &config[setting] {
        Value::Array(list) => list.iter().filter_map(text).collect(),
        value => text(value).into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server that a variable passed to aider leads to.
    fn address_of(environment: &ClientEnvironment, name: &str) -> Option<String> {
        let mut endpoints = LocalEndpoints::default();
        let launch = Aider.point(environment, &mut endpoints).expect("doors");
        launch.env.iter().find(|(it, _)| it == name).map(|(_, url)| endpoints.resolve(url))
    }

    #[test]
    fn an_address_of_the_settings_is_where_both_variables_lead() {
        let usual = "https://api.openai.com/v1";
        for (file, args, vars, expected) in [
            ("", "", None, usual),
            ("# openai-api-base: http://no\n", "", None, usual),
            ("openai-api-base: http://file/v1\n", "", None, "http://file/v1"),
            ("openai-api-base: http://file/v1\n", "", Some("http://var"), "http://var"),
            (
                "openai-api-base: http://file/v1\n",
                "--openai-api-base http://arg",
                Some("http://var"),
                "http://arg",
            ),
            ("set-env:\n  - OPENAI_API_BASE=http://set\n", "", None, "http://set"),
            ("", "--set-env OPENAI_API_BASE=http://set", None, "http://set"),
        ] {
            let (mut environment, home) = ClientEnvironment::with_home("aider", &[(FILE, file)]);
            environment.args = args.split_whitespace().map(str::to_owned).collect();
            environment.vars.extend(vars.map(|url| ("AIDER_OPENAI_API_BASE".to_owned(), url.to_owned())));
            for name in ["OPENAI_BASE_URL", "OPENAI_API_BASE"] {
                assert_eq!(
                    address_of(&environment, name).as_deref(),
                    Some(expected),
                    "{name} {file:?} {args:?}"
                );
            }
            assert_eq!(
                address_of(&environment, "ANTHROPIC_API_BASE").as_deref(),
                Some("https://api.anthropic.com")
            );
            drop(home);
        }
    }

    #[test]
    fn what_cannot_be_read_stops_it_only_if_it_might_name_an_address() {
        for (file, works) in [("a: [b", true), ("openai-api-base: [b", false)] {
            let (environment, home) = ClientEnvironment::with_home("aider-odd", &[(FILE, file)]);
            assert_eq!(Aider.point(&environment, &mut LocalEndpoints::default()).is_ok(), works, "{file}");
            drop(home);
        }
    }
}

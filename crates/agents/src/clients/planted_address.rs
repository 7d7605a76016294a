//! Addresses in files of the working directory, which are used only after the user confirms.
//!
//! A downloaded project may contain such files, and the author of a file would receive the user's key. An answer is
//! stored together with the content of the file and the host in it.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::iter;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tersely_gateway::Upstream;
use tersely_settings::write_lines;
use tersely_terminal::fault::Stop;
use tersely_terminal::small;

use crate::clients::default_endpoints;
use crate::clients::environment::ClientEnvironment;
use crate::clients::vendor::VENDORS;
use crate::edit::ask;

/// An address, and the file of the working directory that contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantedAddress {
    file: PathBuf,
    /// Scheme, host and port. `None` if the address cannot be parsed, or refers to variables.
    origin: Option<String>,
    /// True when the address refers to environment variables.
    is_indirect: bool,
}

/// Whether addresses in files of the working directory are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderTrust {
    /// All of them are used.
    Given,
    /// The user is asked, if there is a terminal.
    Asked,
}

/// The file with the stored answers, in the user's configuration folder.
const NAME: &str = "trusted-addresses";

impl PlantedAddress {
    /// Creates an entry for an address in a file.
    #[must_use]
    pub fn new(file: PathBuf, url: &str) -> Self {
        let host = url.find("://").map_or(0, |at| at + 3);
        let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
        let plain =
            Some(&url[..end]).filter(|_| !url.contains(['{', '$']) && !url.contains(char::is_control));
        // Parsed in the same way as when it is used, so that the question shows the real host.
        let upstream = plain.and_then(|origin| origin.parse::<Upstream>().ok());
        Self { file, origin: upstream.map(|upstream| upstream.url()), is_indirect: url.contains("{env:") }
    }

    /// True for an address that a program would use even without the file: a provider's default, or one that the user
    /// set.
    fn is_usual(&self, environment: &ClientEnvironment) -> bool {
        let usual = VENDORS.iter().map(|vendor| vendor.usual.to_owned());
        let chosen = VENDORS.iter().flat_map(|vendor| vendor.names).filter_map(|name| environment.url(name));
        let all = usual.chain(default_endpoints::addresses().map(str::to_owned)).chain(chosen);
        let mut origins = all.filter_map(|url| Self::new(PathBuf::new(), &url).origin);
        self.origin.is_some() && origins.any(|origin| Some(&origin) == self.origin.as_ref())
    }

    /// The line that stores the user's confirmation: a hash of the file, and the host.
    fn line(&self) -> Option<String> {
        let mut line = String::new();
        for byte in Sha256::digest(small::bytes(&self.file).ok()?) {
            write!(line, "{byte:02x}").ok()?;
        }
        Some(format!("{line} {}", self.origin.as_ref()?))
    }

    /// True if the user confirms the address now, or has confirmed it before.
    fn is_confirmed(&self, config: Option<&Path>) -> Result<bool, Stop> {
        let Some(line) = self.line() else { return Ok(false) };
        let known = config.map(|config| small::text(&config.join(NAME))).unwrap_or_default();
        if known.lines().any(|known| known == line) {
            return Ok(true);
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(false);
        }
        let origin = self.origin.as_deref().unwrap_or_default();
        let question =
            format!("{} would send your requests and your key to {origin}. Allow this?", self.file.display());
        let says = ask(&question)?;
        if says && let Some(config) = config {
            // If the answer cannot be stored, the user is asked again next time.
            let _ = write_lines(config, NAME, known.lines().map(str::to_owned).chain(iter::once(line)));
        }
        Ok(says)
    }

    /// The message that explains why an agent starts without the gateway.
    #[must_use]
    pub fn refusal(&self, client: &str, folder: &Path) -> String {
        let file = self.file.strip_prefix(folder).unwrap_or(&self.file).display().to_string();
        let place = self.origin.as_deref().unwrap_or("an address that Tersely does not follow");
        let advice = self.origin.as_ref().map_or("", |_| "; to allow this address, add --trust-folder");
        let line = format!("{file} sends requests to {place}: {client} runs without Tersely{advice}");
        line.chars().map(|it| if it.is_control() { '?' } else { it }).collect()
    }
}

/// The first address that the user has not confirmed.
///
/// # Errors
/// If the answer cannot be read.
pub fn find_unconfirmed(
    found: Vec<PlantedAddress>,
    environment: &ClientEnvironment,
    config: Option<&Path>,
    trust: FolderTrust,
) -> Result<Option<PlantedAddress>, Stop> {
    for address in found {
        let follows = match trust {
            FolderTrust::Given => address.origin.is_some() || address.is_indirect,
            FolderTrust::Asked => address.is_usual(environment) || address.is_confirmed(config)?,
        };
        if !follows {
            return Ok(Some(address));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::clients::CLIENTS;

    /// The addresses that a client would read from a working directory with this file, and from a home with the same
    /// file.
    fn planted_addresses(client: &str, file: &str, text: &str) -> (Vec<PlantedAddress>, Vec<PlantedAddress>) {
        let name = format!("planted-{client}");
        let (mut environment, home) = ClientEnvironment::with_home(&name, &[(&format!("work/{file}"), text)]);
        let client = CLIENTS.iter().find(|it| it.name() == client).expect("a client");
        environment.folder = PathBuf::from(&environment.vars["HOME"]).join("work");
        let foreign = client.planted_addresses(&environment);
        environment.vars.insert("HOME".to_owned(), environment.folder.display().to_string());
        let own = client.planted_addresses(&environment);
        drop(home);
        (foreign, own)
    }

    /// Behaviour 14.11.
    #[test]
    fn an_address_of_the_folder_is_the_folder_s_and_one_of_the_home_the_user_s() {
        let claude = |url: &str| format!(r#"{{"env":{{"ANTHROPIC_BASE_URL":"{url}"}}}}"#);
        let opencode =
            |url: &str| format!(r#"{{"provider":{{"mine":{{"options":{{"baseURL":"{url}"}}}}}}}}"#);
        for (client, file, text, origin) in [
            ("claude", ".claude/settings.json", claude("http://h:1/x"), Some("http://h:1")),
            ("claude", ".claude/settings.local.json", claude("https://h"), Some("https://h")),
            ("claude", ".claude/settings.json", claude("ftp://h"), None),
            ("opencode", "opencode.json", opencode("http://h/v1"), Some("http://h")),
            ("opencode", ".opencode/opencode.jsonc", opencode("http://h/v1"), Some("http://h")),
            ("opencode", "opencode.json", opencode("http://h/{env:ANTHROPIC_API_KEY}"), None),
            ("kilo", "kilo.json", opencode("http://h/v1"), Some("http://h")),
            ("aider", ".aider.conf.yml", "openai-api-base: http://h/v1\n".to_owned(), Some("http://h")),
            (
                "aider",
                ".aider.conf.yml",
                "set-env:\n - ANTHROPIC_BASE_URL=http://h\n".to_owned(),
                Some("http://h"),
            ),
            ("aider", ".aider.conf.yml", "openai-api-base: [b".to_owned(), None),
        ] {
            let (foreign, own) = planted_addresses(client, file, &text);
            let origins: Vec<_> = foreign.iter().map(|it| it.origin.as_deref()).collect();
            assert!(origins.contains(&origin), "{client} {text}: {foreign:?}");
            assert_eq!(own, [], "{client} {text}");
        }
        let (none, _) = planted_addresses("claude", ".claude/settings.json", &claude(""));
        assert_eq!(none, []);
    }

    #[test]
    fn what_a_program_would_go_to_anyway_is_not_asked_about() {
        let address = |url: &str| PlantedAddress::new(PathBuf::from("f"), url);
        let environment = ClientEnvironment::of(&[("OPENAI_BASE_URL", "http://mine:1/v1")]);
        for (url, is_usual) in [
            ("https://api.anthropic.com", true),
            ("https://api.openai.com/v1/", true),
            ("http://mine:1/other", true),
            ("http://mine:2", false),
            ("https://api.anthropic.com@evil", false),
            ("https://api.anthropic.com.evil/", false),
            ("nonsense", false),
        ] {
            assert_eq!(address(url).is_usual(&environment), is_usual, "{url}");
        }
        let refused = |trust| {
            find_unconfirmed(vec![address("nonsense")], &environment, None, trust).expect("no question")
        };
        assert!(refused(FolderTrust::Given).is_some() && refused(FolderTrust::Asked).is_some());
    }

    /// A confirmation applies only to this content and this host.
    #[test]
    fn what_was_confirmed_is_remembered_for_the_content_and_the_host() {
        let folder = std::env::temp_dir().join(format!("tersely-confirmed-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (file, config) = (folder.join("settings.json"), Some(folder.as_path()));
        fs::write(&file, "one").expect("a file");
        let address = PlantedAddress::new(file.clone(), "http://h:1/x");
        assert!(!address.is_confirmed(config).expect("no terminal"));
        let line = address.line().expect("a file");
        write_lines(&folder, NAME, iter::once(line)).expect("a list");
        assert!(address.is_confirmed(config).expect("known"));
        assert!(!PlantedAddress::new(file.clone(), "http://h:2").is_confirmed(config).expect("another host"));
        fs::write(&file, "two").expect("a file");
        assert!(!address.is_confirmed(config).expect("another content"));
        fs::remove_dir_all(&folder).expect("removed");
    }
}

//! The environment that a client starts in: variables, arguments, working directory and settings files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tersely_terminal::small;

use crate::clients::{jsonc, yaml};

/// The environment that a client starts in.
#[derive(Debug, Default, Clone)]
pub struct ClientEnvironment {
    /// Environment variables.
    pub vars: BTreeMap<String, String>,
    /// The arguments that the user typed after the command.
    pub args: Vec<String>,
    /// The working directory.
    pub folder: PathBuf,
}

/// Files of variables that programs read by themselves, in the working directory or a folder above it.
const ENV_FILES: [&str; 4] = [".env", ".env.local", ".gemini/.env", ".qwen/.env"];

/// Variables for the address of a proxy.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

impl ClientEnvironment {
    /// The environment of this process, with the arguments of a command.
    #[must_use]
    pub fn around(args: &[OsString]) -> Self {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        // On Windows, `Path` and `PATH` are the same variable.
        let known = |name: OsString| if cfg!(windows) { text(name).to_ascii_uppercase() } else { text(name) };
        let vars = std::env::vars_os().map(|(name, value)| (known(name), text(value))).collect();
        let args = args.iter().cloned().map(text).collect();
        Self { vars, args, folder: std::env::current_dir().unwrap_or_default() }
    }

    /// The value of a variable, if it is set and not blank.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    /// The first proxy variable that is set.
    #[must_use]
    pub fn proxy_variable(&self) -> Option<&'static str> {
        PROXIES.into_iter().find(|name| self.var(name).is_some())
    }

    /// The URL in a variable. A scheme is added if it is missing, as it may be in Ollama's variable.
    #[must_use]
    pub fn url(&self, name: &str) -> Option<String> {
        let value = self.var(name)?.trim();
        Some(match name {
            _ if value.contains("://") => value.to_owned(),
            "OLLAMA_HOST" => ollama(value),
            _ => format!("http://{value}"),
        })
    }

    /// The path `usual` in the user's home, or the folder in the variable `instead` if that is set.
    pub fn home(&self, instead: &str, usual: &str) -> PathBuf {
        let home = || self.var("HOME").or_else(|| self.var("USERPROFILE")).unwrap_or_default();
        self.var(instead).map_or_else(|| PathBuf::from(home()).join(usual), PathBuf::from)
    }

    /// Folders with files that the user may not have written: the working directory and those above it, up to the
    /// user's home.
    pub fn foreign(&self) -> impl Iterator<Item = &Path> {
        let home = self.home("", "");
        self.folder.ancestors().take_while(move |folder| !home.starts_with(folder))
    }

    /// Reads a JSON file, with or without comments. Returns null if there is no such file, or it is not JSON.
    #[must_use]
    pub fn json(path: &Path) -> serde_json::Value {
        serde_json::from_str(&jsonc::plain(&small::text(path))).unwrap_or_default()
    }

    /// Reads a YAML file. Returns null if there is no such file, or its YAML is not supported.
    #[must_use]
    pub fn yaml(path: &Path) -> serde_json::Value {
        yaml::read(&small::text(path)).unwrap_or_default()
    }

    /// This environment with additional variables. Variables that are already set keep their values.
    #[must_use]
    pub fn above(&self, vars: Vec<(String, String)>) -> Self {
        let vars = vars.into_iter().chain(self.vars.clone()).collect();
        Self { vars, ..self.clone() }
    }

    /// True when the first argument is one of these commands.
    #[must_use]
    pub fn runs(&self, commands: &[&str]) -> bool {
        self.args.first().is_some_and(|first| commands.contains(&first.as_str()))
    }

    /// The values of an option in the arguments, by its short or long name.
    pub fn option(&self, short: &str, long: &str) -> impl DoubleEndedIterator<Item = &str> {
        let args: Vec<_> = self.args.iter().map(String::as_str).take_while(|arg| *arg != "--").collect();
        let value = |at: usize| {
            let arg = args[at];
            let joined = arg.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
            let joined = joined.or_else(|| arg.strip_prefix(short).filter(|rest| !rest.is_empty()));
            if arg == long || arg == short { args.get(at + 1).copied() } else { joined }
        };
        (0..args.len()).filter_map(value).collect::<Vec<_>>().into_iter()
    }

    /// A file of variables that a program may read by itself and that sets a variable for which `is_meant` is true, and
    /// the name of that variable.
    pub fn env_file(&self, is_meant: impl Fn(&str) -> bool) -> Option<(PathBuf, String)> {
        let scripts = self.args.iter().map(|arg| self.folder.join(arg)).filter(|path| path.is_file());
        let folders = [self.folder.clone(), self.home("", "")].into_iter().chain(scripts);
        let folders: Vec<_> = folders.collect();
        let files = folders.iter().flat_map(|folder| folder.ancestors());
        let mut files = files.flat_map(|folder| ENV_FILES.map(|name| folder.join(name)));
        files.find_map(|file| Some((file.clone(), env_names(&file).into_iter().find(|name| is_meant(name))?)))
    }
}

/// The names of the variables that a file sets to a non-empty value.
pub(super) fn env_names(file: &Path) -> Vec<String> {
    let text = small::text(file);
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let set = lines.filter(|(_, value)| !value.trim().trim_matches(['"', '\'']).is_empty());
    set.map(|(name, _)| name.trim().trim_start_matches("export ").trim().to_owned()).collect()
}

/// Completes an address as Ollama does: the default host is this machine, and the default port is Ollama's.
fn ollama(value: &str) -> String {
    let (place, path) = value.find('/').map_or((value, ""), |at| value.split_at(at));
    let (host, port) = match place.rsplit_once(':') {
        _ if place == "ollama.com" => return format!("https://{value}"),
        // A text with several colons is an IPv6 address without a port, unless the part before the last colon ends with
        // a bracket.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, port),
        _ => (place, "11434"),
    };
    let bare = host.trim_matches(['[', ']']);
    match bare {
        "" => format!("http://127.0.0.1:{port}{path}"),
        bare if bare.contains(':') => format!("http://[{bare}]:{port}{path}"),
        bare => format!("http://{bare}:{port}{path}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    impl ClientEnvironment {
        /// An environment with these variables and a home that does not exist.
        pub(crate) fn of(vars: &[(&str, &str)]) -> Self {
            let home = [("HOME", "/nowhere")];
            let vars = home.iter().chain(vars).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Self { vars: vars.collect(), ..Self::default() }
        }

        /// An environment whose home contains these files, until the returned home is dropped.
        pub(crate) fn with_home(test: &str, files: &[(&str, &str)]) -> (Self, TestHome) {
            let home = std::env::temp_dir().join(format!("tersely-{test}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&home);
            for (name, text) in files {
                let path = home.join(name);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(path, text).expect("a file");
            }
            let mut environment = Self::of(&[]);
            environment.vars.insert("HOME".to_owned(), home.display().to_string());
            (environment, TestHome(home))
        }
    }

    /// A folder that is removed on drop.
    pub(crate) struct TestHome(PathBuf);

    impl Drop for TestHome {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_home_and_what_is_above_it_is_the_user_s_own() {
        for (home, here, expected) in [
            ("/h/u", "/h/u/a/b", "/h/u/a/b /h/u/a"),
            ("/h/u/", "/h/u", ""),
            ("/h/u", "/tmp/a", "/tmp/a /tmp"),
            ("/h/u", "/h", ""),
            ("", "/tmp", "/tmp /"),
        ] {
            let mut environment = ClientEnvironment::of(&[("HOME", home)]);
            environment.folder = here.into();
            let folders: Vec<_> = environment.foreign().map(|it| it.display().to_string()).collect();
            assert_eq!(folders.join(" "), expected, "{home} {here}");
        }
    }

    #[test]
    fn ollama_s_place_is_read_as_ollama_reads_it() {
        for (value, url) in [
            ("h", "http://h:11434"),
            ("h:1", "http://h:1"),
            (":1", "http://127.0.0.1:1"),
            ("h/x", "http://h:11434/x"),
            ("::1", "http://[::1]:11434"),
            ("[::1]:1", "http://[::1]:1"),
            ("http://h", "http://h"),
            ("ollama.com", "https://ollama.com"),
        ] {
            assert_eq!(
                ClientEnvironment::of(&[("OLLAMA_HOST", value)]).url("OLLAMA_HOST").as_deref(),
                Some(url),
                "{value}"
            );
        }
    }
}

//! Points Codex at a gateway.

use std::path::PathBuf;

use serde_json::Value;
use tersely_gateway::Vendor;
use tersely_terminal::fault::CommandFault;
use tersely_terminal::small;
use toml::Table;

use crate::clients::client::{Client, ClientSettings, LaunchOptions, direct};
use crate::clients::environment::{ClientEnvironment, env_names};
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::vendor::VendorPlace;
use crate::edit::SettingPlace;

/// Codex.
pub(super) struct Codex;

/// The setting for the built-in provider's address, and the variable that earlier versions read instead.
const ADDRESS: &str = "openai_base_url";
const VARIABLE: &str = "OPENAI_BASE_URL";
const ADVICE: &str = "codex may ignore OPENAI_BASE_URL: unset it, or set openai_base_url in its config.toml";

/// The configuration file for all users of the machine.
const MACHINE: &str = "/etc/codex/config.toml";

const OPENAI: &str = "https://api.openai.com/v1";
const CHATGPT: &str = "https://chatgpt.com/backend-api/codex";

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @openai/codex")
    }

    /// Keeps the configured provider, so that Codex still finds its earlier sessions; only the provider's address
    /// changes.
    ///
    /// Only some versions of Codex read the variable. If only the variable contains an address, only the variable is
    /// replaced, and versions that read it use the local endpoint. An argument would also affect the other versions,
    /// and send one server's key to another.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let config = config(environment);
        let provider = text(&config, "model_provider").unwrap_or("openai");
        let mut launch = LaunchOptions { env: direct(environment), ..LaunchOptions::default() };
        let (key, place) = match (provider, text(&config, ADDRESS)) {
            ("openai", Some(url)) => (ADDRESS.to_owned(), VendorPlace::Chosen(url.to_owned())),
            ("openai", None) => (ADDRESS.to_owned(), variable(environment)),
            (other, _) => (format!("model_providers.{other}.base_url"), custom(&config, other)?),
        };
        let usual = if is_subscribed(environment) { (None, CHATGPT) } else { (Some(Vendor::OpenAi), OPENAI) };
        match endpoints.lead(&key, usual, &place)? {
            Some(url) => {
                let setting = format!("{key}={}", Value::from(url));
                launch.instead = replacements(environment, &key, &setting);
                launch.args = vec!["-c".to_owned(), setting];
            }
            None => launch.notes.push(ADVICE.to_owned()),
        }
        if let (VendorPlace::Open(_), Some(url)) = (place, environment.url(VARIABLE)) {
            launch.env.push((VARIABLE.to_owned(), endpoints.open(VARIABLE, &url)?));
        }
        Ok(launch)
    }

    /// Works only with an API key that Codex has stored. With a `ChatGPT` login, the same setting would send the login
    /// to a server that does not accept it.
    fn settings(&self, environment: &ClientEnvironment, url: &str) -> Result<ClientSettings, String> {
        let config = config(environment);
        if let Some(other) = text(&config, "model_provider").filter(|name| *name != "openai") {
            return Err(format!("it is set up for the provider {other}"));
        }
        if let VendorPlace::Open(_) = variable(environment) {
            return Err(format!("{VARIABLE} is set, but only some versions use it"));
        }
        let home = environment.home("CODEX_HOME", ".codex");
        if is_subscribed(environment)
            || !ClientEnvironment::json(&home.join("auth.json"))["OPENAI_API_KEY"].is_string()
        {
            return Err("it has no API key of its own; a ChatGPT login works at another address".to_owned());
        }
        let address = SettingPlace::new(&[ADDRESS], format!("{url}/v1"));
        let notes = vec!["codex: if you log in with ChatGPT later, run `tersely uninstall` first".to_owned()];
        Ok(ClientSettings {
            file: home.join("config.toml"),
            addresses: vec![address],
            beside: Vec::new(),
            notes,
        })
    }
}

/// The effective configuration: the machine's file, the user's, a profile, and the user's own arguments.
fn config(environment: &ClientEnvironment) -> Table {
    let home = environment.home("CODEX_HOME", ".codex");
    let profile = environment.option("-p", "--profile").next_back();
    let files = [Some(PathBuf::from(MACHINE)), Some(home.join("config.toml"))];
    let files =
        files.into_iter().flatten().chain(profile.map(|name| home.join(format!("{name}.config.toml"))));
    let read = |path: PathBuf| small::text(&path).parse().unwrap_or_default();
    let typed = environment.option("-c", "--config").filter_map(setting);
    files.map(read).chain(typed).fold(Table::new(), |mut all, layer| {
        merge(&mut all, layer);
        all
    })
}

/// The user's own arguments that set this key and would override ours, each with its replacement.
fn replacements(environment: &ClientEnvironment, key: &str, setting: &str) -> Vec<(String, String)> {
    let gives = |arg: &&String, begin: &str| {
        let rest = arg.strip_prefix(begin).and_then(|rest| rest.split_once('='));
        rest.is_some_and(|(path, _)| path.trim() == key)
    };
    let begin = |arg: &&String| ["--config=", "-c", ""].into_iter().find(|begin| gives(arg, begin));
    let found = environment.args.iter().filter_map(|arg| Some((arg, begin(&arg)?)));
    found.map(|(arg, begin)| (arg.clone(), format!("{begin}{setting}"))).collect()
}

/// Parses a setting on the command line: a path, and a value that is a string unless it parses as another type.
fn setting(typed: &str) -> Option<Table> {
    let (path, value) = typed.split_once('=')?;
    let quoted = || Value::from(value.trim()).to_string();
    typed.parse().ok().or_else(|| format!("{path}={}", quoted()).parse().ok())
}

/// Merges the table `layer` into `all`; values of `layer` take precedence.
fn merge(all: &mut Table, layer: Table) {
    for (key, value) in layer {
        match (all.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => merge(old, new),
            (_, value) => drop(all.insert(key, value)),
        }
    }
}

fn text<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(toml::Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// The built-in provider's address, if the configuration contains none.
fn variable(environment: &ClientEnvironment) -> VendorPlace {
    let file = environment.home("CODEX_HOME", ".codex").join(".env");
    let set = environment.var(VARIABLE).is_some() || env_names(&file).iter().any(|name| name == VARIABLE);
    if set { VendorPlace::Open(ADVICE.to_owned()) } else { VendorPlace::Usual }
}

/// True when Codex is logged in with `ChatGPT`. Such a login is valid at a different address than an API key.
fn is_subscribed(environment: &ClientEnvironment) -> bool {
    let login = ClientEnvironment::json(&environment.home("CODEX_HOME", ".codex").join("auth.json"));
    let keyed = environment.var("CODEX_API_KEY").is_some() || login["OPENAI_API_KEY"].is_string();
    login["auth_mode"] == "chatgpt" || (login["tokens"].is_object() && !keyed)
}

fn custom(config: &Table, provider: &str) -> Result<VendorPlace, CommandFault> {
    let table = config.get("model_providers").and_then(|all| all.get(provider));
    let url = table.and_then(|it| it.get("base_url")).and_then(toml::Value::as_str);
    url.map(|url| VendorPlace::Chosen(url.to_owned())).ok_or_else(|| {
        CommandFault::unable(
            format!("codex uses the provider {provider}, but its configuration has no base_url for it"),
            format!("write base_url under [model_providers.{provider}] in codex's config.toml"),
        )
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::*;

    /// Checks what is passed to Codex, with every local endpoint replaced by its upstream.
    fn check(files: &[(&str, &str)], (vars, args): (&[(&str, &str)], &[&str]), expected: &str) {
        let thread = std::thread::current().id();
        let home = std::env::temp_dir().join(format!("tersely-codex-{}-{thread:?}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).expect("a folder");
        for (name, content) in files {
            fs::write(home.join(name), content).expect("a file");
        }
        let mut environment = ClientEnvironment::of(vars);
        environment.vars.insert("CODEX_HOME".to_owned(), home.display().to_string());
        environment.args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut endpoints = LocalEndpoints::default();
        let launch = Codex.point(&environment, &mut endpoints).expect("a door");
        let env = launch.env.iter().map(|(name, url)| format!("{name}={url}"));
        let launch: Vec<_> = launch.args.iter().cloned().chain(env).collect();
        assert_eq!(endpoints.resolve(&launch.join(" ")), expected, "{files:?} {vars:?} {args:?}");
        let _ = fs::remove_dir_all(&home);
    }

    const NONE: (&[(&str, &str)], &[&str]) = (&[], &[]);

    #[test]
    fn the_address_that_would_be_used_becomes_the_upstream() {
        check(&[], NONE, r#"-c openai_base_url="https://api.openai.com/v1""#);
        let login = [("auth.json", r#"{"auth_mode":"chatgpt"}"#)];
        check(&login, NONE, r#"-c openai_base_url="https://chatgpt.com/backend-api/codex""#);
        let own = [("config.toml", "openai_base_url=\"http://h/x\"\n"), login[0]];
        check(&own, (&[(VARIABLE, "http://v")], &[]), r#"-c openai_base_url="http://h/x""#);
        let custom =
            [("config.toml", "model_provider=\"x\"\n[model_providers.x]\nbase_url=\"http://h/y\"\n")];
        check(&custom, NONE, r#"-c model_providers.x.base_url="http://h/y""#);
    }

    #[test]
    fn profiles_and_arguments_are_heard_after_the_file() {
        let files = [
            ("config.toml", "openai_base_url=\"http://h/x\"\n[model_providers.y]\nbase_url=\"http://y\"\n"),
            ("p.config.toml", "openai_base_url=\"http://p/x\"\n"),
        ];
        for args in [&["exec", "-p", "p"][..], &["--profile=p"], &["-pp"]] {
            check(&files, (&[], args), r#"-c openai_base_url="http://p/x""#);
        }
        check(&files, (&[], &["exec", "--", "-p", "p"]), r#"-c openai_base_url="http://h/x""#);
        for typed in ["model_provider=y", "model_provider=\"y\""] {
            check(&files, (&[], &["-c", typed]), r#"-c model_providers.y.base_url="http://y""#);
        }
    }

    #[test]
    fn an_address_that_is_typed_leads_to_a_door_where_it_stands() {
        for typed in [&["-c", "openai_base_url=http://t/x"][..], &["--config=openai_base_url=http://t/x"]] {
            let mut environment = ClientEnvironment::of(&[]);
            environment.args = typed.iter().map(|arg| (*arg).to_owned()).collect();
            let mut endpoints = LocalEndpoints::default();
            let launch = Codex.point(&environment, &mut endpoints).expect("a door");
            let typed: Vec<_> = typed.iter().map(OsString::from).collect();
            let all: Vec<_> = launch.arguments(&typed).iter().map(|it| it.display().to_string()).collect();
            let expected = r#"-c openai_base_url="http://t/x""#;
            let again = expected.replace("-c ", if typed.len() == 1 { "--config=" } else { "-c " });
            assert!(!all.join(" ").contains("http://t"), "{all:?}");
            assert_eq!(endpoints.resolve(&all.join(" ")), format!("{expected} {again}"));
        }
    }

    #[test]
    fn a_variable_that_only_some_versions_heed_is_left_to_them() {
        check(&[], (&[(VARIABLE, "http://v/1")], &[]), "OPENAI_BASE_URL=http://v/1");
        check(&[(".env", "export OPENAI_BASE_URL=http://v/1\n")], NONE, "");
    }
}

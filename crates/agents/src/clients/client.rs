//! An agent, and the variables, arguments and files that point it at a gateway.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use tersely_terminal::fault::CommandFault;

use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;
use crate::clients::planted_address::PlantedAddress;
use crate::clients::private_file::PrivateFile;
use crate::clients::vendor::{VendorPlace, VendorVariables};
use crate::edit::SettingPlace;

/// A program that can be pointed at a gateway.
pub trait Client: Sync {
    /// The name of the client's command.
    fn name(&self) -> &'static str;

    /// The command that installs the client, if there is one.
    fn install(&self) -> Option<&'static str>;

    /// The addresses that the client would read from files in its working directory. The user may not have written
    /// those files, so nothing is sent to these addresses until the user confirms.
    fn planted_addresses(&self, _world: &ClientEnvironment) -> Vec<PlantedAddress> {
        Vec::new()
    }

    /// The launch options that send all the client's requests through local endpoints.
    ///
    /// # Errors
    /// If an address is invalid, or the client is set up in a way that cannot be changed.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault>;

    /// The client's own settings that permanently send all its requests to a gateway at `url`.
    ///
    /// # Errors
    /// Returns the reason if no setting does this reliably.
    fn settings(&self, _world: &ClientEnvironment, _url: &str) -> Result<ClientSettings, String> {
        Err("none of its settings reliably sends all its requests to a gateway".to_owned())
    }
}

/// Settings that point a client at a gateway.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// The user's own file.
    pub file: PathBuf,
    /// The settings that contain the gateway's address. If another value is already set, the user chose it.
    pub addresses: Vec<SettingPlace>,
    /// Settings that go with the addresses, unless the user has already set them.
    pub beside: Vec<SettingPlace>,
    /// Notes about requests that still bypass the gateway.
    pub notes: Vec<String>,
}

/// How a client is started: variables, arguments in front of the user's own, replacements for some of the user's
/// arguments, and the files that these refer to. Notes list what could not be set.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// Environment variables.
    pub env: Vec<(String, String)>,
    /// Arguments in front of the user's own.
    pub args: Vec<String>,
    /// The user's arguments to replace, each with its replacement.
    pub instead: Vec<(String, String)>,
    /// Notes for the user about requests that do not go through the gateway.
    pub notes: Vec<String>,
    /// Files that the variables and arguments refer to. They are removed when this value is dropped.
    pub files: Vec<PrivateFile>,
}

impl LaunchOptions {
    /// Points the variables of these providers at local endpoints.
    ///
    /// # Errors
    /// If an address is invalid, or no port is free.
    pub fn variables(
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
        vendors: &[VendorVariables],
    ) -> Result<Self, CommandFault> {
        let mut launch = Self { env: direct(environment), ..Self::default() };
        for vendor in vendors {
            for name in vendor.names {
                let place = place(vendor, name, environment);
                launch.variable(endpoints, vendor, name, &place)?;
            }
        }
        Ok(launch)
    }

    /// All arguments of the client, given the arguments that the user typed.
    pub fn arguments(&self, typed: &[OsString]) -> Vec<OsString> {
        let ours = self.args.iter().map(OsString::from);
        let instead = |arg: &OsString| self.instead.iter().find(|(old, _)| OsStr::new(old) == arg);
        let typed = typed.iter().map(|arg| instead(arg).map_or(arg.clone(), |(_, new)| new.into()));
        ours.chain(typed).collect()
    }

    /// Writes a file that is removed when `self` is dropped, and returns its path.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn file(&mut self, name: &str, text: &str) -> Result<String, CommandFault> {
        let file = PrivateFile::new(name, text).map_err(|error| {
            let what = format!("cannot write a file in {}: {error}", std::env::temp_dir().display());
            CommandFault::unable(what, "make room there, or set TMPDIR to another folder")
        })?;
        let path = file.path().display().to_string();
        self.files.push(file);
        Ok(path)
    }

    /// Points one variable at a local endpoint, unless the variable has to stay unset or unchanged.
    ///
    /// # Errors
    /// If the address is invalid, or no port is free.
    pub fn variable(
        &mut self,
        endpoints: &mut LocalEndpoints,
        vendor: &VendorVariables,
        name: &str,
        place: &VendorPlace,
    ) -> Result<(), CommandFault> {
        if vendor.usual.is_empty() && !matches!(place, VendorPlace::Chosen(_)) {
            if let VendorPlace::Open(why) = place {
                self.notes.push(format!("{name} is left unchanged, because {why}"));
            }
            return Ok(());
        }
        match (endpoints.lead(name, (vendor.provider, vendor.usual), place)?, place) {
            (Some(url), _) => self.env.push((name.to_owned(), url)),
            (None, VendorPlace::Open(why)) => self.notes.push(format!("{name} is left unset, because {why}")),
            (None, _) => {}
        }
        Ok(())
    }
}

/// The server that a variable leads to. The program may also read `.env` files, which never override variables that are
/// set.
fn place(vendor: &VendorVariables, name: &str, environment: &ClientEnvironment) -> VendorPlace {
    let place = vendor.place(name, environment);
    if environment.url(name).is_some() {
        return place;
    }
    match environment.env_file(|name| vendor.is_place(name)) {
        Some((file, name)) => VendorPlace::Open(format!("{} sets {name}", file.display())),
        None => place,
    }
}

/// Variables that make a client bypass a company's proxy for requests to this machine.
pub(super) fn direct(environment: &ClientEnvironment) -> Vec<(String, String)> {
    if environment.proxy_variable().is_none() {
        return Vec::new();
    }
    let add = |name: &str| {
        let hosts = environment.var(name).map_or(String::new(), |hosts| format!("{hosts},"));
        (name.to_owned(), format!("{hosts}127.0.0.1,localhost"))
    };
    vec![add("NO_PROXY"), add("no_proxy")]
}

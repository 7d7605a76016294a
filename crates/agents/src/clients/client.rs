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
    /// The name of its command.
    fn name(&self) -> &'static str;

    /// The command that installs it, if there is one.
    fn install(&self) -> Option<&'static str>;

    /// The addresses that it would read from files in its working directory. The user may not have written those files,
    /// so nothing is sent there until the user confirms.
    fn planted_addresses(&self, _world: &ClientEnvironment) -> Vec<PlantedAddress> {
        Vec::new()
    }

    /// The launch options with which all its requests go through local endpoints.
    ///
    /// # Errors
    /// If an address is invalid, or the client is set up in a way that cannot be changed.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault>;

    /// The settings of its own that permanently send all its requests to a gateway at `url`; or why none reliably does.
    ///
    /// # Errors
    /// Why no setting reliably does.
    fn settings(&self, _world: &ClientEnvironment, _url: &str) -> Result<ClientSettings, String> {
        Err("no setting of its own is known that surely would".to_owned())
    }
}

/// Settings that point a client at a gateway.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// The user's own file.
    pub file: PathBuf,
    /// The values that name the gateway. Any other value found there is the user's choice.
    pub addresses: Vec<SettingPlace>,
    /// Values that go with them, unless the user has chosen.
    pub beside: Vec<SettingPlace>,
    /// What still bypasses the gateway.
    pub notes: Vec<String>,
}

/// How a client is started: variables, arguments in front of the user's own, replacements for some of these, and the files
/// that they name. Notes list what could not be set.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// Environment variables.
    pub env: Vec<(String, String)>,
    /// Arguments in front of the user's own.
    pub args: Vec<String>,
    /// Arguments of the user, and what replaces each.
    pub instead: Vec<(String, String)>,
    /// What does not come through, for people to read.
    pub notes: Vec<String>,
    /// Files that the variables and arguments name; they exist as long as this.
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

    /// All its arguments, given the user's own.
    pub fn arguments(&self, typed: &[OsString]) -> Vec<OsString> {
        let ours = self.args.iter().map(OsString::from);
        let instead = |arg: &OsString| self.instead.iter().find(|(old, _)| OsStr::new(old) == arg);
        let typed = typed.iter().map(|arg| instead(arg).map_or(arg.clone(), |(_, new)| new.into()));
        ours.chain(typed).collect()
    }

    /// Writes a file that lives as long as `self`, and returns its path.
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

    /// Points one variable at a local endpoint, unless it has to stay unset or unchanged.
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
                self.notes.push(format!("{name} stays as it is, because {why}"));
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

/// The server that a variable names, in a program that may also read `.env` files, which never override what is set.
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

/// Keeps a client that uses a company's proxy from sending requests for this machine to it.
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

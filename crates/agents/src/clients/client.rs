//! A client, and what it is told.

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

    /// The addresses that it would take from files of the folder that it starts in: whoever wrote those files is not the
    /// user, so nothing is sent there before the user has said so.
    fn planted_addresses(&self, _world: &ClientEnvironment) -> Vec<PlantedAddress> {
        Vec::new()
    }

    /// What to tell it so that all it sends comes through doors of ours.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault>;

    /// Which of its own settings would send all it asks for to a gateway at `url` for good; or why none surely does.
    fn settings(&self, _world: &ClientEnvironment, _url: &str) -> Result<ClientSettings, String> {
        Err("no setting of its own is known that surely would".to_owned())
    }
}

/// The settings by which a client goes to a gateway.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// The user's own file.
    pub file: PathBuf,
    /// The values that name the gateway. Any other value that stands there is the user's choice.
    pub addresses: Vec<SettingPlace>,
    /// Values that go with them, unless the user has chosen.
    pub beside: Vec<SettingPlace>,
    /// What does not come through all the same.
    pub notes: Vec<String>,
}

/// What a client is told: variables, arguments before the user's own, arguments in the place of some of these, and files
/// that all of them name. Notes say what it was not told.
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
    /// Points the variables of these providers at doors.
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

    /// All its arguments, where these are the user's own.
    pub fn arguments(&self, typed: &[OsString]) -> Vec<OsString> {
        let ours = self.args.iter().map(OsString::from);
        let instead = |arg: &OsString| self.instead.iter().find(|(old, _)| OsStr::new(old) == arg);
        let typed = typed.iter().map(|arg| instead(arg).map_or(arg.clone(), |(_, new)| new.into()));
        ours.chain(typed).collect()
    }

    /// Writes a file that is there for as long as this is; gives its path.
    pub fn file(&mut self, name: &str, text: &str) -> Result<String, CommandFault> {
        let file = PrivateFile::new(name, text).map_err(|error| {
            let what = format!("cannot write a file in {}: {error}", std::env::temp_dir().display());
            CommandFault::unable(what, "make room there, or set TMPDIR to another folder")
        })?;
        let path = file.path().display().to_string();
        self.files.push(file);
        Ok(path)
    }

    /// Points one variable at a door, unless it has to stay unset, or as it is.
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

/// Where a name leads in a program that may read files of variables, which say nothing about what is set already.
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

/// Keeps a client that uses a company's proxy from asking that for this machine.
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

//! Finds and reads the configuration file. The file extension decides between TOML and YAML.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::env::Environment;
use super::node::SettingNode;
use super::origin::SettingOrigin;
use super::problem::Problem;
use super::sources::SettingSources;
use super::{env, toml, yaml};

/// The maximum size of a configuration file.
const MAX_FILE_BYTES: u64 = 1 << 20;

const NAMES: [&str; 3] = ["tersely.toml", "tersely.yaml", "tersely.yml"];

/// A configuration file, and whether the user chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FoundFile {
    /// Named by a flag or the environment, or found in the user's configuration folder.
    MergedSettings(PathBuf),
    /// Found only because it is in the working directory. Any downloaded project may contain such a file.
    Here(PathBuf),
}

impl FoundFile {
    /// The path of the file.
    pub(crate) fn path(self) -> PathBuf {
        match self {
            Self::MergedSettings(path) | Self::Here(path) => path,
        }
    }
}

/// The file to read: the named one, else the one in the working directory, else the user's own.
pub(crate) fn find(sources: &SettingSources) -> Option<FoundFile> {
    let variable = |name: &str| sources.environment.get(name).filter(|value| !value.is_empty());
    let named = sources.flags.config.clone().or_else(|| variable(env::CONFIG).map(PathBuf::from));
    let own = || first(&user_folder(&sources.environment)?).map(FoundFile::MergedSettings);
    named.map(FoundFile::MergedSettings).or_else(|| here(&sources.here)).or_else(own)
}

/// The user's own file, if the file that was found is only the one in the working directory.
pub(crate) fn below(found: &FoundFile, sources: &SettingSources) -> Option<FoundFile> {
    let FoundFile::Here(_) = found else { return None };
    first(&user_folder(&sources.environment)?).map(FoundFile::MergedSettings)
}

/// The user's configuration folder.
pub(crate) fn user_folder(environment: &Environment) -> Option<PathBuf> {
    let variable = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    let xdg = variable("XDG_CONFIG_HOME").or_else(|| variable("APPDATA")).map(PathBuf::from);
    let folder = xdg.or_else(|| variable("HOME").map(|home| Path::new(home).join(".config")))?;
    Some(folder.join("tersely"))
}

/// The folder for the user's state files.
pub(crate) fn state_folder(environment: &Environment) -> Option<PathBuf> {
    let variable = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    let xdg = variable("XDG_STATE_HOME").or_else(|| variable("LOCALAPPDATA")).map(PathBuf::from);
    let folder = xdg.or_else(|| variable("HOME").map(|home| Path::new(home).join(".local/state")))?;
    Some(folder.join("tersely"))
}

/// Reads a file into a tree.
pub(crate) fn read(path: &Path) -> Result<SettingNode, Problem> {
    let name = path.display();
    let bytes = load(path).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Problem::of(name, "larger than 1 MiB; is this really a configuration file?"));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        Problem::of(format!("{name}:{line}"), "not UTF-8 text").hint("save the file as UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tree = match path.extension().and_then(|end| end.to_str()) {
        Some("toml") => toml::read(text),
        Some("yaml" | "yml") => yaml::read(text),
        _ => {
            return Err(Problem::of(name, "the name ends in neither .toml nor .yaml")
                .hint("name it tersely.toml or tersely.yaml"));
        }
    };
    tree.map_err(|fault| Problem::of(format!("{name}:{}", fault.line), fault.what))
}

/// Reads a file, up to one byte more than the limit, which is enough to see that it is too large.
pub(crate) fn load(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The origin of a value: a file and a line.
pub(crate) fn at(path: &Path, line: usize) -> SettingOrigin {
    SettingOrigin::File(path.display().to_string().into(), line)
}

fn here(folder: &Path) -> Option<FoundFile> {
    first(folder).map(|path| FoundFile::Here(path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)))
}

fn first(folder: &Path) -> Option<PathBuf> {
    NAMES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let what = match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        ErrorKind::IsADirectory => "this is a directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    Problem::of(path.display(), what).hint("check the path after --config, or in TERSELY_CONFIG")
}

//! Finds all filters, in order of precedence.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tersely_core::Filter;

use super::file::{self, FilterFile};
use super::folder::files;
use super::trust;
use crate::file::load;
use crate::problem::Problem;

/// Where a filter comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterPlace {
    /// In `.tersely/filters` of the project that the command runs in.
    Project,
    /// In the user's own folder, or in the folder that the settings name.
    User,
    /// Built into the program.
    Shipped,
}

impl FilterPlace {
    /// The name of the place in lists.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Shipped => "shipped",
        }
    }
}

/// Whether a filter applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterState {
    /// It applies.
    On,
    /// Its file disables it.
    Off,
    /// Another filter of the same name takes precedence.
    Shadowed,
    /// It belongs to a project that the user has not trusted.
    Untrusted,
    /// It cannot be read.
    Broken,
}

impl FilterState {
    /// The name of the state in lists.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Shadowed => "shadowed",
            Self::Untrusted => "not trusted",
            Self::Broken => "broken",
        }
    }
}

/// A filter that was found.
#[derive(Debug)]
pub struct FoundFilter {
    /// Its name.
    pub name: String,
    /// Where the filter comes from.
    pub place: FilterPlace,
    /// The path of its file; for a shipped filter, `shipped/NAME.toml`.
    pub path: PathBuf,
    /// Whether it applies.
    pub state: FilterState,
    /// Its content, or everything that is wrong with it.
    pub file: Result<FilterFile, Vec<Problem>>,
}

/// All filters that were found.
#[derive(Debug, Default)]
pub struct FilterShelf {
    /// The filters, in order of precedence.
    pub found: Vec<FoundFilter>,
    /// The project's filter folder, if there is one.
    pub project: Option<PathBuf>,
}

/// The filters that are built into the program.
const SHIPPED: [(&str, &str); 3] = [
    ("ansible", include_str!("../../filters/ansible.toml")),
    ("ffmpeg", include_str!("../../filters/ffmpeg.toml")),
    ("kubernetes-objects", include_str!("../../filters/kubernetes-objects.toml")),
];

/// The folder of a project's filters, relative to the project.
const PROJECT: &str = ".tersely/filters";

impl FilterShelf {
    /// Finds the filters of the project that contains `here`, those in the user's `folder`, and the shipped ones.
    /// `config` is the folder with the list of trusted projects.
    #[must_use]
    pub fn find(here: &Path, folder: Option<&Path>, config: Option<&Path>) -> Self {
        let project = project(here);
        let mut found = Vec::new();
        if let Some(folder) = &project {
            let trusted = config.is_some_and(|config| trust::is_trusted(config, folder));
            found.extend(read_all(folder, FilterPlace::Project, trusted));
        }
        found.extend(folder.map(|folder| read_all(folder, FilterPlace::User, true)).unwrap_or_default());
        found.extend(SHIPPED.iter().map(|(name, text)| {
            let path = PathBuf::from(format!("shipped/{name}.toml"));
            let file = file::read(name, &path, text);
            FoundFilter {
                name: (*name).to_owned(),
                place: FilterPlace::Shipped,
                state: state(&file, true),
                path,
                file,
            }
        }));
        shadow(&mut found);
        Self { found, project }
    }

    /// The filters that apply.
    pub fn active(&self) -> impl Iterator<Item = &FoundFilter> {
        self.found.iter().filter(|found| found.state == FilterState::On)
    }

    /// The filters that apply, in the form that the engine uses.
    #[must_use]
    pub fn filters(&self) -> Vec<Filter> {
        self.active().filter_map(|found| Some(found.file.as_ref().ok()?.filter.clone())).collect()
    }

    /// The problems in the user's own filters.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let broken = self.found.iter().filter(|found| found.place != FilterPlace::Project);
        broken.filter_map(|found| found.file.as_ref().err()).flatten().cloned().collect()
    }

    /// A notice about project filters that are ignored, if there are any.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let count = |state| self.found.iter().filter(|found| found.state == state).count();
        let folder = self.project.as_ref()?.display();
        let is_broken =
            |found: &&FoundFilter| found.place == FilterPlace::Project && found.state == FilterState::Broken;
        let broken = self.found.iter().find(is_broken);
        match (count(FilterState::Untrusted), broken) {
            (0, None) => None,
            (0, Some(broken)) => Some(format!(
                "{} is invalid and ignored; `tersely filter list` shows the error",
                broken.path.display()
            )),
            (1, _) => {
                Some(format!("1 filter in {folder} is ignored; read it, then run `tersely filter trust`"))
            }
            (many, _) => Some(format!(
                "{many} filters in {folder} are ignored; read them, then run `tersely filter trust`"
            )),
        }
    }
}

/// The nearest filter folder, in `here` or a folder above it.
fn project(here: &Path) -> Option<PathBuf> {
    let here = fs::canonicalize(here).ok()?;
    here.ancestors().map(|folder| folder.join(PROJECT)).find(|folder| folder.is_dir())
}

fn read_all(folder: &Path, place: FilterPlace, trusted: bool) -> Vec<FoundFilter> {
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // Untrusted files are not even read.
        let file = if trusted { read_file(&name, &path) } else { Err(Vec::new()) };
        FoundFilter { name, place, state: state(&file, trusted), path, file }
    };
    files(folder).into_iter().map(read).collect()
}

/// Reads a filter from its file.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn read_file(name: &str, path: &Path) -> Result<FilterFile, Vec<Problem>> {
    let fault = |what: String| vec![Problem::of(path.display(), what).hint(file::HINT)];
    let bytes = load(path).map_err(|error| fault(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fault("not UTF-8 text".to_owned()))?;
    file::read(name, path, &text)
}

fn state(file: &Result<FilterFile, Vec<Problem>>, trusted: bool) -> FilterState {
    match file {
        _ if !trusted => FilterState::Untrusted,
        Err(_) => FilterState::Broken,
        Ok(file) if !file.enabled => FilterState::Off,
        Ok(_) => FilterState::On,
    }
}

/// Marks all but the first filter of each name as shadowed. An untrusted filter does not shadow others.
fn shadow(found: &mut [FoundFilter]) {
    let mut seen = BTreeSet::new();
    for filter in found.iter_mut().filter(|filter| filter.state != FilterState::Untrusted) {
        if !seen.insert(filter.name.clone()) {
            filter.state = FilterState::Shadowed;
        }
    }
}

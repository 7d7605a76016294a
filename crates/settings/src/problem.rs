//! A problem in the settings: what is wrong, where, and what to do.

use std::fmt;

use tersely_terminal::fault::CommandFault;

use super::origin::SettingOrigin;

const HINT: &str = "fix this setting; `tersely config reference` lists every key and its values";

/// A problem in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    place: String,
    what: String,
    hint: Option<String>,
}

impl Problem {
    /// A problem with one key, and the origin of its value.
    pub fn at(origin: &SettingOrigin, key: &str, what: impl fmt::Display) -> Self {
        let place = match origin {
            SettingOrigin::File(path, line) => format!("{path}:{line}: {key}"),
            SettingOrigin::Environment(name) => name.clone(),
            SettingOrigin::Flag(name) => (*name).to_owned(),
            SettingOrigin::Default => key.to_owned(),
        };
        Self { place, what: what.to_string(), hint: None }
    }

    /// A problem with a key that only a file chosen by the user may set.
    #[must_use]
    pub fn not_allowed_here(key: &str, origin: &SettingOrigin) -> Self {
        let place = match origin {
            SettingOrigin::File(path, line) => format!("{path}:{line}"),
            other => other.to_string(),
        };
        let file = place.split(':').next().unwrap_or_default().to_owned();
        let what = format!(
            "`{key}` cannot be set in a configuration file that was found automatically; pass the file with --config"
        );
        Self { place, what, hint: None }
            .hint(format!("if you trust the file, name it: --config ./{file}, or TERSELY_CONFIG=./{file}"))
    }

    /// A problem with a whole file.
    pub fn of(file: impl fmt::Display, what: impl fmt::Display) -> Self {
        Self { place: file.to_string(), what: what.to_string(), hint: None }
    }

    /// The problem with another hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// The error that ends a command and lists all problems, one per line.
pub fn fault(problems: Vec<Problem>) -> CommandFault {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    let hint = problems.into_iter().find_map(|problem| problem.hint);
    CommandFault::unable(lines.join("\n"), hint.unwrap_or_else(|| HINT.to_owned()))
}

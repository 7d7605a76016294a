//! The general transforms. A stage proposes; the pipeline measures, checks and accepts.

mod again;
mod alike;
mod ansi;
mod binary;
pub(crate) mod cap;
mod codes;
mod csv;
pub(crate) mod dictionary;
mod entry;
mod fold;
mod git;
mod grid;
mod gutter;
mod hit;
mod json;
mod lead;
mod listing;
mod log;
mod noise;
mod other;
mod paths;
pub(crate) mod preview;
#[cfg(test)]
mod proof;
mod python;
pub(crate) mod redact;
mod schema;
mod search;
pub(crate) mod snapshot;
mod source;
mod space;
mod stat;
mod table;
mod tree;
mod usual;
mod xml;

use crate::{Call, Loss, Mode, Plan, Room};

/// What a stage sees beside the text.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The settings.
    pub plan: &'a Plan,
    /// The call that the text answers.
    pub call: Call<'a>,
}

/// A proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What the text would become; of an exact edit, the part below its mark.
    pub text: String,
    /// What would be lost.
    pub loss: Loss,
    /// For an exact edit, what `restore` needs beside the text; a few words, on one line.
    pub note: String,
}

/// One transform: no state, no clock, no way to fail.
pub trait Stage: Sync {
    /// Its name everywhere: marks, reports, settings.
    fn name(&self) -> &'static str;

    /// The first mode that runs it.
    fn mode(&self) -> Mode;

    /// True when a file's own text stays as it is, so that an edit of it still matches.
    fn keeps_text(&self) -> bool {
        false
    }

    /// True when an edit that leaves detail out leaves whole lines out, so that lines with errors can be looked for.
    fn cuts_lines(&self) -> bool {
        true
    }

    /// True when a line that it shows means the same wherever it stands: no head and no other line adds to it.
    fn lines_stand_alone(&self) -> bool {
        false
    }

    /// What it would make of the text.
    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit>;

    /// The text that an exact edit of its own came from; `None` when there is no room for it.
    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let _ = (room, note, text);
        None
    }
}

/// The name in the mark of a text that no stage changed.
pub(crate) const TEXT: &str = "text";

/// The name in the mark of a text that was taken out of a JSON document.
pub(crate) const WRAPPED: &str = "wrapped";

/// The stage that knows a file by the numbers before its lines.
pub(crate) const NUMBERED: &str = "numbered";

/// What is done to every text, in the order in which it is.
pub static CLEAN: &[&dyn Stage] = &[&ansi::Ansi, &binary::Binary];

/// What leaves detail out whatever the tool.
pub static CUTS: &[&dyn Stage] = &[&json::Excerpt, &alike::Alike];

/// What leaves more out once the tool's own family was asked: times gone, a family might not know its tool any more.
pub static REST: &[&dyn Stage] = &[&noise::Noise];

/// The ways to write the same in fewer tokens; the first that does is taken.
pub static FORMS: &[&dyn Stage] = &[
    &json::Json,
    &json::Lines,
    &json::Parts,
    &schema::Schema,
    &python::Python,
    &xml::Xml,
    &xml::Lines,
    &snapshot::Snapshot,
    &gutter::Gutter,
    &codes::Codes,
    &search::Search,
    &tree::Tree,
    &listing::Listing,
    &stat::Stat,
    &again::Again,
    &paths::Paths,
    &csv::Csv,
    &git::Blame,
    &git::Git,
    &table::Table,
    &log::Log,
    &fold::Fold,
    &space::Cells,
    &space::Blank,
    &dictionary::Dictionary,
];

/// What bounds a text that is still too long.
pub static CAPS: &[&dyn Stage] = &[&cap::Window, &cap::Ends];

/// True when lines of a text that this stage wrote mean the same wherever they stand.
pub(crate) fn stands_alone(name: &str) -> bool {
    let mut stages = CLEAN.iter().chain(FORMS);
    stages.any(|stage| stage.name() == name && stage.lines_stand_alone())
}

/// The stage called `name`.
pub(crate) fn find(name: &str) -> Option<&'static dyn Stage> {
    FORMS.iter().copied().find(|stage| stage.name() == name)
}

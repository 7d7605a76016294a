//! Table: one sentence of explanation for each name that reports show.
//!
//! Names are short because they appear in marks, labels and headers; these sentences explain them in reports.

/// Stages, and other things that change a result.
pub const STAGES: &[(&str, &str)] = &[
    (
        "alike",
        "Lines that differ from those shown only in numbers, times and identifiers are replaced by a count.",
    ),
    ("ansi", "Colors and other terminal codes are removed."),
    ("api", "A compression service shortened the result (`remote.strategy`)."),
    ("binary", "Binary data is omitted."),
    ("cap", "A text beyond the limit keeps its beginning and its end."),
    ("cap_error_window", "A text beyond the limit keeps its beginning, its end and the errors between them."),
    ("cargo", "Lines about compiled crates and passing tests are replaced by a count."),
    ("ci", "Each step of a CI run has one heading; times and the runner's own work are counted."),
    (
        "compiler",
        "The first of similar warnings is shown in full, the others by message and place; errors stay whole.",
    ),
    ("dictionary", "Words that repeat are written as short names, explained above (if `dictionary` is set)."),
    ("docker", "Lines about transferred image layers are replaced by a count."),
    ("duplicate", "The result equals an earlier one of the conversation, and is replaced by a reference."),
    ("earlier", "Lines that an earlier result shows are replaced by a reference."),
    ("elsewhere", "A model fetched text that an earlier request omitted."),
    ("escape", "Text that looks like a mark of Tersely is escaped."),
    ("excerpt", "Long strings and long lists in JSON show their beginning and their end."),
    ("external_provider", "A model shortened the result (`remote.strategy`)."),
    ("filter", "A filter of your own omitted something."),
    ("general", "Similar lines are rows below one template; frequent phrases are signs, explained above."),
    ("git diff", "Changes to lock files and other generated files are replaced by a count."),
    ("git log", "Commit subjects stay; commit bodies are replaced by a count."),
    ("git refs", "Hashes in lists of refs are shortened."),
    ("hits", "A long search shows every file with the first of its hits, and counts the others."),
    ("html", "The text of a web page; scripts and styles are replaced by a count."),
    ("json", "JSON records are rows below one line of names."),
    ("json parts", "JSON among other lines is written as rows; the other lines stay."),
    ("junit", "In a test report, passing cases are replaced by a count."),
    ("kubectl", "Values that are the same for every pod are replaced by a count."),
    ("listing", "A long listing: what most entries have in common is above, each entry shows what differs."),
    ("log", "What all lines of a log have around their time is shown once, above them."),
    ("minimize_table_whitespace", "Table cells have one space on each side."),
    ("noise", "Times and hashes are replaced by a word (aggressive mode)."),
    ("normalize_whitespace", "Blanks at the ends of lines and rows of blank lines are removed."),
    ("numbered", "Line numbers of a file lose their padding; its text stays as it is."),
    ("packages", "Lines about packages that a package manager fetched are replaced by a count."),
    ("page snapshot", "What similar elements of a browser page have in common is omitted."),
    ("paths", "A list of paths: each folder once, what it holds indented below."),
    ("preview", "A long text shows its beginning, its end and every error line between."),
    ("progress", "For a progress bar, only the final state is kept."),
    (
        "reminder",
        "A reminder that the client adds to results is replaced by a reference if it is shown above.",
    ),
    ("repeats", "Lines that repeat immediately are shown once, with their number."),
    ("schema", "JSON as a typed table (aggressive mode; not used by any text so far)."),
    ("search", "Hits of a search: each path once, its hits below."),
    ("simple", "The first words and every error replace the result (`remote.strategy`)."),
    ("since", "Output of a repeated command shows what changed since."),
    ("skim", "Long output shows both ends, every error, and lines that introduce others."),
    ("snapshot", "A page snapshot of a browser tool, with bare references."),
    ("terraform", "Resources that Terraform only reads are replaced by a count."),
    ("test", "Passing tests are replaced by a count; failures are shown in full."),
    ("unanswered", "A model asked for something that is not stored, or its request could not be parsed."),
    ("wrapped", "A text inside JSON is shown below its wrapping, as lines."),
];

/// Kinds of tools.
pub const TOOLS: &[(&str, &str)] = &[
    ("bash", "Commands in a shell."),
    ("edit", "Edits of files."),
    ("generic", "Other tools: MCP servers, web pages and so on."),
    ("glob", "Lists of files."),
    ("grep", "Searches in files."),
    ("read", "Files that were read."),
    ("write", "Files that were written."),
];

/// Kinds of texts, by the program that prints them.
pub const TEXTS: &[(&str, &str)] = &[
    ("cargo", "cargo."),
    ("docker", "docker, kubectl and other tools for containers."),
    ("fs", "Listings: ls, find, tree and the like."),
    ("generic", "No known program, or several at once."),
    ("git", "git."),
    ("grep", "grep, rg and other searches."),
    ("json", "No known program, but JSON."),
    ("make", "make and other builds."),
    ("npm", "npm and other package managers of JavaScript."),
    ("pip", "pip and other package managers of Python."),
    ("read", "Programs that print a file: cat, head, sed."),
    ("test", "Runners of tests."),
];

#[cfg(test)]
mod tests {
    use tersely_stage::clean::CLEAN;
    use tersely_stage::cut::{CAPS, CUTS, FAMILIES, Filter, REST};
    use tersely_stage::form::FORMS;

    use super::*;
    use crate::pipeline::footer::WRAPPED;
    use crate::session::{DUPLICATE, EARLIER};

    /// Behaviour 13.25.
    #[test]
    fn every_stage_has_a_sentence() {
        let tables =
            [CLEAN, FORMS, CUTS, FAMILIES, REST, CAPS].into_iter().flatten().map(|stage| stage.name());
        for name in tables.chain([Filter::STAGE, WRAPPED, DUPLICATE, EARLIER]) {
            assert!(STAGES.iter().any(|(known, _)| *known == name), "{name}");
        }
        for rows in [STAGES, TOOLS, TEXTS] {
            assert!(rows.is_sorted(), "in order, each once");
            assert!(rows.iter().all(|(_, about)| about.ends_with('.')));
        }
    }
}

//! Table: a sentence for each name that reports show.
//!
//! Names are short because they stand in marks, labels and headers; this is what they mean to whoever reads a report.

/// Stages, and what else changes a result.
pub const STAGES: &[(&str, &str)] = &[
    (
        "alike",
        "Lines that differ from those shown only in numbers, times and identifiers are left out and counted.",
    ),
    ("ansi", "Colours and other codes of a terminal are removed."),
    ("api", "A compression service shortened the result (`remote.strategy`)."),
    ("binary", "Bytes that are no text are left out."),
    ("cap", "A text beyond the limit keeps its beginning and its end."),
    (
        "cap_error_window",
        "A text beyond the limit keeps its beginning, its end and what goes wrong between them.",
    ),
    ("cargo", "Crates on their way and passing tests are counted."),
    ("ci", "Steps of a CI run stand under one heading each; times and the runner's own work are counted."),
    (
        "compiler",
        "Of warnings alike, the first is shown in full, of the others what and where; errors stay whole.",
    ),
    ("dictionary", "Words that repeat are written as short names, explained above (if `dictionary` is set)."),
    ("docker", "Layers of an image on their way are counted."),
    ("duplicate", "The whole result stands earlier in the conversation, and is named instead."),
    ("earlier", "Lines that an earlier result shows are named instead of repeated."),
    (
        "elsewhere",
        "What a model fetched back was left out of an earlier request, or nothing answers its question.",
    ),
    ("escape", "Words that look like a mark of Tersely's are spelled so that nobody takes them for one."),
    ("excerpt", "Long strings and long lists in JSON show their beginning and their end."),
    ("external_provider", "A model shortened the result (`remote.strategy`)."),
    ("filter", "A filter of your own left something out."),
    (
        "general",
        "Lines alike are rows below one template; phrases that come often are signs, explained above.",
    ),
    ("git diff", "Changes of lock files and other files that tools write are counted."),
    ("git log", "Subjects of commits stay; what stands below them is counted."),
    ("git refs", "Hashes in lists of refs are cut to what names them."),
    ("hits", "A long search shows every file with the first of its hits, and counts the others."),
    ("html", "The words of a web page; scripts and styles are counted."),
    ("json", "JSON records are rows below one line of names."),
    ("json parts", "JSON among other lines is written as rows; the other lines stay."),
    ("junit", "Cases of a test report that passed are counted."),
    ("kubectl", "What is the same for every pod is counted."),
    ("listing", "A long listing: what most entries are is said above, an entry says what differs."),
    ("log", "What all lines of a log say around their time is said once, above them."),
    ("minimize_table_whitespace", "Tables have one blank around each cell."),
    ("noise", "Times and hashes are replaced by a word (aggressive mode)."),
    ("normalize_whitespace", "Blanks at the ends of lines and rows of blank lines are removed."),
    ("numbered", "Line numbers of a file lose their padding; its text stays as it is."),
    ("packages", "What a package manager fetched is counted."),
    ("page snapshot", "What many alike elements of a page in a browser have in common is left out."),
    ("paths", "A list of paths: each folder once, what it holds indented below."),
    ("preview", "A long text shows its beginning, its end and every line between that tells of an error."),
    ("progress", "Of a progress bar, the last state stays."),
    ("reminder", "A reminder that the client adds to results is named where it stands above already."),
    ("repeats", "Lines that repeat at once are shown once, with how often they come."),
    ("schema", "JSON as a typed table (aggressive mode; no text so far)."),
    ("search", "Hits of a search: each path once, its hits below."),
    ("simple", "The first words and every error stand for the result (`remote.strategy`)."),
    ("since", "Output that was asked for again shows what changed since."),
    ("skim", "Long output shows both ends, every error, and lines that lead others."),
    ("snapshot", "A page as a browser tool draws it, with bare references."),
    ("terraform", "What Terraform only looks at is counted."),
    ("test", "Passing tests are counted, failures stay whole."),
    ("wrapped", "A text in JSON stands below its wrapping, as lines."),
];

/// Kinds of tools.
pub const TOOLS: &[(&str, &str)] = &[
    ("bash", "Commands in a shell."),
    ("edit", "Edits of files."),
    ("generic", "Tools of no known kind: MCP servers, web pages, whatever else a client has."),
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

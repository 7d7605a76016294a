//! Table: one sentence of explanation for each name that reports show.
//!
//! Names are short because they appear in marks, labels and headers; these sentences explain them in reports.

/// Stages, and other things that change a result.
pub const STAGES: &[(&str, &str)] = &[
    (
        "alike",
        "Omits lines that differ from a shown line only in numbers, times and identifiers, and shows their \
         count.",
    ),
    ("ansi", "Removes colors and other terminal codes."),
    ("api", "A compression service shortened the result (`remote.strategy`)."),
    ("binary", "Omits binary data."),
    ("cap", "Keeps only the beginning and the end of a text that exceeds `max_bytes`."),
    (
        "cap_error_window",
        "Keeps only the beginning, the end and the errors of a text that exceeds `max_bytes`.",
    ),
    ("cargo", "Replaces lines about compiled crates and passing tests with a count."),
    (
        "ci",
        "Shows each step of a CI run under one heading; replaces line timestamps, and lines about the \
         runner, with a count.",
    ),
    (
        "compiler",
        "Shows errors and the first warning of each kind in full, and only the message and location of \
         other warnings.",
    ),
    ("dictionary", "Replaces repeated phrases with short names, listed above the text (aggressive mode)."),
    ("docker", "Replaces lines about the transfer of image layers with a count."),
    ("duplicate", "Refers to an identical earlier result instead of repeating it."),
    ("earlier", "Replaces lines that already appear in an earlier result with a reference to that result."),
    ("elsewhere", "A model fetched text that was omitted from an earlier request."),
    ("escape", "Escapes text that looks like one of Tersely's marks."),
    ("excerpt", "Keeps only the beginning and the end of long strings and long lists in JSON."),
    ("external_provider", "A model shortened the result (`remote.strategy`)."),
    ("filter", "One of your filters omitted lines or fields."),
    (
        "general",
        "Writes similar lines as rows under one template, and replaces frequent phrases with symbols \
         listed above the text.",
    ),
    ("git diff", "Replaces changes to lock files and other generated files with a count."),
    ("git log", "Keeps commit subjects and replaces commit bodies with a count."),
    ("git refs", "Shortens hashes in lists of refs."),
    ("hits", "Shows every file in long search results with its first hits, and counts the other hits."),
    ("html", "Keeps the text of a web page and replaces scripts and styles with a count."),
    ("json", "Writes JSON records as rows under one line of field names."),
    ("json parts", "Writes JSON that appears among other lines as rows; the other lines stay unchanged."),
    ("junit", "Replaces passing test cases in a test report with a count."),
    ("kubectl", "Replaces values that are the same for every pod with a count."),
    ("listing", "Shows only once, above a long listing, the values that most of its entries share."),
    ("log", "Shows only once, above a log, the text that all its lines share, such as a date or a host."),
    ("minimize_table_whitespace", "Reduces the padding of table cells to one space on each side."),
    ("noise", "Replaces times and hashes with placeholders (aggressive mode)."),
    ("normalize_whitespace", "Removes trailing spaces and surplus blank lines."),
    ("numbered", "Removes the padding of line numbers in a file; the file text stays unchanged."),
    ("packages", "Replaces lines about fetched packages with a count."),
    ("page snapshot", "Omits what similar elements of a browser page have in common."),
    ("preview", "Shows the beginning, the end and every error line of a long text."),
    ("progress", "Keeps only the final state of a progress bar."),
    (
        "reminder",
        "Keeps the first copy of a reminder that the client adds to results; later results refer \
         to that copy.",
    ),
    ("repeats", "Shows consecutive repeated lines once, with a count."),
    ("schema", "Writes JSON as a typed table (aggressive mode; currently never used)."),
    ("search", "Shows each path in search results once, with its hits below it."),
    ("simple", "Keeps only the first words and every error of the result (`remote.strategy`)."),
    ("since", "Shows only what changed since the same command last ran."),
    ("skim", "Shows the beginning, the end, every error and the introductory lines of long output."),
    ("snapshot", "Writes element references in browser snapshots without brackets."),
    ("terraform", "Replaces resources that Terraform only reads with a count."),
    ("test", "Replaces passing tests with a count and shows failures in full."),
    (
        "unanswered",
        "A model asked for text that is not stored, or Tersely could not parse the model's \
         request.",
    ),
    ("wrapped", "Moves text out of a JSON wrapper and shows it as plain lines below the wrapper."),
];

/// Kinds of tools.
pub const TOOLS: &[(&str, &str)] = &[
    ("bash", "Shell commands."),
    ("edit", "File edits."),
    ("generic", "Other tools, such as MCP servers and web pages."),
    ("glob", "File lists."),
    ("grep", "File searches."),
    ("read", "File reads."),
    ("write", "File writes."),
];

/// Kinds of texts, by the program that prints them.
pub const TEXTS: &[(&str, &str)] = &[
    ("cargo", "Output of cargo."),
    ("docker", "Output of docker, kubectl and other container tools."),
    ("fs", "File listings from ls, find, tree and similar commands."),
    ("generic", "Output of an unknown program, or of several programs."),
    ("git", "Output of git."),
    ("grep", "Output of grep, rg and other search commands."),
    ("json", "JSON from an unknown program."),
    ("make", "Output of make and other build tools."),
    ("npm", "Output of npm and other JavaScript package managers."),
    ("pip", "Output of pip and other Python package managers."),
    ("read", "Files printed by cat, head, sed and similar commands."),
    ("test", "Output of test runners."),
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

//! Aliases in shell startup files that make clients start through Tersely.
//!
//! The aliases are defined only if the program exists: if it was removed, the clients start without it.

use std::path::{Path, PathBuf};

use tersely_terminal::fault::CommandFault;

use crate::clients::ClientEnvironment;
use crate::edit::SETTINGS_LIMIT;
use crate::init::plan::PlannedFile;
use crate::receipt::{Receipt, ReceiptKind, Receipts};

/// The marker lines around the lines that we write.
pub(crate) const BEGIN: &str = "# >>> tersely >>>";
pub(crate) const END: &str = "# <<< tersely <<<";

/// A shell's name, the variable for its folder, its default folder, and its startup file.
const SHELLS: [(&str, &str, &str, &str); 3] = [
    ("bash", "", "", ".bashrc"),
    ("zsh", "ZDOTDIR", "", ".zshrc"),
    ("fish", "XDG_CONFIG_HOME", ".config", "fish/config.fish"),
];

/// The planned change of one startup file, and notes about names that the file already defines.
pub(super) struct ShellPlan {
    pub(super) file: Option<PlannedFile>,
    pub(super) notes: Vec<String>,
}

/// The startup files that exist, and the startup file of the user's own shell.
pub(super) fn files(environment: &ClientEnvironment) -> Vec<PathBuf> {
    let own = environment.var("SHELL").and_then(|shell| Path::new(shell).file_name()?.to_str());
    let file =
        |(_, folder, usual, name): &(&str, &str, &str, &str)| environment.home(folder, usual).join(name);
    if environment.var("HOME").is_none() {
        return Vec::new();
    }
    let is_meant = |shell: &&(&str, &str, &str, &str)| Some(shell.0) == own || file(shell).exists();
    // Two shells may share one file through links.
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let meant = SHELLS.iter().filter(is_meant).map(file);
    meant.fold(Vec::new(), |mut files, path| {
        if !files.iter().any(|file| real(file) == real(&path)) {
            files.push(path);
        }
        files
    })
}

/// Plans the change of one startup file.
pub(super) fn plan(
    path: &Path,
    program: &str,
    clients: &[&str],
    receipts: &Receipts,
) -> Result<ShellPlan, CommandFault> {
    let mut file = PlannedFile::read(path, SETTINGS_LIMIT, 0o644)?;
    let block = block_place(&file.text).map_err(|()| unmatched_markers(path))?;
    let rest = block
        .clone()
        .map_or(file.text.clone(), |place| [&file.text[..place.start], &file.text[place.end..]].concat());
    let (taken, free): (Vec<_>, Vec<_>) = clients.iter().partition(|client| is_taken(&rest, client));
    let note = |client: &&str| {
        format!("{client}: left unchanged, because {} has an alias or function of that name", path.display())
    };
    let notes = taken.iter().map(note).collect();
    if free.is_empty() {
        return Ok(ShellPlan { file: None, notes });
    }
    let lines = lines(path, program, &free);
    let mut receipt = Receipt::new(ReceiptKind::Block, "", file.path());
    let earlier = receipts.find(&receipt).cloned();
    let added = if let Some(place) = &block {
        let foreign =
            earlier.as_ref().map(|earlier| foreign_lines(&earlier.added, &file.text[place.clone()]));
        file.text.replace_range(place.clone(), &(lines.clone() + &foreign.unwrap_or_default()));
        let lead = earlier.as_ref().is_some_and(|earlier| earlier.added.starts_with('\n'));
        format!("{}{lines}", if lead { "\n" } else { "" })
    } else {
        let lead = if file.text.is_empty() || file.text.ends_with('\n') { "" } else { "\n" };
        let added = format!("{lead}{lines}");
        file.text.push_str(&added);
        added
    };
    receipt.is_new = earlier.map_or(file.is_new(), |earlier| earlier.is_new);
    receipt.added = added;
    file.receipts = vec![receipt];
    Ok(ShellPlan { file: Some(file), notes })
}

/// The range of our block, if there is one. Returns an error if a marker is missing or repeated.
pub(crate) fn block_place(text: &str) -> Result<Option<std::ops::Range<usize>>, ()> {
    let lines = |sign: &str| {
        let mut at = 0;
        let found = text.split_inclusive('\n').filter_map(|line| {
            let place = at..at + line.len();
            at = place.end;
            (line.trim() == sign).then_some(place)
        });
        found.collect::<Vec<_>>()
    };
    match (&lines(BEGIN)[..], &lines(END)[..]) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin.end <= end.start => Ok(Some(begin.start..end.end)),
        _ => Err(()),
    }
}

/// The lines of a block that we did not write. If someone commented out one of our lines, it still counts as ours.
pub(crate) fn foreign_lines(ours: &str, block: &str) -> String {
    let bare = |line: &str| line.trim().trim_start_matches('#').trim().to_owned();
    let is_ours = |line: &&str| ours.lines().any(|it| bare(it) == bare(line));
    block.split_inclusive('\n').filter(|line| !is_ours(line)).collect()
}

fn unmatched_markers(path: &Path) -> CommandFault {
    let message = format!("{}: the lines {BEGIN} and {END} do not match", path.display());
    CommandFault::unable(message, "remove these lines and everything between them yourself")
}

/// The lines to write.
fn lines(path: &Path, program: &str, clients: &[&str]) -> String {
    let (word, test) = if program == "tersely" {
        (program.to_owned(), "command -v tersely >/dev/null 2>&1".to_owned())
    } else {
        let word = quote(program);
        (word.clone(), format!("test -x {word}"))
    };
    let (begin, end) =
        if is_fish(path) { (format!("if {test}"), "end") } else { (format!("if {test}; then"), "fi") };
    let alias = |client: &&str| format!("  alias {client}={}\n", quote(&format!("{word} run {client}")));
    let aliases: String = clients.iter().map(alias).collect();
    let why = "# Written by `tersely init`; `tersely uninstall` removes it.";
    format!("{BEGIN}\n{why}\n{begin}\n{aliases}{end}\n{END}\n")
}

/// Quotes a word for shells.
pub(super) fn quote(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn is_fish(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "fish")
}

/// True if a file already defines an alias or a function of this name.
fn is_taken(text: &str, client: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        let rest = line.strip_prefix("alias ").or_else(|| line.strip_prefix("function ")).unwrap_or(line);
        let is_said = rest.len() < line.len();
        let rest = rest.trim_start_matches("-g ").trim_start().strip_prefix(client);
        rest.is_some_and(|rest| {
            rest.starts_with("()")
                || rest.starts_with(" ()")
                || (is_said && rest.starts_with(['=', ' ', '(', '\t', '{']))
                || (is_said && rest.is_empty())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_means_something_already_is_seen() {
        for line in
            ["alias claude='x'", "  alias -g claude=x", "claude() {", "function claude {", "alias claude x"]
        {
            assert!(is_taken(&format!("# a\n{line}\n"), "claude"), "{line}");
        }
        for line in
            ["# alias claude=x", "alias claudes=x", "claude --version", "export CLAUDE=1", "alias c='claude'"]
        {
            assert!(!is_taken(line, "claude"), "{line}");
        }
    }

    #[test]
    fn lines_ask_for_the_program_first() {
        assert_eq!(
            lines(Path::new("x"), "tersely", &["claude"]),
            format!(
                "{BEGIN}\n# Written by `tersely init`; `tersely uninstall` removes it.\n\
                 if command -v tersely >/dev/null 2>&1; then\n  alias claude='tersely run claude'\nfi\n{END}\n"
            )
        );
        let odd = lines(Path::new("x"), "/a b/it's", &["x"]);
        assert!(odd.contains(r"if test -x '/a b/it'\''s'; then"), "{odd}");
    }

    #[test]
    fn what_somebody_wrote_between_our_lines_is_theirs() {
        let ours = lines(Path::new("x"), "tersely", &["claude"]);
        let theirs = ours.replace("fi\n", "fi\nexport MINE=1\n\n");
        assert_eq!(foreign_lines(&ours, &ours), "");
        assert_eq!(foreign_lines(&ours, &theirs), "export MINE=1\n\n");
        assert_eq!(foreign_lines(&format!("\n{ours}"), &theirs), "export MINE=1\n");
        assert_eq!(foreign_lines(&ours, &ours.replace("  alias", "  # alias")), "");
    }

    #[test]
    fn our_lines_are_found_by_their_signs() {
        let text = format!("a\n{BEGIN}\nb\n{END}\nc");
        assert_eq!(block_place(&text).map(|place| place.map(|place| text[place].len())), Ok(Some(38)));
        assert_eq!(block_place("a"), Ok(None));
        assert_eq!(block_place(BEGIN), Err(()));
        assert_eq!(block_place(&format!("{END}\n{BEGIN}\n")), Err(()));
        assert_eq!(block_place(&format!("{text}\n{text}")), Err(()));
    }
}

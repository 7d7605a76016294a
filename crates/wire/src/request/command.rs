//! Reads the command line or the path from a tool call's arguments, and checks whether they request a part of a file.

use std::borrow::Cow;

use tersely_json::{JsonError, JsonScan};

/// The members that may contain the command, in order of preference; for tools that read files, the path takes its
/// place.
const KEYS: [&str; 15] = [
    "command",
    "cmd",
    "shell_command",
    "code",
    "script",
    "query",
    "pattern",
    "path",
    "file",
    "file_path",
    "filePath",
    "filename",
    "absolute_path",
    "target_file",
    "notebook_path",
];

/// The commands of editor tools that can also show files.
const VERBS: [&str; 5] = ["view", "create", "str_replace", "insert", "undo_edit"];

/// Arguments that request a part of a file.
const PARTS: [&str; 18] = [
    "offset",
    "limit",
    "view_range",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "line_start",
    "line_end",
    "line_number",
    "line_range",
    "start_line_one_indexed",
    "end_line_one_indexed_inclusive",
    "range",
    "head",
    "tail",
    "max_lines",
    "num_lines",
];

/// Programs that run a script passed as an argument.
const SHELLS: [&str; 9] = ["bash", "sh", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh"];

/// The facts about a result that its call's arguments reveal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GivenArguments<'a> {
    pub(crate) command: Option<Cow<'a, str>>,
    /// True when the arguments request a part of a file.
    pub(crate) is_part: bool,
}

/// Reads the arguments at the current position: an object, or a string that contains an object.
pub(crate) fn read_arguments<'a>(scan: &mut JsonScan<'a>) -> Result<GivenArguments<'a>, JsonError> {
    if scan.peek() != Some(b'"') {
        return in_object(scan);
    }
    let Some(arguments) = scan.string()? else { return Ok(GivenArguments::default()) };
    // Some tools take a program or a patch as a plain string.
    if !arguments.trim_start().starts_with(['{', '[']) {
        return Ok(GivenArguments {
            command: Some(arguments).filter(|text| !text.is_empty()),
            ..GivenArguments::default()
        });
    }
    // Arguments that are not JSON do not make the body invalid.
    let GivenArguments { command, is_part } =
        in_object(&mut JsonScan::new(arguments.as_bytes())).unwrap_or_default();
    Ok(GivenArguments { command: command.map(|command| Cow::Owned(command.into_owned())), is_part })
}

/// Reads the command line at the current position: a string, or an array of words.
pub(crate) fn line<'a>(scan: &mut JsonScan<'a>) -> Result<Option<Cow<'a, str>>, JsonError> {
    Ok(match scan.peek() {
        Some(b'[') => join(&strings(scan)?).map(Cow::Owned),
        _ => scan.string()?.filter(|line| !line.is_empty()),
    })
}

/// Reads the strings of the array at the current position.
pub(crate) fn strings<'a>(scan: &mut JsonScan<'a>) -> Result<Vec<Cow<'a, str>>, JsonError> {
    let mut strings = Vec::new();
    scan.items(|scan| {
        strings.extend(scan.string()?);
        Ok(())
    })?;
    Ok(strings)
}

fn in_object<'a>(scan: &mut JsonScan<'a>) -> Result<GivenArguments<'a>, JsonError> {
    let mut lines: [Option<Cow<'a, str>>; KEYS.len()] = Default::default();
    let mut is_part = false;
    scan.members(|scan, key| {
        if let Some(rank) = KEYS.iter().position(|known| known.as_bytes() == key) {
            // If a name occurs twice, the last one that contains a command counts.
            lines[rank] = line(scan)?.or_else(|| lines[rank].take());
            return Ok(());
        }
        let place = scan.skip()?;
        let says = !["null", "\"\""].iter().any(|nothing| nothing.as_bytes() == &scan.body()[place.clone()]);
        is_part |= says && PARTS.iter().any(|part| part.as_bytes() == key);
        Ok(())
    })?;
    let mut lines = lines.into_iter().flatten();
    let first = lines.next();
    let command = match first {
        Some(verb) if VERBS.contains(&&*verb) => Some(editor_command(verb, lines.next())),
        first => first,
    };
    Ok(GivenArguments { command, is_part })
}

/// The editor's command and its file; for `view`, only the path.
fn editor_command<'a>(verb: Cow<'a, str>, path: Option<Cow<'a, str>>) -> Cow<'a, str> {
    match path {
        Some(path) if verb == "view" => path,
        Some(path) => Cow::Owned(format!("{verb} {path}")),
        None => verb,
    }
}

/// The command in `words`: the script, if the words start a shell with a script; otherwise the quoted words.
fn join(words: &[Cow<'_, str>]) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    if let Some(script) = script(words) {
        return Some(script.to_owned());
    }
    Some(words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "))
}

fn script<'a>(words: &'a [Cow<'_, str>]) -> Option<&'a str> {
    let (script, rest) = words.split_last()?;
    let (shell, options) = rest.split_first()?;
    let name = shell.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let shell = SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(&name));
    let runs = options.last().is_some_and(|option| takes_script(option));
    (shell && runs).then_some(script)
}

/// True for options that are followed by a script: `-c`, `-lc`, `/c`, `-Command`.
fn takes_script(option: &str) -> bool {
    let short = option.len() <= 4 && option.starts_with(['-', '/']) && option.ends_with(['c', 'C']);
    short || option.eq_ignore_ascii_case("-command")
}

fn quote(word: &str) -> Cow<'_, str> {
    let plain = |char: char| char.is_alphanumeric() || "_-./:=,@%+".contains(char);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &str, expected: Option<&str>) {
        let quoted = serde_json::to_string(arguments).expect("a string");
        for arguments in [arguments, &quoted] {
            let given = read_arguments(&mut JsonScan::new(arguments.as_bytes())).expect("arguments");
            assert_eq!(given.command.as_deref(), expected, "{arguments}");
        }
    }

    /// Behaviour 3.14.
    #[test]
    fn the_best_key_wins_wherever_it_stands() {
        check(r#"{"path":"src","pattern":"fn main"}"#, Some("fn main"));
        check(r#"{"file":"a","path":"b","cmd":"ls","x":{"command":"no"}}"#, Some("ls"));
        check(r#"{"command":"git log","description":"x"}"#, Some("git log"));
        check(r#"{"file_path":"a.rs","limit":3}"#, Some("a.rs"));
        check(r#"{"paths":"a.rs"}"#, None);
        check("{}", None);
    }

    #[test]
    fn what_is_no_line_gives_way_to_the_next_key() {
        check(r#"{"command":null,"cmd":"","query":7,"path":"a"}"#, Some("a"));
        check(r#"{"command":[],"path":"a"}"#, Some("a"));
    }

    #[test]
    fn the_script_of_a_shell_is_the_command() {
        check(r#"{"command":["bash","-lc","ls | wc"]}"#, Some("ls | wc"));
        check(r#"{"command":["/bin/sh","-c","ls"]}"#, Some("ls"));
        check(r#"{"command":["powershell.exe","-NoProfile","-Command","dir"]}"#, Some("dir"));
        check(r#"{"command":["cmd","/c","dir"]}"#, Some("dir"));
    }

    #[test]
    fn other_words_are_joined_as_a_shell_takes_them() {
        check(r#"{"command":["git","log","--format=%h %s"]}"#, Some("git log '--format=%h %s'"));
        check(r#"{"command":["echo","it's",""]}"#, Some(r"echo 'it'\''s' ''"));
        check(r#"{"command":["bash","run.sh"]}"#, Some("bash run.sh"));
        check(r#"{"command":["ls"]}"#, Some("ls"));
    }

    #[test]
    fn a_program_is_a_command_as_it_is() {
        let program = r#""text(await tools.exec_command({cmd: 'cat a'}))""#;
        let found = read_arguments(&mut JsonScan::new(program.as_bytes())).expect("a string");
        assert_eq!(found.command.as_deref(), Some("text(await tools.exec_command({cmd: 'cat a'}))"));
    }

    /// Behaviour 0.20: Codex's code mode passes its program in an argument with a different name.
    #[test]
    fn a_program_in_an_argument_is_a_command_too() {
        check(
            r#"{"code":"text(await tools.exec_command({cmd: 'cat a'}))"}"#,
            Some("text(await tools.exec_command({cmd: 'cat a'}))"),
        );
        check(r#"{"script":"cat a","language":"bash"}"#, Some("cat a"));
    }

    #[test]
    fn arguments_that_are_not_json_hold_no_command() {
        for arguments in [r#""{\"command\":""#, r#""""#, "null", "3"] {
            assert_eq!(
                read_arguments(&mut JsonScan::new(arguments.as_bytes())),
                Ok(GivenArguments::default()),
                "{arguments}"
            );
        }
    }

    #[test]
    fn an_editor_says_what_it_does_to_which_file() {
        check(r#"{"command":"view","path":"src/a.rs","view_range":[1,9]}"#, Some("src/a.rs"));
        check(r#"{"path":"src/a.rs","old_str":"x","command":"str_replace"}"#, Some("str_replace src/a.rs"));
        check(r#"{"command":"view"}"#, Some("view"));
    }

    #[test]
    fn a_part_of_a_file_is_told_from_all_of_it() {
        for (arguments, is_part) in [
            (r#"{"file_path":"a.rs"}"#, false),
            (r#"{"file_path":"a.rs","offset":null,"limit":""}"#, false),
            (r#"{"file_path":"a.rs","offset":40}"#, true),
            (r#"{"limit":9,"path":"a.rs"}"#, true),
            (r#"{"command":"view","path":"a.rs","view_range":[3,9]}"#, true),
            (r#"{"file_path":"a.rs","notes":{"limit":3}}"#, false),
        ] {
            let quoted = serde_json::to_string(arguments).expect("a string");
            for arguments in [arguments, &quoted] {
                let given = read_arguments(&mut JsonScan::new(arguments.as_bytes())).expect("arguments");
                assert_eq!(given.is_part, is_part, "{arguments}");
            }
        }
    }
}

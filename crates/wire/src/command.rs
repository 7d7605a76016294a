//! The command line in a tool call's arguments.

use std::borrow::Cow;

use crate::WireError;
use crate::scan::Scan;

/// The arguments that may hold it, best first; of a tool that reads files it is the path.
const KEYS: [&str; 13] = [
    "command",
    "cmd",
    "shell_command",
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

/// Programs that run a script given as an argument.
const SHELLS: [&str; 9] = ["bash", "sh", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh"];

/// The command in the arguments here: an object, or a string that spells one.
pub(crate) fn command<'a>(scan: &mut Scan<'a>) -> Result<Option<Cow<'a, str>>, WireError> {
    if scan.peek() != Some(b'"') {
        return in_object(scan);
    }
    let Some(arguments) = scan.string()? else { return Ok(None) };
    // A tool may take a program or a patch as it is.
    if !arguments.trim_start().starts_with(['{', '[']) {
        return Ok(Some(arguments).filter(|text| !text.is_empty()));
    }
    // Arguments that are not JSON are no fault of the body's.
    let inner = in_object(&mut Scan::new(arguments.as_bytes()));
    Ok(inner.ok().flatten().map(|command| Cow::Owned(command.into_owned())))
}

/// One command line from the words of an array here, or the string here.
pub(crate) fn line<'a>(scan: &mut Scan<'a>) -> Result<Option<Cow<'a, str>>, WireError> {
    Ok(match scan.peek() {
        Some(b'[') => join(&strings(scan)?).map(Cow::Owned),
        _ => scan.string()?.filter(|line| !line.is_empty()),
    })
}

/// The strings of the array here.
pub(crate) fn strings<'a>(scan: &mut Scan<'a>) -> Result<Vec<Cow<'a, str>>, WireError> {
    let mut strings = Vec::new();
    scan.items(|scan| {
        strings.extend(scan.string()?);
        Ok(())
    })?;
    Ok(strings)
}

fn in_object<'a>(scan: &mut Scan<'a>) -> Result<Option<Cow<'a, str>>, WireError> {
    let mut best: Option<(usize, Cow<'a, str>)> = None;
    scan.members(|scan, key| {
        let rank = KEYS.iter().position(|known| known.as_bytes() == key);
        let Some(rank) = rank.filter(|rank| best.as_ref().is_none_or(|(held, _)| rank <= held)) else {
            return scan.skip().map(drop);
        };
        if let Some(line) = line(scan)? {
            best = Some((rank, line));
        }
        Ok(())
    })?;
    Ok(best.map(|(_, line)| line))
}

/// What `words` run: the script where they start a shell with one, else the words as a shell would take them.
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

/// `-c`, `-lc`, `/c`, `-Command`.
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
        let direct = command(&mut Scan::new(arguments.as_bytes())).expect("arguments");
        assert_eq!(direct.as_deref(), expected, "{arguments}");
        let quoted = serde_json::to_string(arguments).expect("a string");
        let spelled = command(&mut Scan::new(quoted.as_bytes())).expect("a string");
        assert_eq!(spelled.as_deref(), expected, "{quoted}");
    }

    /// Contract 3.14.
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
        let found = command(&mut Scan::new(program.as_bytes())).expect("a string");
        assert_eq!(found.as_deref(), Some("text(await tools.exec_command({cmd: 'cat a'}))"));
    }

    #[test]
    fn arguments_that_are_not_json_hold_no_command() {
        for arguments in [r#""{\"command\":""#, r#""""#, "null", "3"] {
            assert_eq!(command(&mut Scan::new(arguments.as_bytes())), Ok(None), "{arguments}");
        }
    }
}

//! Finds the commands whose output a command line shows.

use crate::call::family::{PICKS, bare, name, script};
use crate::call::shell::{self, Output, ShellCommand};

/// Shells nested deeper than this are not inspected.
const MAX_DEPTH: usize = 4;

/// The commands whose output `line` shows, each without assignments, prefixes and its directory. For example,
/// `cd x && sudo /bin/a -b | tail` shows the output of `a -b`. Output piped into a command that rewrites it is not
/// shown.
pub(super) fn commands(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    gather(line, MAX_DEPTH, &mut found);
    found
}

fn gather(line: &str, depth: usize, found: &mut Vec<String>) {
    let commands = shell::commands(line);
    for pipeline in commands.split_inclusive(|command| command.output != Output::Piped) {
        let is_filed = pipeline.last().is_some_and(|last| last.output == Output::Filed);
        let Some((first, rest)) = pipeline.split_first() else { continue };
        let Some((program, words)) = bare(&first.words).split_first() else { continue };
        if is_filed || !rest.iter().all(only_picks_lines) {
            continue;
        }
        match (&*name(program), script(words)) {
            ("bash" | "sh" | "zsh" | "dash", Some(line)) if depth > 0 => gather(line, depth - 1, found),
            (program, _) => {
                let words = words.iter().map(String::as_str);
                found.push(std::iter::once(program).chain(words).collect::<Vec<_>>().join(" "));
            }
        }
    }
}

/// True when a command only selects or sorts the lines of its input.
fn only_picks_lines(command: &ShellCommand) -> bool {
    bare(&command.words).first().is_some_and(|program| PICKS.contains(&&*name(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_under_what_stands_before_them() {
        for (line, expected) in [
            ("helm template x", "helm template x"),
            ("cd a && A=1 sudo -u me /usr/bin/helm list | grep x | tail -5", "cd a, helm list"),
            ("bash -lc 'ansible-playbook site.yml'", "ansible-playbook site.yml"),
            ("helm list | awk '{print $1}'", ""),
            ("helm list > out; ls", "ls"),
            ("", ""),
        ] {
            assert_eq!(commands(line).join(", "), expected, "{line}");
        }
    }

    #[test]
    fn shells_in_shells_end_somewhere() {
        let nested = |depth| (0..depth).fold("a b".to_owned(), |line, _| format!("bash -c {line:?}"));
        assert_eq!(commands(&nested(MAX_DEPTH)), ["a b"]);
        assert!(commands(&nested(MAX_DEPTH + 5))[0].starts_with("bash -c "));
    }
}

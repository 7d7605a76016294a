//! Finds secrets after a command's short flag: `mysql -p…`, `sshpass -p …`, `redis-cli -a …`.

use std::ops::Range;

use crate::redact::style::PairStyle;
use crate::redact::{field, value};

/// How a flag and its value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// Only `-pvalue`: a separate word after the flag is not a password.
    Joined,
    /// `-p value` or `-pvalue`.
    Either,
}

use Joint::{Either, Joined};

/// Commands by their first words, each with the flag that takes a secret.
const COMMANDS: &[(&str, &str, Joint)] = &[
    ("mysql", "-p", Joined),
    ("mysqldump", "-p", Joined),
    ("mysqladmin", "-p", Joined),
    ("mysqlimport", "-p", Joined),
    ("mysqlcheck", "-p", Joined),
    ("mysqlbinlog", "-p", Joined),
    ("mariadb", "-p", Joined),
    ("mariadb-dump", "-p", Joined),
    ("mongo", "-p", Either),
    ("mongosh", "-p", Either),
    ("mongodump", "-p", Either),
    ("mongorestore", "-p", Either),
    ("mongoexport", "-p", Either),
    ("mongoimport", "-p", Either),
    ("redis-cli", "-a", Either),
    ("valkey-cli", "-a", Either),
    ("sshpass", "-p", Either),
    ("docker login", "-p", Either),
    ("podman login", "-p", Either),
    ("buildah login", "-p", Either),
    ("skopeo login", "-p", Either),
    ("crane auth login", "-p", Either),
    ("helm registry login", "-p", Either),
    ("oc login", "-p", Either),
    ("az login", "-p", Either),
    ("az acr login", "-p", Either),
    ("twine upload", "-p", Either),
    ("poetry publish", "-p", Either),
    ("cqlsh", "-p", Either),
    ("sqlcmd", "-P", Either),
    ("bcp", "-P", Either),
    ("isql", "-P", Either),
    ("mosquitto_pub", "-P", Either),
    ("mosquitto_sub", "-P", Either),
    ("ipmitool", "-P", Either),
    ("zip", "-P", Either),
    ("unzip", "-P", Either),
    ("7z", "-p", Joined),
    ("ldapsearch", "-w", Either),
    ("ldapadd", "-w", Either),
    ("ldapmodify", "-w", Either),
    ("ldapwhoami", "-w", Either),
    ("openssl", "-passin", Either),
    ("openssl", "-passout", Either),
];

/// The maximum number of bytes between a command and its flag.
const MAX_COMMAND_BYTES: usize = 200;

/// The maximum number of words between a command and its flag.
const MAX_WORDS: usize = 12;

/// The secret after the flag at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    if !COMMANDS.iter().any(|(_, flag, _)| rest.starts_with(flag)) {
        return None;
    }
    let words: Vec<&str> = words(text, at).collect();
    COMMANDS
        .iter()
        .filter(|(command, flag, _)| rest.starts_with(flag) && runs(&words, command))
        .find_map(|&(_, flag, joint)| argument(text, at + flag.len(), joint))
}

/// The words of the command up to its flag, without directory names.
fn words(text: &str, at: usize) -> impl Iterator<Item = &str> {
    let words = line(text, at).split([' ', '\t', '"', '\'', '\n']).filter(|word| !word.is_empty());
    // The command may be the value of an assignment: `DEPLOY=sshpass -p …`.
    words.take(MAX_WORDS).map(|word| word.rsplit(['/', '=']).next().unwrap_or(word))
}

/// The command up to its flag.
fn line(text: &str, at: usize) -> &str {
    let near = &text[text.ceil_char_boundary(at.saturating_sub(MAX_COMMAND_BYTES))..at];
    // A backslash at the end continues the line.
    let start = near
        .rmatch_indices(['\n', '|', ';', '&', '(', '`'])
        .find(|&(sign, _)| !(near[sign..].starts_with('\n') && near[..sign].ends_with('\\')));
    let line = start.map_or(near, |(sign, _)| &near[sign + 1..]);
    // In a JSON string, a line end is spelled with two characters, and so is a backslash.
    let spelled = line.rmatch_indices("\\n").find(|&(sign, _)| !line[..sign].ends_with('\\'));
    spelled.map_or(line, |(sign, ends)| &line[sign + ends.len()..])
}

/// True when the words contain all of the command's words, in order.
fn runs(words: &[&str], command: &str) -> bool {
    let mut words = words.iter();
    command.split(' ').all(|part| words.any(|word| *word == part))
}

fn argument(text: &str, from: usize, joint: Joint) -> Option<Range<usize>> {
    let spaced = matches!(text.as_bytes().get(from)?, b' ' | b'\t');
    if spaced && joint == Joined {
        return None;
    }
    let span = field::read(text, from, PairStyle::Setting)?.span;
    let value = &text[span.clone()];
    let password = value.strip_prefix("pass:").unwrap_or(value);
    let opens = !password.starts_with('-') && value::opens(password);
    opens.then_some(span.end - password.len()..span.end)
}

//! The names in a text that later calls are likely to use: paths, symbols, headings and ids.

use std::collections::{HashMap, HashSet};

use tersely_account::quick_hash;

/// The least and the greatest number of bytes of a name.
const MIN_BYTES: usize = 4;
const MAX_BYTES: usize = 120;

/// The names that are in sight.
pub(super) struct VisibleNames(HashSet<u64>);

impl VisibleNames {
    /// The names in these texts.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut visible = Self(HashSet::new());
        texts.for_each(|text| visible.show(text));
        visible
    }

    /// Adds the names in a text.
    pub(super) fn show(&mut self, text: &str) {
        self.0.extend(names(text).map(|name| quick_hash(name.as_bytes())));
    }

    /// The names in a text that are not in sight, within this many bytes, the most likely ones; in the order of the text.
    /// From then on they are in sight.
    pub(super) fn hidden<'t>(&mut self, text: &'t str, room: usize) -> Vec<&'t str> {
        let defined: HashSet<&str> = text.lines().filter_map(defined).collect();
        let mut found: HashMap<&str, NameRank> = HashMap::new();
        for (at, name) in names(text).enumerate() {
            if !self.0.contains(&quick_hash(name.as_bytes())) {
                let kind = if defined.contains(name) { Kind::Defined } else { Kind::of(name) };
                found.entry(name).or_insert(NameRank { kind, times: 0, at }).times += 1;
            }
        }
        let mut ranked: Vec<_> = found.into_iter().filter(|(_, rank)| rank.kind > Kind::Word).collect();
        ranked.sort_unstable_by_key(|(_, rank)| (std::cmp::Reverse((rank.kind, rank.times)), rank.at));
        let mut left = room;
        ranked.retain(|(name, _)| {
            let is_in = name.len() + 2 <= left;
            left -= if is_in { name.len() + 2 } else { 0 };
            is_in
        });
        ranked.sort_unstable_by_key(|(_, rank)| rank.at);
        let names: Vec<_> = ranked.into_iter().map(|(name, _)| name).collect();
        self.0.extend(names.iter().map(|name| quick_hash(name.as_bytes())));
        names
    }
}

/// How likely a name is to be used.
struct NameRank {
    kind: Kind,
    times: usize,
    /// Where it is first.
    at: usize,
}

/// What a name looks like; later ones are more likely to be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A word, which is no name.
    Word,
    /// A number or a hash.
    Id,
    /// A symbol of a program.
    Symbol,
    /// A path.
    Path,
    /// A name that is defined here.
    Defined,
}

/// Words in front of a name that is defined, and words in front of these.
const DEFINES: [&str; 14] = [
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "func",
    "function",
    "interface",
    "module",
    "package",
    "struct",
    "test",
    "trait",
    "type",
];
const MODIFIERS: [&str; 12] = [
    "abstract",
    "async",
    "default",
    "export",
    "extern",
    "final",
    "internal",
    "private",
    "protected",
    "pub",
    "public",
    "static",
];

/// The name that a line of a program defines, with or without a line number in front.
fn defined(line: &str) -> Option<&str> {
    let line =
        line.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign.is_whitespace() || sign == '→');
    let mut words =
        line.split(|sign: char| !sign.is_alphanumeric() && sign != '_').filter(|word| !word.is_empty());
    let first = words.find(|word| !MODIFIERS.contains(word) && *word != "crate")?;
    words.next().filter(|name| DEFINES.contains(&first) && name.len() >= MIN_BYTES)
}

impl Kind {
    fn of(name: &str) -> Self {
        let has = |is: fn(u8) -> bool| name.bytes().any(is);
        let is_mixed = name
            .bytes()
            .zip(name.bytes().skip(1))
            .any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
        let letters = name.bytes().filter(u8::is_ascii_alphabetic).count();
        let digits = name.bytes().filter(u8::is_ascii_digit).count();
        match () {
            () if name.starts_with("//") || (name.starts_with('.') && !name[1..].contains(['.', '/'])) => {
                Self::Word
            }
            () if letters > 1 && has(|byte| byte == b'/') && !is_pair(name) => Self::Path,
            () if letters > 1 && is_file(name) => Self::Path,
            () if digits >= 5
                || (digits >= 2 && letters > 0 && name.len() >= 7 && !has(|byte| byte == b'_')) =>
            {
                Self::Id
            }
            () if letters > 2 && (is_mixed || has(|byte| matches!(byte, b'_' | b':' | b'-'))) => Self::Symbol,
            () if letters > 2 && has(|byte| byte == b'.') => Self::Symbol,
            () => Self::Word,
        }
    }
}

/// True for two words with a slash between them, such as `and/or`.
fn is_pair(name: &str) -> bool {
    let mut parts = name.split('/');
    let is_word = |part: Option<&str>| {
        part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_lowercase()) && !part.is_empty())
    };
    is_word(parts.next()) && is_word(parts.next()) && parts.next().is_none()
}

/// True when a name ends like that of a file: a dot and a few letters.
fn is_file(name: &str) -> bool {
    let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
    end.is_some_and(|end| {
        (1..=4).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The words of a text that may be names. One colon divides a path from a line number, two belong to a name.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |sign: char| sign.is_alphanumeric() || "_./:-@".contains(sign);
    let words = text.split(move |sign: char| !is_name(sign));
    let words = words.flat_map(|word| {
        let is_scoped = word.contains("::");
        word.split(move |sign: char| sign == ':' && !is_scoped)
    });
    let words =
        words.map(|word| word.trim_start_matches([':', '-', '@']).trim_end_matches(['.', ':', '-', '@']));
    words
        .map(|word| {
            word.strip_prefix("..")
                .map_or(word, |rest| if rest.starts_with('/') { word } else { rest.trim_start_matches('.') })
        })
        .map(|word| word.trim_end_matches('/'))
        .filter(|word| word.len() >= MIN_BYTES && word.len() <= MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str, visible: &str, room: usize) -> Vec<String> {
        let mut names = VisibleNames::of([visible].into_iter());
        names.hidden(text, room).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn names_are_paths_symbols_ids_and_what_is_defined() {
        let text = "    12\tpub(crate) fn load(path: &Path) -> Config {\nthis function returns each item also\n\
                    ./src/main.rs max_bytes HttpClient a1b2c3d4 issue 90812, some-flag: yes ...and/or (ok) .join ../lib/a.c:12:int core::fmt\n";
        let found = hidden(text, "", 999);
        assert_eq!(
            found,
            [
                "load",
                "./src/main.rs",
                "max_bytes",
                "HttpClient",
                "a1b2c3d4",
                "90812",
                "some-flag",
                "../lib/a.c",
                "core::fmt"
            ]
        );
    }

    #[test]
    fn what_is_in_sight_is_not_told_again() {
        let text = "def parse_config(): use src/a.rs and src/b.rs\n";
        assert_eq!(hidden(text, "see src/a.rs", 999), ["parse_config", "src/b.rs"]);
        let mut names = VisibleNames::of(std::iter::empty());
        assert_eq!(names.hidden(text, 999).len(), 3);
        assert_eq!(names.hidden(text, 999), Vec::<&str>::new(), "said once");
    }

    #[test]
    fn the_most_likely_names_find_room() {
        let text = "max_bytes max_bytes 123456 src/lib.rs\nclass Parser:\n";
        assert_eq!(hidden(text, "", 8), ["Parser"]);
        assert_eq!(hidden(text, "", 20), ["src/lib.rs", "Parser"]);
        assert_eq!(hidden(text, "", 31), ["max_bytes", "src/lib.rs", "Parser"]);
    }
}

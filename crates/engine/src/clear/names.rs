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
        let mut found: HashMap<&str, NameRank> = HashMap::new();
        let mut before = "";
        for (at, name) in names(text).enumerate() {
            if !self.0.contains(&quick_hash(name.as_bytes())) {
                let rank = found.entry(name).or_insert(NameRank { kind: Kind::of(name), times: 0, at });
                rank.times += 1;
                rank.kind = rank.kind.max(if DEFINES.contains(&before) { Kind::Defined } else { Kind::Word });
            }
            before = name;
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

/// Words in front of a name that is defined.
const DEFINES: [&str; 14] = [
    "class",
    "const",
    "def",
    "enum",
    "func",
    "function",
    "impl",
    "interface",
    "module",
    "package",
    "struct",
    "trait",
    "type",
    "test",
];

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
            () if letters > 1 && has(|byte| byte == b'/') => Self::Path,
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

/// True when a name ends like that of a file: a dot and a few letters.
fn is_file(name: &str) -> bool {
    let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
    end.is_some_and(|end| {
        (1..=4).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The words of a text that may be names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |sign: char| sign.is_alphanumeric() || "_./:-@".contains(sign);
    let words = text.split(move |sign: char| !is_name(sign));
    let words = words.map(|word| word.trim_matches(|sign: char| "./:-@".contains(sign) && sign != '/'));
    words
        .map(|word| word.trim_end_matches('/'))
        .filter(|word| word.len() >= MIN_BYTES && word.len() <= MAX_BYTES)
}

//! Selects parts of a text: a range of lines, the lines that contain a word, a JSON path. Errors are messages for the
//! model.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use tersely_codec::{Value, json};

use crate::expand::record;

/// The number of lines shown above and below a match.
const LINES_AROUND: usize = 2;

/// The maximum number of lines to search for the end of a block.
const MAX_BLOCK_LINES: usize = 16;

/// The maximum number of keys that an answer lists when a path does not exist.
const MAX_KEYS: usize = 20;

/// The maximum number of characters that an answer repeats from the model's arguments.
const MAX_ECHO_CHARS: usize = 64;

/// The part of `text` that `word` asks for: lines if the word is a range, else the value at a JSON path, else the
/// records or lines that contain the word. For a bare number, a JSON record with that id comes first.
pub(super) fn any(word: &str, text: &str) -> Result<String, String> {
    let bare = word.trim();
    let root = json::decode(text).ok();
    if !bare.is_empty()
        && bare.bytes().all(|byte| byte.is_ascii_digit())
        && let Some(known) = root.as_ref().and_then(|root| record::equal(bare, root))
    {
        return Ok(known);
    }
    let range = ["lines", "line"].iter().find_map(|name| bare.strip_prefix(name)).unwrap_or(bare);
    let lines = bounds(range).map(|_| lines(range, text));
    if let Some(Ok(lines)) = lines {
        return Ok(lines.to_owned());
    }
    let place = |root| value_at(bare, root).ok().or_else(|| record::search(bare, root));
    let found = root.as_ref().and_then(place).map_or_else(|| search(word, text), Ok);
    // If the word is a range of lines that do not exist, the error for the range is more helpful than "no match".
    found.map_err(|why| lines.and_then(Result::err).unwrap_or(why))
}

/// The lines of a range, counted from 1.
pub(super) fn lines<'t>(range: &str, text: &'t str) -> Result<&'t str, String> {
    let (first, last) =
        bounds(range).ok_or_else(|| format!("{:?} names no lines; say them as 10-40.", beginning(range)))?;
    let mut ends = vec![0];
    ends.extend(text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    }));
    let count = ends.len() - 1;
    if first > count {
        return Err(format!("There are only {count} lines. Ask for some of them, for a word or for a path."));
    }
    Ok(&text[ends[first - 1]..ends[last.min(count)]])
}

/// Parses `10-40`, `10` or `10-`.
fn bounds(range: &str) -> Option<(usize, usize)> {
    let (first, last) = range.trim().split_once('-').unwrap_or((range.trim(), range.trim()));
    let first = first.trim().parse().ok()?;
    let last = if last.trim().is_empty() { usize::MAX } else { last.trim().parse().ok()? };
    (1 <= first && first <= last).then_some((first, last))
}

/// The lines that contain `word`, ignoring case, with their numbers and a few lines around them.
pub(super) fn search(word: &str, text: &str) -> Result<String, String> {
    let lines: Vec<&str> = text.lines().collect();
    let word_small = word.to_lowercase();
    let mut shown = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        if line.to_lowercase().contains(&word_small) {
            shown[around(&lines, at)].fill(true);
        }
    }
    let mut out = String::new();
    let mut last = None;
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| shown[*at]) {
        if last.is_some_and(|last| last + 1 < at) {
            out.push_str("--\n");
        }
        let _ = writeln!(out, "{}: {line}", at + 1);
        last = Some(at);
    }
    if out.is_empty() { Err(no_match(word, lines.len())) } else { Ok(out) }
}

/// The lines to show for a match: the block that contains it, such as a whole warning, or else a few lines on either
/// side.
fn around(lines: &[&str], at: usize) -> Range<usize> {
    let near = at.saturating_sub(LINES_AROUND)..(at + LINES_AROUND + 1).min(lines.len());
    let is_blank = |line: &&str| line.trim().is_empty();
    let above = lines[..at].iter().rev().take(MAX_BLOCK_LINES).position(is_blank);
    let below = lines[at..].iter().take(MAX_BLOCK_LINES).position(is_blank);
    match (above, below) {
        (Some(above), Some(below)) if below > 0 => near.start.min(at - above)..near.end.max(at + below),
        _ => near,
    }
}

/// The answer to a search without matches. It suggests what else the model can ask for.
fn no_match(word: &str, lines: usize) -> String {
    format!(
        "No line contains {:?}. Ask for lines (1-{}), another word, a path or a rule's name.",
        beginning(word),
        lines.min(SUGGESTED_LINES)
    )
}

/// The number of lines that the answer suggests to ask for.
const SUGGESTED_LINES: usize = 100;

/// The value at `path` in a JSON text: a string without quotes and escapes, any other value as JSON.
pub(super) fn at(path: &str, text: &str) -> Result<String, String> {
    let root = json::decode(text).map_err(|_| "The text is no JSON; use lines or search.".to_owned())?;
    value_at(path, &root)
}

/// The value at `path` in a parsed document, as `at` returns it.
fn value_at(path: &str, root: &Value<'_>) -> Result<String, String> {
    let mut value = root;
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    while let Some((step, left)) = next(rest) {
        let (walked, here) = (path.len() - left.len(), path.len() - rest.len());
        value = step.down(value).map_err(|stop| stop.message(&path[..walked], &path[..here]))?;
        rest = left;
    }
    Ok(match value {
        Value::String(text) => text.value().map_or_else(|| json::encode(value), Cow::into_owned),
        _ => json::encode(value),
    })
}

/// The beginning of a text, short enough to repeat in an answer.
pub(crate) fn beginning(text: &str) -> &str {
    text.char_indices().nth(MAX_ECHO_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// One step of a path.
enum Step<'p> {
    Name(Cow<'p, str>),
    Index(usize),
}

/// Why a step of a path fails.
enum Stop {
    Names(Vec<String>),
    Count(usize),
    Scalar,
}

/// The first step of a path, and the rest of it.
fn next(path: &str) -> Option<(Step<'_>, &str)> {
    let path = path.strip_prefix('.').unwrap_or(path);
    if path.is_empty() {
        return None;
    }
    if let Some((inside, rest)) = path.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let step = inside.trim().parse().map_or_else(|_| Step::Name(unquote(inside.trim())), Step::Index);
        return Some((step, rest));
    }
    // The first character is always part of the name.
    let mut later = path.char_indices().skip(1);
    let end = later.find(|(_, sign)| matches!(sign, '.' | '[')).map_or(path.len(), |(at, _)| at);
    Some((Step::Name(path[..end].into()), &path[end..]))
}

/// A name without its quotes.
fn unquote(name: &str) -> Cow<'_, str> {
    let inside = |quote: char| name.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(name).into()
}

impl Step<'_> {
    fn down<'v, 'a>(&self, value: &'v Value<'a>) -> Result<&'v Value<'a>, Stop> {
        match (self, value) {
            (Self::Index(at), Value::Array(items)) => items.get(*at).ok_or(Stop::Count(items.len())),
            (Self::Name(_), Value::Array(items)) => Err(Stop::Count(items.len())),
            (_, Value::Object(members)) => self.member(members),
            _ => Err(Stop::Scalar),
        }
    }

    fn member<'v, 'a>(
        &self,
        members: &'v [(tersely_codec::Text<'a>, Value<'a>)],
    ) -> Result<&'v Value<'a>, Stop> {
        let name = match self {
            Self::Name(name) => name.clone(),
            Self::Index(at) => at.to_string().into(),
        };
        let found = members.iter().find(|(key, _)| key.value().is_some_and(|key| key == name));
        let names =
            || members.iter().take(MAX_KEYS).map(|(key, _)| beginning(key.as_str()).to_owned()).collect();
        found.map(|(_, value)| value).ok_or_else(|| Stop::Names(names()))
    }
}

impl Stop {
    /// The answer for a path to `there` that can be followed only as far as `here`.
    fn message(&self, there: &str, here: &str) -> String {
        let (there, here) = (beginning(there), beginning(here));
        match self {
            Self::Names(names) => format!("Nothing is at {there:?}. There is: {}.", names.join(", ")),
            Self::Count(count) => {
                format!("Nothing is at {there:?}: the list at {here:?} has {count} items.")
            }
            Self::Scalar => format!("Nothing is at {there:?}: {here:?} holds no parts."),
        }
    }
}

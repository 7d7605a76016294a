//! A server in a client's file, and the patches that wrap it in `tersely mcp` and unwrap it.
//!
//! Unwrapping removes exactly the bytes that wrapping inserted: a command moves with its spelling unchanged.

use std::ops::Range;

use tersely_terminal::output::visible;

use crate::edit::Patch;

/// A server in a client's file.
#[derive(Debug)]
pub(super) struct ServerEntry {
    /// Its name.
    pub(super) name: String,
    /// The project that it is for, if it is for one only.
    pub(super) folder: Option<String>,
    /// How it is started.
    pub(super) wiring: Wiring,
}

/// How a server is started.
#[derive(Debug)]
pub(super) enum Wiring {
    /// By a command and its arguments, each under a key of its own.
    Split(WrittenValue, Option<WrittenList>, ArgsLead),
    /// By a list that holds both.
    Joined(WrittenList),
    /// Not at all: it is reached by a URL.
    Remote,
    /// In a way that is not supported, and why.
    Odd(&'static str),
}

/// The place of a value in a file, and its decoded text if it is a string.
#[derive(Debug)]
pub(super) struct WrittenValue {
    pub(super) place: Range<usize>,
    pub(super) means: Option<String>,
}

/// The place of a list in a file, and its items.
#[derive(Debug)]
pub(super) struct WrittenList {
    pub(super) place: Range<usize>,
    pub(super) items: Vec<WrittenValue>,
}

/// Where to insert a list of arguments if there is none, and the text in front of it.
#[derive(Debug)]
pub(super) struct ArgsLead {
    pub(super) at: usize,
    pub(super) text: String,
}

/// Whether a server goes through Tersely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It does not, but could.
    Direct,
    /// It does; the number says which word begins the server's own command.
    Wrapped(usize),
    /// It is another command of Tersely.
    Tersely,
    /// It cannot, and why.
    Unfit(&'static str),
}

const MCP: &str = "\"mcp\"";
const DASHES: &str = "\"--\"";

impl ServerEntry {
    /// Its name in messages.
    pub(super) fn label(&self) -> String {
        let folder = self.folder.as_ref().map(|folder| format!(" ({folder})"));
        visible(&format!("{}{}", self.name, folder.unwrap_or_default()))
    }

    /// True if both are the same server, perhaps in different versions of a file.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.folder) == (&other.name, &other.folder)
    }

    /// Whether it goes through Tersely, which is `program` or a program of its name.
    pub(super) fn standing(&self, program: &str) -> Standing {
        let words = match &self.wiring {
            Wiring::Remote => return Standing::Unfit("it is reached by a URL"),
            Wiring::Odd(why) => return Standing::Unfit(why),
            Wiring::Split(command, args, _) => {
                let args = args.iter().flat_map(|list| &list.items);
                [command].into_iter().chain(args).map(meaning).collect()
            }
            Wiring::Joined(list) => list.items.iter().map(meaning).collect::<Vec<_>>(),
        };
        let [first, "mcp", flags @ ..] = &words[..] else { return Standing::Direct };
        if !is_tersely(program, first) {
            return Standing::Direct;
        }
        let dashes = flags.iter().position(|word| *word == "--");
        match dashes {
            Some(at) if flags[0].starts_with('-') && at + 1 < flags.len() => Standing::Wrapped(at + 3),
            _ => Standing::Tersely,
        }
    }

    /// The program that it starts.
    pub(super) fn program(&self) -> &str {
        match &self.wiring {
            Wiring::Split(command, ..) => meaning(command),
            Wiring::Joined(list) => list.items.first().map_or("", meaning),
            Wiring::Remote | Wiring::Odd(_) => "",
        }
    }

    /// The patches that wrap it in `program`, which is quoted.
    pub(super) fn wrap(&self, text: &str, program: &str) -> Vec<Patch> {
        match &self.wiring {
            Wiring::Split(command, args, lead) => {
                let own = &text[command.place.clone()];
                let added = match args {
                    Some(list) => put_before(text, list, &[MCP, DASHES, own]),
                    None => Patch { place: lead.at..lead.at, text: lead.whole(own) },
                };
                vec![Patch { place: command.place.clone(), text: program.to_owned() }, added]
            }
            Wiring::Joined(list) => vec![put_before(text, list, &[program, MCP, DASHES])],
            Wiring::Remote | Wiring::Odd(_) => Vec::new(),
        }
    }

    /// The patches that unwrap it; word number `own` is the first of the server's own command.
    pub(super) fn unwrap_from(&self, text: &str, own: usize) -> Vec<Patch> {
        match &self.wiring {
            Wiring::Split(command, Some(list), lead) => {
                let Some(word) = list.items.get(own - 1) else { return Vec::new() };
                let word = &text[word.place.clone()];
                let place = lead.ours(text, list, word).unwrap_or_else(|| before(text, list, own));
                let gone = Patch { place, text: String::new() };
                vec![Patch { place: command.place.clone(), text: word.to_owned() }, gone]
            }
            Wiring::Joined(list) => {
                vec![Patch { place: before(text, list, own), text: String::new() }]
            }
            _ => Vec::new(),
        }
    }
}

fn meaning(value: &WrittenValue) -> &str {
    value.means.as_deref().unwrap_or("")
}

/// True for this program, and for one of the same name elsewhere: it may have moved since.
fn is_tersely(program: &str, word: &str) -> bool {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    word == program || file == "tersely" || file.eq_ignore_ascii_case("tersely.exe")
}

impl ArgsLead {
    /// The whole list of arguments, for a server that had none. No other list is written so tight.
    fn whole(&self, own: &str) -> String {
        format!("{}[{MCP},{DASHES},{own}]", self.text)
    }

    /// The place of that list, if `list` is it.
    fn ours(&self, text: &str, list: &WrittenList, own: &str) -> Option<Range<usize>> {
        let whole = self.whole(own);
        let place = self.at..list.place.end;
        (text.get(place.clone()) == Some(whole.as_str())).then_some(place)
    }
}

/// Inserts words at the head of a list, in its layout.
fn put_before(text: &str, list: &WrittenList, words: &[&str]) -> Patch {
    let Some(first) = list.items.first() else {
        let at = list.place.start + 1;
        return Patch { place: at..at, text: words.join(", ") };
    };
    let at = first.place.start;
    let between = list.items.get(1).map(|second| &text[first.place.end..second.place.start]);
    let is_plain = |gap: &&str| gap.trim() == ",";
    let lead = &text[list.place.start + 1..at];
    let spaces = &lead[lead.trim_end().len()..];
    let comma = match between.filter(is_plain) {
        Some(between) => between.to_owned(),
        None if spaces.contains('\n') => format!(",{spaces}"),
        None => ", ".to_owned(),
    };
    Patch { place: at..at, text: words.iter().flat_map(|word| [*word, &comma]).collect() }
}

/// The place of the words in front of word number `rest`, with the comma that follows them.
fn before(text: &str, list: &WrittenList, rest: usize) -> Range<usize> {
    let inside = list.place.start + 1..list.place.end - 1;
    let start = list.items.first().map_or(inside.start, |item| item.place.start);
    if let Some(next) = list.items.get(rest) {
        return start..next.place.start;
    }
    let end = list.items.last().map_or(inside.start, |item| item.place.end);
    let tail = &text[end..inside.end];
    let lead = &text[inside.start..start];
    let is_spread = !lead.is_empty() && lead.trim().is_empty() && tail.trim_matches(',').trim().is_empty();
    match tail.find(',') {
        _ if is_spread => inside,
        Some(comma) if tail[..comma].trim().is_empty() => start..end + comma + 1,
        Some(_) => start..inside.end,
        None => start..end,
    }
}

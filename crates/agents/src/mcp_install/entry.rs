//! A server in a client's file, and the patches that wrap it in `tersely mcp` and unwrap it.
//!
//! Unwrapping removes exactly the bytes that wrapping inserted. The command itself is moved without changing its
//! spelling.

use std::ops::Range;

use tersely_terminal::output::visible;

use crate::edit::Patch;

/// A server in a client's file.
#[derive(Debug)]
pub(super) struct ServerEntry {
    /// Its name.
    pub(super) name: String,
    /// The project that the server is for, if it is for only one.
    pub(super) folder: Option<String>,
    /// How the server is started.
    pub(super) wiring: Wiring,
}

/// How a server is started.
#[derive(Debug)]
pub(super) enum Wiring {
    /// By a command and its arguments, under separate keys.
    Split(WrittenValue, Option<WrittenList>, ArgsLead),
    /// By a list that contains both the command and its arguments.
    Joined(WrittenList),
    /// Not started: the server is reached by a URL.
    Remote,
    /// In a way that is not supported, with the reason.
    Odd(&'static str),
}

/// The range of a value in a file, and its decoded text if it is a string.
#[derive(Debug)]
pub(super) struct WrittenValue {
    pub(super) place: Range<usize>,
    pub(super) means: Option<String>,
}

/// The range of a list in a file, and its items.
#[derive(Debug)]
pub(super) struct WrittenList {
    pub(super) place: Range<usize>,
    pub(super) items: Vec<WrittenValue>,
}

/// Where to insert a list of arguments if there is none, and the text to put in front of the list.
#[derive(Debug)]
pub(super) struct ArgsLead {
    pub(super) at: usize,
    pub(super) text: String,
}

/// Whether a server goes through Tersely, or could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It does not, but it could.
    Direct,
    /// It does. The number is the index of the first word of the server's own command.
    Wrapped(usize),
    /// It is another Tersely command.
    Tersely,
    /// It cannot, for the given reason.
    Unfit(&'static str),
}

const MCP: &str = "\"mcp\"";
const DASHES: &str = "\"--\"";

impl ServerEntry {
    /// The name of the server in messages.
    pub(super) fn label(&self) -> String {
        let folder = self.folder.as_ref().map(|folder| format!(" ({folder})"));
        visible(&format!("{}{}", self.name, folder.unwrap_or_default()))
    }

    /// True if both entries are the same server, possibly in different versions of a file.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.folder) == (&other.name, &other.folder)
    }

    /// Whether the server goes through Tersely, which is `program` or any program called `tersely`.
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

    /// The program that starts the server.
    pub(super) fn program(&self) -> &str {
        match &self.wiring {
            Wiring::Split(command, ..) => meaning(command),
            Wiring::Joined(list) => list.items.first().map_or("", meaning),
            Wiring::Remote | Wiring::Odd(_) => "",
        }
    }

    /// The patches that wrap the server in `program`, which is already quoted.
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

    /// The patches that unwrap the server. `own` is the index of the first word of the server's own command.
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

/// True for this program, and for any program called `tersely`, because ours may have been moved.
fn is_tersely(program: &str, word: &str) -> bool {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    word == program || file == "tersely" || file.eq_ignore_ascii_case("tersely.exe")
}

impl ArgsLead {
    /// The whole list of arguments that is inserted for a server without one. No one else writes a list without spaces
    /// like this.
    fn whole(&self, own: &str) -> String {
        format!("{}[{MCP},{DASHES},{own}]", self.text)
    }

    /// The range of the list that we inserted, if `list` is that list.
    fn ours(&self, text: &str, list: &WrittenList, own: &str) -> Option<Range<usize>> {
        let whole = self.whole(own);
        let place = self.at..list.place.end;
        (text.get(place.clone()) == Some(whole.as_str())).then_some(place)
    }
}

/// Inserts words at the start of a list, in the layout of that list.
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

/// The range of the words in front of the word with index `rest`, including the comma after them.
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

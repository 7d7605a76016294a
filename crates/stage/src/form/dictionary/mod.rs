//! Lists frequent phrases above a text and replaces each with a short name.
//!
//! The names are harder to read than the phrases, so this stage runs last, and only in aggressive mode.

mod lzw;
mod pick;
mod repair;

use std::fmt::Write as _;

use tersely_codec::{Text, Value, json};

use self::pick::Phrase;
use self::pick::pick;
use crate::plan::{DictionaryMethod, Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// Replaces repeated phrases.
pub(crate) struct Dictionary;

/// The maximum length of a text in bytes. Longer texts stay unchanged, because the search would take noticeable time.
const MAX_BYTES: usize = 50_000;

/// The minimum saving, in bytes and in percent of the text.
const MIN_SAVED_BYTES: usize = 32;
const MIN_SAVED_PERCENT: usize = 3;

/// The largest number tried as a nonce, which keeps the names distinct from the text.
const MAX_NONCE: usize = 999;

impl Stage for Dictionary {
    fn name(&self) -> &'static str {
        "dictionary"
    }

    fn mode(&self) -> Mode {
        Mode::Aggressive
    }

    /// Of all tested notations, short names for phrases were the hardest for a small model to read.
    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if text.len() > MAX_BYTES || Method::read(text).is_some() {
            return None;
        }
        let best = methods(scene.plan.dictionary)
            .iter()
            .filter_map(|method| Some((method, method.write(text)?)))
            .min_by_key(|(_, written)| written.len());
        let (method, written) = best?;
        let saved = text.len().checked_sub(written.len())?;
        let worth = saved >= MIN_SAVED_BYTES && saved * 100 >= text.len() * MIN_SAVED_PERCENT;
        worth.then(|| Edit { text: written, loss: Loss::None, note: method.name.to_owned() })
    }

    fn restore(&self, room: Room, _: &str, text: &str) -> Option<String> {
        expand_within(room, text)
    }
}

/// Expands the text below a dictionary; `None` when `text` does not begin with a dictionary.
#[must_use]
pub fn expand(text: &str) -> Option<String> {
    expand_within(Room::of(text), text)
}

fn expand_within(room: Room, text: &str) -> Option<String> {
    let (method, rest) = Method::read(text)?;
    let (nonce, phrases, mut rest) = entries(method, rest)?;
    let open = format!("<<{}{nonce}:", method.letter);
    let mut out = String::with_capacity(text.len() * 2);
    while let Some(at) = rest.find(&open) {
        out.push_str(&rest[..at]);
        let (number, after) = rest[at + open.len()..].split_once(">>")?;
        let phrase = phrases.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        out.push_str(phrase);
        room.fits(out.len())?;
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Parses a dictionary: its nonce, its phrases, and the text below them.
fn entries<'a>(method: &Method, text: &'a str) -> Option<(&'a str, Vec<String>, &'a str)> {
    let mut rest = text;
    let mut phrases = Vec::new();
    let (mut nonce, open) = ("", format!("<<{}", method.letter));
    while let Some(line) = rest.strip_prefix(&open) {
        let (line, after) = line.split_once('\n')?;
        let (name, quoted) = line.split_once(">> = ")?;
        let (first, number) = name.split_once(':')?;
        let Ok(Value::String(phrase)) = json::decode(quoted) else { return None };
        if phrases.is_empty() {
            nonce = first;
        }
        if first != nonce || number != (phrases.len() + 1).to_string() {
            return None;
        }
        phrases.push(phrase.value()?.into_owned());
        rest = after;
    }
    Some((nonce, phrases, rest.strip_prefix('\n')?))
}

/// A way to find phrases.
struct Method {
    name: &'static str,
    header: &'static str,
    letter: char,
    find: fn(&str) -> Vec<Phrase>,
}

static METHODS: [Method; 2] = [
    Method { name: "lzw", header: "[Tersely LZW Dictionary]\n", letter: 'F', find: lzw::find },
    Method { name: "repair", header: "[Tersely RePair Dictionary]\n", letter: 'R', find: repair::find },
];

fn methods(chosen: DictionaryMethod) -> &'static [Method] {
    match chosen {
        DictionaryMethod::Lzw => &METHODS[..1],
        DictionaryMethod::Repair => &METHODS[1..],
        DictionaryMethod::Auto => &METHODS,
    }
}

impl Method {
    /// The method whose header begins `text`, and the text after that header.
    fn read(text: &str) -> Option<(&'static Self, &str)> {
        METHODS.iter().find_map(|method| Some((method, text.strip_prefix(method.header)?)))
    }

    fn write(&self, text: &str) -> Option<String> {
        let nonce = self.nonce(text)?;
        let picked = pick(text, (self.find)(text));
        if picked.is_empty() {
            return None;
        }
        let mut out = self.header.to_owned();
        let mut places = Vec::new();
        for (at, phrase) in picked.iter().enumerate() {
            let name = format!("<<{}{nonce}:{}>>", self.letter, at + 1);
            let said = Text::of(phrase.of(text));
            let _ = writeln!(out, "{name} = \"{}\"", said.as_str());
            places.extend(phrase.places.iter().map(|place| (*place, phrase.length, name.clone())));
        }
        out.push('\n');
        places.sort_unstable();
        let mut end = 0;
        for (place, length, name) in places {
            out.push_str(&text[end..place]);
            out.push_str(&name);
            end = place + length;
        }
        out.push_str(&text[end..]);
        Some(out)
    }

    /// The first number whose names do not occur in the text.
    fn nonce(&self, text: &str) -> Option<usize> {
        let open = format!("<<{}", self.letter);
        let mut used = [false; MAX_NONCE + 1];
        for (at, _) in text.match_indices(&open) {
            let rest = &text[at + open.len()..];
            let digits = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
            if let Ok(number) = rest[..digits].parse::<usize>()
                && number <= MAX_NONCE
            {
                used[number] = true;
            }
        }
        (1..=MAX_NONCE).find(|number| !used[*number])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    const ALL: [DictionaryMethod; 3] =
        [DictionaryMethod::Lzw, DictionaryMethod::Repair, DictionaryMethod::Auto];

    fn apply(dictionary: DictionaryMethod, text: &str) -> Option<Edit> {
        let plan = Plan { mode: Mode::Aggressive, dictionary, ..Plan::default() };
        Dictionary.apply(Scene::of(&plan, Call::default()), &TextView::new(text))
    }

    /// Ten lines that contain a long phrase.
    fn text(odd: &str) -> String {
        let line = |n: usize| {
            format!("{odd}{n} the quick brown fox jumps over the lazy dog again and again {n}{odd}\n")
        };
        (0..10).map(line).collect()
    }

    /// Behaviour 4.2.
    #[test]
    fn phrases_are_written_once() {
        for (method, start) in ALL
            .into_iter()
            .zip(["[Tersely LZW Dictionary]\n<<F1:1>> = \"", "[Tersely RePair Dictionary]\n<<R1:1>> = \""])
        {
            let edit = apply(method, &text("")).unwrap();
            assert!(edit.text.starts_with(start) && edit.text.contains("\n\n0"), "{}", edit.text);
            assert!(edit.text.len() * 3 < text("").len() * 2);
        }
    }

    /// Behaviour 4.5, 4.6, 4.7, 17.11 and 17.14.
    #[test]
    fn every_text_comes_back() {
        let odd = [
            "",
            "\"",
            "\\",
            "é",
            "日本語",
            "\r",
            "\n",
            "\n\n",
            "<",
            ">",
            "<<F1:1>>",
            "<<F1:1>> = \"x\"",
            "<<F2:",
            "<<R1:9>>",
            "<<F",
            "<<F1",
            ":1>>",
            " = ",
            "\t",
            "\u{0}",
            "[Tersely LZW Dictionary]",
            "<<F999999999999:",
            "<<F001:",
        ];
        for one in odd {
            for two in odd {
                let text = text(one) + two + &text(two);
                for method in ALL {
                    let Some(edit) = apply(method, &text) else {
                        assert!(text.starts_with("[Tersely LZW Dictionary]\n"), "{text}");
                        continue;
                    };
                    assert_eq!(expand(&edit.text).as_deref(), Some(&*text), "{}", edit.text);
                }
            }
        }
    }

    /// Behaviour 4.3 and 4.4.
    #[test]
    fn phrases_are_neither_short_nor_long_and_few() {
        let odd = ["", "\n", "\r\n", "a b ", "\n\n", "日本語 ", &"word ".repeat(30), &"x".repeat(300)];
        for (method, letter) in [(DictionaryMethod::Lzw, 'F'), (DictionaryMethod::Repair, 'R')] {
            let mut seen = 0;
            for odd in odd {
                let Some(edit) = apply(method, &(text(odd) + &text(&odd.repeat(3)))) else { continue };
                let (_, rest) = Method::read(&edit.text).unwrap();
                let (_, phrases, _) =
                    entries(METHODS.iter().find(|it| it.letter == letter).unwrap(), rest).unwrap();
                assert!((1..=20).contains(&phrases.len()), "{phrases:?}");
                for phrase in &phrases {
                    assert!((15..=120).contains(&phrase.len()), "{phrase:?}");
                    let ends = phrase.matches('\n').count();
                    assert!(ends <= if letter == 'F' { 0 } else { 2 }, "{phrase:?}");
                    assert!(letter == 'F' || !phrase.contains('\r'), "{phrase:?}");
                }
                seen += phrases.len();
            }
            assert!(seen > 3, "{method:?} finds {seen}");
        }
    }

    /// Behaviour 4.7.
    #[test]
    fn a_dictionary_is_not_written_again() {
        for method in ALL {
            let once = apply(method, &text("")).unwrap().text;
            assert_eq!(apply(method, &(once + &text("x"))), None);
        }
    }

    /// Behaviour 4.3.
    #[test]
    fn what_saves_little_is_left_alone() {
        let unlike: String = (0..400_u32).map(|n| n.wrapping_mul(2_654_435_761).to_string() + " ").collect();
        for text in ["", "abc", &text("")[..150], &unlike, &"x".repeat(50_001)] {
            for method in ALL {
                assert_eq!(apply(method, text), None, "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_dictionary_is_not_expanded() {
        let header = "[Tersely LZW Dictionary]\n";
        for text in [
            "",
            "x",
            header,
            "<<F1:1>> = \"x\"\n\n",
            "<<F1:2>> = \"x\"\n\nx",
            "<<F1:1>> = x\n\nx",
            "<<F1:1>> = \"x\"\n\n<<F1:2>>",
            "<<F1:1>> = \"x\"\n\n<<F1:",
        ] {
            let text = if text == header { text.to_owned() } else { format!("{header}{text}") };
            let odd = text.ends_with("\"x\"\n\n");
            assert_eq!(expand(&text).is_some(), odd, "{text}");
        }
    }
}

//! The general form: writes any text in fewer tokens. Signs replace repeated phrases, similar lines become rows of
//! values of a template, and each group of lines that recurs becomes one row.
//!
//! This form uses lines, words and approximate token costs, and has no rules for particular tools.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a text that is taken apart is at most a mebibyte, and so is every count in it"
)]

mod alarm;
mod block;
mod column;
mod cost;
mod error_context;
mod field;
mod fold;
mod index;
mod mine;
mod name;
mod notation;
mod pair;
mod part;
mod phrase;
mod piece;
mod read;
mod select;
mod sheet;
mod source;
mod span;
mod suffix;
mod template;
mod word;
mod write;

use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

use self::sheet::TextSheet;
use self::source::ReadText;

/// A text that contains repetition.
pub(crate) struct General;

/// The minimum length of a text in bytes; for shorter texts, the head costs too much.
const MIN_BYTES: usize = 200;

impl Stage for General {
    fn name(&self) -> &'static str {
        "general"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn least_percent(&self) -> usize {
        10
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        // Screens are captured repeatedly, and the next capture can refer only to lines that were sent unchanged.
        if text.len() < MIN_BYTES || scene.call.shows_screen() || text.starts_with(notation::HEAD) {
            return None;
        }
        let (text, note) = match &piece::cut(text)[..] {
            [text] => (best(text)?, String::new()),
            pieces => piece::join(pieces, best)?,
        };
        Some(Edit { text, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        if note.is_empty() {
            return read::read(room, text);
        }
        let mut whole = String::new();
        for piece in piece::split(text, note)? {
            if piece.starts_with(notation::HEAD) {
                whole.push_str(&read::read(room, piece)?);
            } else {
                whole.push_str(piece);
            }
            room.fits(whole.len())?;
        }
        Some(whole)
    }
}

/// Encodes the text with its long lines broken. If that saves little, also encodes it with its lines unbroken, and
/// takes the cheaper result.
fn best(text: &str) -> Option<String> {
    let folded = fold::end(text).and_then(|end| encode(&fold::fold(text, end), Some(end)));
    match folded {
        None => encode(text, None),
        Some(folded) if cost::estimate(&folded) * 10 <= cost::estimate(text) * 8 => Some(folded),
        Some(folded) => {
            [folded].into_iter().chain(encode(text, None)).min_by_key(|written| cost::estimate(written))
        }
    }
}

/// Encodes a text whose long lines were broken after `fold`.
fn encode(text: &str, fold: Option<&'static str>) -> Option<String> {
    let source = ReadText::new(text);
    let sheet = TextSheet::of(&source);
    write::write(&source, &sheet, fold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;

    /// A log of similar lines that contains `odd`.
    fn log(odd: &str) -> String {
        let line = |n: usize| {
            let path = ["/api/orders", "/api/orders/items", "/static/app.js"][n % 3];
            format!("10.0.0.{} GET {path} took {} ms, {} bytes sent\n", n % 7, n * 37 % 101, n * 7919 % 9973)
        };
        (0..20).map(line).chain([odd.to_owned() + "\n"]).chain((20..40).map(line)).collect()
    }

    fn comes_back(text: &str) {
        if let Some(edit) = proof::apply(&General, text) {
            assert_eq!(proof::back(&General, &edit).as_deref(), Some(text), "{}", edit.text);
        }
    }

    /// Behaviour 3.24.
    #[test]
    fn lines_alike_are_rows_below_one_template() {
        let edit = proof::apply(&General, &log("a line of its own")).unwrap();
        let lines: Vec<&str> = edit.text.lines().collect();
        let template = lines.iter().find(|line| line.starts_with("A ")).unwrap();
        assert!(template.ends_with("= {1} GET /{2} took {3} ms, {4} bytes sent"), "{}", edit.text);
        assert!(lines.contains(&"A ×20:") && lines.contains(&"a line of its own"), "{}", edit.text);
        assert!(edit.text.len() * 3 < log("").len() * 2, "{}", edit.text);
        comes_back(&log(""));
    }

    /// Behaviour 3.24: lines that are read with an error contain no signs, and a template states its severity.
    #[test]
    fn errors_say_so_on_their_line() {
        let line = |n: usize| {
            format!("src/long/path/of/the/module.ts({n},7): error TS2307: Cannot find './part{n}'.\n")
        };
        let text: String = (0..12).map(line).collect();
        let edit = proof::apply(&General, &text).unwrap();
        let (_, body) = edit.text.split_once(notation::TEXT).unwrap();
        assert!(body.trim().lines().all(|line| line.starts_with("A! ")), "{}", edit.text);
        assert!(body.is_ascii(), "no sign: {}", edit.text);
    }

    #[test]
    fn hostile_lines_come_back() {
        for odd in proof::ODD.iter().copied().chain([
            "A",
            "A ×9:",
            "A! x",
            "×9",
            "Γ x",
            "↑",
            "{1}",
            "{1:>8}",
            "[The text:]",
            notation::HEAD,
            " | x",
            "A {1} = x",
            "10.0.0.7 GET ↑ took 9 ms, 1 bytes sent",
            "10.0.0.7 GET / took  ms,  bytes sent",
            "10.0.0.7 GET a,b|c;d\te took 1 ms, 2 bytes sent",
            "日本語 \u{1b}[0m \u{0}",
            "\"half",
            "\\",
        ]) {
            comes_back(&log(odd));
            comes_back(&log(&format!("{odd}\n").repeat(9)));
            comes_back(&log("").replace("GET", odd));
            comes_back(&log(odd).replace('\n', "\r\n"));
            comes_back(&log(odd).replace('\n', "},"));
            comes_back(&format!("{odd}{}", log(odd)));
        }
    }

    #[test]
    fn what_was_never_written_is_declined() {
        proof::read_foreign(&General);
        for body in [
            "[Shorter notation.]\n",
            "[Shorter notation.]\n[The text:]",
            "[Shorter notation.]\nA = 99999999 lines:\n[The text:]\nA",
            "[Shorter notation.]\nA {1:>99999999999} = {1:>99999999999}\n[The text:]\nA x",
            "[Shorter notation.]\nA = x\n[The text:]\nA ×99999999999999",
            "[Shorter notation.]\nΓ x\n[The text:]\nΓ",
        ] {
            let _ = proof::read(&General, "", body);
        }
    }

    /// Input that would take many steps per byte is rejected or decoded quickly.
    #[test]
    fn hostile_definitions_are_read_in_time() {
        let text = |left: &str, right: &str, body: &str| {
            format!("[Shorter notation.]\nA {left} = {right}\n[The text:]\n{body}")
        };
        let many = 40_000;
        let names: Vec<String> = (0..many).map(|n| format!("{{{n}}}")).collect();
        let start = std::time::Instant::now();
        for body in [
            text("{1}", &"{1}".repeat(many), &"A\n".repeat(many)),
            text("{1}", &"{".repeat(8 * many), "A x"),
            text("{1}", &format!("{}}}", "{".repeat(8 * many)), "A x"),
            text(&names.join(","), &names.concat(), "A x"),
        ] {
            let _ = proof::read(&General, "", &body);
        }
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    /// A text that is too long to encode at once is split into pieces, and the note lists their lengths.
    #[test]
    fn long_texts_go_in_pieces() {
        let line = |n: usize| format!("10.0.0.{} GET /api/orders took {} ms\n", n % 7, n * 37 % 101);
        let lines: String = (0..60_000).map(line).collect();
        for text in [&lines, &lines.replace('\n', "; "), &lines.replacen("GET", "é", 9_000)] {
            let edit = proof::apply(&General, text).unwrap();
            assert_eq!(edit.note.split(' ').count(), text.len().div_ceil(piece::MAX_BYTES));
            assert!(edit.text.len() * 3 < text.len() * 2, "{} of {}", edit.text.len(), text.len());
            assert_eq!(proof::back(&General, &edit).as_deref(), Some(&**text));
        }
        for note in ["", "1", "x", "9999999", "0 0", "1 18446744073709551615"] {
            let _ = proof::read(&General, note, "é[Shorter notation.]\n[The text:]\nx");
        }
    }

    /// A text that was encoded twice is restored in two steps.
    #[test]
    fn a_text_that_is_written_already_is_left_alone() {
        let once = proof::apply(&General, &log("")).unwrap().text;
        assert_eq!(proof::apply(&General, &once), None);
        comes_back(&format!("x\n{once}"));
    }
}

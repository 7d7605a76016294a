//! Renders terminal output as the terminal shows it: without colours and cursor moves, and with only the last state of
//! progress bars and redrawn rows.
//!
//! File contents stay unchanged, and so does text in which colours carry meaning.

mod code;
mod line;
mod rows;

use self::code::Carets;
use self::line::Returns;
use self::line::ScreenLine;
use memchr::memchr3;

use crate::call::{Call, Family, Origin, ToolKind};
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// Removes terminal control sequences.
pub(crate) struct Ansi;

impl Stage for Ansi {
    fn lines_stand_alone(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "ansi"
    }

    fn mode(&self) -> Mode {
        Mode::Safe
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if scene.call.tool_kind() == ToolKind::Read || !is_odd(text) {
            return None;
        }
        let text = render(text, Habits::of(scene.call, text))?;
        Some(Edit { text, loss: Loss::Form, note: String::new() })
    }
}

/// True when a text may contain characters that a terminal does not show literally.
fn is_odd(text: &str) -> bool {
    memchr3(0x1b, b'\r', 0x08, text.as_bytes()).is_some() || text.contains('^')
}

/// Strings that occur in texts where control sequences were deliberately made visible.
const SPELLED: [&str; 3] = ["^[]", "^G", "M-^"];

/// How to read ambiguous characters in a text.
#[derive(Debug, Clone, Copy)]
struct Habits {
    carets: Carets,
    returns: Returns,
}

impl Habits {
    fn of(call: Call<'_>, text: &str) -> Self {
        let is_file = call.is_verbatim(text) || call.origin(text) == Origin::Data;
        let is_quoted = matches!(call.family(), Family::Read | Family::Grep);
        let found = is_file || is_quoted || text.starts_with(['{', '[']);
        let asked = call.command.is_some_and(|command| command.contains("cat -"))
            || SPELLED.iter().any(|spelled| text.contains(spelled));
        let breaks = is_file || !text.contains('\n');
        Self {
            carets: if found || asked { Carets::Letters } else { Carets::Codes },
            returns: if breaks { Returns::Break } else { Returns::Overwrite },
        }
    }
}

/// The text that a terminal would show; `None` if the text does not change, or if its colours carry meaning.
fn render(sent: &str, habits: Habits) -> Option<String> {
    let text = &*rows::collect_rows(sent, habits.carets);
    let mut out = String::with_capacity(text.len());
    let mut above = 0..0;
    for raw in lines::split_inclusive(text) {
        let body = raw.strip_suffix('\n').unwrap_or(raw);
        let body = if body.len() < raw.len() { body.strip_suffix('\r').unwrap_or(body) } else { body };
        let start = out.len();
        if is_odd(body) {
            out.push_str(&ScreenLine::read(body, habits)?.into_text());
        } else {
            out.push_str(body);
        }
        let line = start..out.len();
        let bare = line.is_empty() && body.starts_with('^');
        if bare || (line.len() < body.len() && differ_in_codes(&out[above], &out[line.clone()])) {
            return None;
        }
        above = line;
        out.push_str(&raw[body.len()..]);
    }
    (out != sent).then_some(out)
}

/// True when two adjacent lines are the old and the new line of a diff and differed only in their control sequences.
fn differ_in_codes(above: &str, line: &str) -> bool {
    let (old, new) = (above.trim().strip_prefix('-'), line.trim().strip_prefix('+'));
    old.is_some() && old == new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn check(call: Call<'_>, text: &str, expected: Option<&str>) {
        let edit = Ansi.apply(Scene::of(&Plan::default(), call), &TextView::new(text));
        assert_eq!(edit.as_ref().map(|edit| &*edit.text), expected, "{text:?}");
        assert!(edit.is_none_or(|edit| edit.loss == Loss::Form));
    }

    fn ran(command: &str) -> Call<'_> {
        Call { tool: "Bash", command: Some(command), ..Call::default() }
    }

    /// Behaviour 3.3.
    #[test]
    fn codes_are_stripped() {
        for (text, expected) in [
            ("\x1b[1;31merror\x1b[0m: x\n", "error: x\n"),
            ("\x1b]8;;https://x.y/z\x1b\\link\x1b]8;;\x1b\\ \x1b]0;t\x07text", "link text"),
            ("\x1b[?25l\x1b(B\x1b[mé\x1b[39;49m\r\nb\r\n", "é\r\nb\r\n"),
            ("\x1b[2J\x1b[3J\x1b[Ha\x1b[2;1Hb\n", "a\nb\n"),
            ("a\x1b[3Cb\x1b[40Gc\n", "a   b c\n"),
            ("2026 ^[[36;1mgo test^[[0m\n", "2026 go test\n"),
            ("N\x08NA\x08AM\x08M _\x08x |\x08/\x08-\n", "NAM x -\n"),
            ("\x1b[31mF\x1b[0m\x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\n", "F.F\n"),
            ("\x1b[31m1 failed\x1b[39m, \x1b[32m2 passed\x1b[39m", "1 failed, 2 passed"),
        ] {
            check(Call::default(), text, Some(expected));
        }
    }

    #[test]
    fn progress_shows_its_last_state() {
        for (text, expected) in [
            ("10%\r50%\r100%\n", "100%\n"),
            ("10%\r50%\r100%", "100%"),
            ("a\n 10%|#  | 1/9\r 50%|###| 5/9 it\r\nb", "a\n 50%|###| 5/9 it\r\nb"),
            (
                "Building [=> ] 1/9: a, b\rBuilding [==>] 2/9: c\rFinished\n",
                "Building [==>] 2/9: c\rFinished\n",
            ),
            ("⠋ install\r⠙ install\r⠹ install\n", "⠹ install\n"),
            ("work\r\x1b[Kmore\r\x1b[2Kdone\n", "done\n"),
            ("work\x1b[2K\x1b[1Gdone\n", "done\n"),
            ("    x.go:1: \r            \r\tError Trace:\n     \r\t\ty\n", "\tError Trace:\n\t\ty\n"),
            ("foo\r\r\nbar\r\r\n", "foo\r\nbar\r\n"),
        ] {
            check(Call::default(), text, Some(expected));
        }
    }

    #[test]
    fn rows_that_are_drawn_again_show_their_last_frame() {
        let frame = |at: usize| {
            format!("Copying blob a {at}0% \x1b[K\nCopying blob b {at}5% \x1b[K\nCopying config\x1b[K\n")
        };
        let frames: String = (0..9).flat_map(|at| [frame(at), "\x1b[3A".to_owned()]).collect();
        for (text, expected) in [
            (
                format!("start\n{frames}{}done\n", frame(9)),
                "start\nCopying blob a 90% \nCopying blob b 95% \nCopying config\ndone\n",
            ),
            ("a\nb\n\x1b[2A\x1b[2Kc\n\x1b[2Kd\n".to_owned(), "c\nd\n"),
            (
                "1: wait\n2: wait\n\x1b[2A\r\x1b[2K1: done\x1b[1B\r\x1b[2K2: done\n".to_owned(),
                "1: done\n2: done\n",
            ),
            ("a\nb\nc\n\x1b[2A\x1b[Jd\n".to_owned(), "a\nd\n\n"),
            ("fetch\n\x1b[1A\x1b[9C ok\n".to_owned(), "fetch          ok\n"),
            ("error: x\nb\n\x1b[2A\x1b[2Kc\n\x1b[2Kd\n".to_owned(), "error: x\rc\nd\n"),
            ("a\x1b[99A\x1b[99Bb\n".to_owned(), "ab\n"),
        ] {
            check(Call::default(), &text, Some(expected));
        }
    }

    /// Behaviour 17.3: line ends are kept, and so are texts whose carriage returns end lines.
    #[test]
    fn line_ends_stay() {
        for text in
            ["a\r\nb\r\n", "one\rtwo\rthree\r", "item 1\ritem 2\ritem 3", "1,a\r2,b\r3,c\n", "One.\rTwo.\n"]
        {
            check(Call::default(), text, None);
        }
        check(ran("cat old.txt; echo"), "item 1\ritem 2\ritem 3\n", None);
    }

    #[test]
    fn errors_are_not_overwritten() {
        let kept = "1/9 error: x\r2/9 y\n";
        check(Call::default(), kept, None);
        check(Call::default(), "error: x\r\x1b[Kdone\n", Some("error: x\rdone\n"));
        check(Call::default(), "1 error: x\r          \rdone\n", Some("1 error: x\rdone\n"));
    }

    /// Texts whose colours carry meaning stay unchanged.
    #[test]
    fn meant_colours_stay() {
        for text in [
            "Not equal: #\x1b[41m2f55\x1b[0m\x1b[42m5390\x1b[0m",
            "a \x1b[31mold\x1b[m\x1b[32mnew\x1b[m b\n\x1b[1mc\x1b[m",
            "\t-\x1b[37mx\x1b[0m\n\t+\x1b[38mx\x1b[0m\n",
        ] {
            check(Call::default(), text, None);
        }
    }

    #[test]
    fn files_and_patterns_stay() {
        check(Call { tool: "Read", ..Call::default() }, "\x1b[31mx\x1b[0m 1%\r2%", None);
        check(ran("rg x"), "re: ^[[36m\n", None);
        check(ran("./x | cat -v"), "^[[36mx^[[0m\n", None);
        check(Call::default(), "^[[36mx^[[0m\\[^[]133;B^G\\]\n", None);
        check(Call::default(), "{\"line\": \"^[[36mx^[[0m\"}", None);
        check(Call::default(), "last codes:\n^[[48;2;1;2;3m\n^[[0m\n", None);
        check(ran("tail ci.log"), "\x1b[31mx ^[[1m\n", Some("x ^[[1m\n"));
        check(Call::default(), "const i=`\x1b[${e}m`, r = /^[[:space:]]/", None);
    }

    /// Behaviour 3.18: any text is read, in linear time.
    #[test]
    fn any_text_is_read() {
        for unit in [
            "\x1b",
            "\x1b[",
            "\x1b]",
            "\x1b[2K",
            "\x1b[1A",
            "a\n\x1b[2Ab\x1b[J",
            "a\r",
            "\r ",
            "\x08",
            "a\x08\x08",
            "^[[1",
            "é\x1b[9999999C",
            "1%\r",
        ] {
            for text in [unit.repeat(7), unit.repeat(100_000), unit.repeat(5) + "\r\n" + unit] {
                render(&text, Habits { carets: Carets::Codes, returns: Returns::Overwrite });
            }
        }
    }
}

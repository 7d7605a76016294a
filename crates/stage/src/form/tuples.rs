//! Python's lists of tuples, as database clients print rows, with each tuple on a line of its own and without quotes.

use tersely_codec::{Value, terse};

use crate::form::python::{PythonReader, push};
use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage, proven};

/// A text that is a list of tuples, or has one on every line.
pub(crate) struct Tuples;

/// Fewer tuples have nothing to give.
const MIN_TUPLES: usize = 4;

/// Tuples hold plain values and short lists of them.
const MAX_DEPTH: usize = 8;

const HEAD: &str = "[the values of each tuple, one tuple a line]";

impl Stage for Tuples {
    fn name(&self) -> &'static str {
        "tuples"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let frame =
            FRAMES.iter().find(|frame| text.starts_with(frame.open) && text.ends_with(frame.close))?;
        let inside = text.get(frame.open.len() - 1..(text.len() + 1).checked_sub(frame.close.len())?)?;
        let mut reader = PythonReader { text: inside, at: 0 };
        let mut out = HEAD.to_owned();
        let mut count = 0;
        while reader.at < inside.len() {
            if count > 0 && !reader.eat(frame.between) {
                return None;
            }
            out.extend(["\n", &row(&tuple(&mut reader)?)?]);
            count += 1;
        }
        let edit = Edit { text: out, loss: Loss::None, note: frame.name.to_owned() };
        if count < MIN_TUPLES { None } else { proven(self, text, edit) }
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let frame = FRAMES.iter().find(|frame| frame.name == note)?;
        let mut out = frame.open[..frame.open.len() - 1].to_owned();
        for (at, line) in text.strip_prefix(HEAD)?.strip_prefix('\n')?.split('\n').enumerate() {
            out.push_str(if at > 0 { frame.between } else { "" });
            let list = format!("[{line}]");
            let Ok(Value::Array(values)) = terse::decode(&list) else { return None };
            push_tuple(&mut out, &values)?;
            room.fits(out.len())?;
        }
        out.push_str(&frame.close[1..]);
        Some(out)
    }
}

/// What stands around tuples, the first and the last with a bracket of their own.
struct TupleFrame {
    name: &'static str,
    open: &'static str,
    between: &'static str,
    close: &'static str,
}

static FRAMES: [TupleFrame; 4] = [
    TupleFrame { name: "", open: "[(", between: ", ", close: ")]" },
    TupleFrame { name: "newline", open: "[(", between: ", ", close: ")]\n" },
    TupleFrame { name: "lines", open: "(", between: "\n", close: ")" },
    TupleFrame { name: "lines, newline", open: "(", between: "\n", close: ")\n" },
];

/// The values of the tuple that the reader is at.
fn tuple<'a>(reader: &mut PythonReader<'a>) -> Option<Vec<Value<'a>>> {
    let mut values = Vec::new();
    reader.eat("(").then_some(())?;
    loop {
        values.push(reader.value(MAX_DEPTH)?);
        if reader.eat(")") || values.len() == 1 && reader.eat(",)") {
            return Some(values);
        }
        reader.eat(", ").then_some(())?;
    }
}

/// The values on one line, as the terse form writes a list without its brackets.
fn row(values: &[Value<'_>]) -> Option<String> {
    let list = terse::draft(&Value::Array(vec![Value::Array(values.to_vec())]))?;
    let line = list.strip_prefix("[[")?.strip_suffix("]]")?;
    (!line.contains('\n')).then(|| line.to_owned())
}

fn push_tuple(out: &mut String, values: &[Value<'_>]) -> Option<()> {
    out.push('(');
    for (at, value) in values.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        push(out, value)?;
    }
    out.push_str(if values.len() == 1 { ",)" } else { ")" });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::{apply, check, read_foreign};

    #[test]
    fn tuples_stand_on_lines() {
        check(
            &Tuples,
            "[(1, 'Ann Lee', None, 2.5), (2, \"O'Hara\", True, -1), (3, 'a, b', '', 0), (4, 'x\\ny', '7', 1)]",
            "",
            "[the values of each tuple, one tuple a line]\n1,Ann Lee,null,2.5\n2,O'Hara,true,-1\n3,\"a, b\",\"\",0\n4,\"x\\ny\",\"7\",1",
        );
        check(
            &Tuples,
            "('a',)\n('b',)\n('c',)\n('d',)\n",
            "lines, newline",
            "[the values of each tuple, one tuple a line]\na\nb\nc\nd",
        );
    }

    #[test]
    fn other_lists_are_left_alone() {
        for text in [
            "",
            "[",
            "()",
            "[()]",
            "[(1, 2)]",
            "[(1, 2), [3, 4], (5, 6), (7, 8)]",
            "[(1, x), (2, y), (3, z), (4, a)]",
            "(1, 2)\n(3, 4)\n(5, 6)\n\n(7, 8)",
            "[(1, 2), (3, 4), (5, 6), (7, 8)] ",
        ] {
            assert_eq!(apply(&Tuples, text), None, "{text}");
        }
        read_foreign(&Tuples);
    }
}

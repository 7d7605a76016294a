//! Lines as calls of shapes: a name and the values for its places, `opened: root,1000`.

use std::collections::HashMap;

use crate::form::shapes::shape::{BRACKETS, COLON, LineShape};

/// The shapes of a text and how lines call them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Calls {
    pub(super) shapes: Vec<LineShape>,
    names: HashMap<String, usize>,
    pub(super) signs: CallSigns,
}

/// The signs of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallSigns {
    /// Around the number of a place.
    pub(super) brackets: [char; 2],
    /// Between values.
    pub(super) comma: char,
}

/// A call that shows how they are read.
pub(super) struct CallExample<'o> {
    pub(super) index: usize,
    pub(super) values: &'o [&'o str],
    /// True when a last value anywhere holds what parts values.
    pub(super) runs_on: bool,
}

/// What is said where one does.
const REST: &str = ", and a last value takes the rest of its line";

/// What may part values; the first that few of them have is taken.
pub(super) const COMMAS: [char; 4] = [',', ';', '|', '\t'];

/// Above the shapes, and below them.
const OPEN: &str = "[short lines: ";
const LINES: &str = "[the lines:]";

impl Calls {
    pub(super) fn new(shapes: Vec<LineShape>, signs: CallSigns) -> Self {
        let names = shapes.iter().enumerate().map(|(index, shape)| (shape.name.clone(), index)).collect();
        Self { shapes, names, signs }
    }

    /// What a reader needs to know, with a line of theirs as the example, and the shapes.
    pub(super) fn head(&self, clock: &str, example: &CallExample<'_>) -> Option<String> {
        let CallExample { index, values, runs_on } = *example;
        let name = &self.shapes.get(index)?.name;
        let [open, close] = self.signs.brackets;
        let fills = values.iter().enumerate();
        let fills: Vec<_> =
            fills.map(|(number, value)| format!("{open}{}{close}={value}", number + 1)).collect();
        let with = if fills.is_empty() { String::new() } else { format!(" with {}", fills.join(" ")) };
        let rest = if runs_on { REST } else { "" };
        let call = self.print(index, values)?;
        let mut head =
            format!("{OPEN}\"{call}\" is the line named {name} here{with}{rest}; other lines are whole]\n");
        for shape in &self.shapes {
            head.extend([&shape.print(self.signs.brackets), "\n"]);
        }
        Some(head + clock + LINES + "\n")
    }

    /// Reads the head of a body; what stands below it comes with the calls. The note says what parts values.
    pub(super) fn parse<'b>(note: &str, body: &'b str) -> Option<(Self, &'b str)> {
        let mut signs = note.chars();
        let (open, comma) = (signs.next()?, signs.as_str());
        let brackets = BRACKETS.into_iter().find(|brackets| brackets[0] == open)?;
        let comma = COMMAS.into_iter().find(|sign| word(*sign) == comma)?;
        let mut rest = body.strip_prefix(OPEN)?.split_once('\n')?.1;
        let mut shapes = Vec::new();
        loop {
            let (line, below) = rest.split_once('\n')?;
            rest = below;
            if line == LINES {
                return Some((Self::new(shapes, CallSigns { brackets, comma }), rest));
            }
            if line.starts_with('[') {
                continue;
            }
            shapes.push(LineShape::parse(brackets, line)?);
        }
    }

    pub(super) fn note(&self) -> String {
        format!("{}{}", self.signs.brackets[0], word(self.signs.comma))
    }

    /// The call of the shape at `index`; `None` when it would be read as another, or is hard to read.
    pub(super) fn print(&self, index: usize, values: &[&str]) -> Option<String> {
        let mut call = self.shapes[index].name.clone();
        call.push_str(if values.is_empty() { ":" } else { COLON });
        for (number, value) in values.iter().enumerate() {
            call.extend((number > 0).then_some(self.signs.comma));
            call.push_str(value);
        }
        // A blank at the end of a value cannot be seen.
        let seen = values.iter().all(|value| value.trim_matches([' ', '\t']) == *value);
        (seen && self.read(&call) == Some((index, values.to_vec()))).then_some(call)
    }

    /// The shape and the values of a call.
    fn read<'t>(&self, text: &'t str) -> Option<(usize, Vec<&'t str>)> {
        let (name, rest) = text.split_once(':')?;
        let index = *self.names.get(name)?;
        let places = self.shapes[index].places;
        let rest = if places == 0 { rest } else { rest.strip_prefix(' ')? };
        if places == 0 {
            return rest.is_empty().then(|| (index, Vec::new()));
        }
        let values: Vec<_> = rest.splitn(places, self.signs.comma).collect();
        (values.len() == places).then_some((index, values))
    }

    /// True when `text` would be taken for a call.
    pub(super) fn is_call(&self, text: &str) -> bool {
        self.read(text.trim_start_matches([' ', '\t'])).is_some()
    }

    /// Writes the text that `said` stands for.
    pub(super) fn expand(&self, out: &mut String, said: &str) {
        let call = said.trim_start_matches([' ', '\t']);
        match self.read(call) {
            Some((index, values)) => {
                out.push_str(&said[..said.len() - call.len()]);
                self.shapes[index].fill(out, &values);
            }
            None => out.push_str(said),
        }
    }
}

/// What parts values, as a note can hold it.
fn word(comma: char) -> &'static str {
    match comma {
        ';' => ";",
        '|' => "|",
        '\t' => "tab",
        _ => ",",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Calls {
        let shapes = ["took: took {1} ms for {2}", "all: all done", "one: only {1}"];
        let shapes = shapes.iter().filter_map(|line| LineShape::parse(BRACKETS[0], line));
        Calls::new(shapes.collect(), CallSigns { brackets: BRACKETS[0], comma: ',' })
    }

    #[test]
    fn heads_are_read_back() {
        let example = |runs_on| CallExample { index: 0, values: &["7", "x"], runs_on };
        let head = calls().head("", &example(false)).unwrap();
        let first = "[short lines: \"took: 7,x\" is the line named took here with {1}=7 {2}=x; other lines are whole]";
        assert_eq!(head.lines().next(), Some(first));
        let long = calls().head("", &example(true)).unwrap();
        assert!(long.contains("{2}=x, and a last value takes the rest of its line; other"), "{long}");
        let body = format!("{head}took: 7,x");
        assert_eq!(Calls::parse(&calls().note(), &body), Some((calls(), "took: 7,x")));
        assert_eq!(Calls::parse("{", &body), None);
    }

    #[test]
    fn texts_come_back() {
        for (index, values, text) in
            [(0, &["7", "x,y"][..], "took 7 ms for x,y"), (1, &[], "all done"), (2, &["a,b"], "only a,b")]
        {
            let mut out = String::new();
            calls().expand(&mut out, &format!("  {}", calls().print(index, values).unwrap()));
            assert_eq!(out, format!("  {text}"));
        }
        for text in ["", "a,b", "all: x", "took: 1", "took:1,2", "plain"] {
            let mut out = String::new();
            calls().expand(&mut out, text);
            assert_eq!((out.as_str(), calls().is_call(text)), (text, false));
        }
        assert!(calls().is_call(" all:"));
    }

    #[test]
    fn values_that_would_be_misread_are_declined() {
        assert_eq!(calls().print(0, &["1,2", "x"]), None);
        assert_eq!(calls().print(2, &[" x"]), None);
    }
}

//! Lines as calls of shapes: a name and the values for its places, `opened: root,1000`.

use std::collections::HashMap;

use super::shape::{COLON, Shape};

/// The shapes of a log and how lines call them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    pub(super) shapes: Vec<Shape>,
    names: HashMap<String, usize>,
    comma: char,
}

/// Before a text that would be taken for a call.
pub(super) const ESCAPE: char = '\\';

/// Behind the count of shapes, before an example of a call.
const COUNT: &str = " first; below, \"name: ";

/// Behind the example.
const FILL: &str = "\" is that shape with {1}=a, {2}=b";

impl Calls {
    pub(super) fn new(shapes: Vec<Shape>, comma: char) -> Self {
        let names = shapes.iter().enumerate().map(|(index, shape)| (shape.name.clone(), index)).collect();
        Self { shapes, names, comma }
    }

    /// What to say of the calls above them.
    pub(super) fn note(&self) -> String {
        if self.shapes.is_empty() {
            return String::new();
        }
        let shapes = if self.shapes.len() == 1 { "shape" } else { "shapes" };
        format!("{} {shapes}{COUNT}a{}b{FILL}", self.shapes.len(), self.comma)
    }

    /// Reads a note and the shapes at the top of a body; what stands below them comes with the calls.
    pub(super) fn parse<'b>(note: &str, body: &'b str) -> Option<(Self, &'b str)> {
        if note.is_empty() {
            return Some((Self::default(), body));
        }
        let (count, example) = note.split_once(COUNT)?;
        let comma = example.strip_suffix(FILL)?.strip_prefix('a')?.strip_suffix('b')?.chars().next()?;
        let mut rest = body;
        let mut shapes = Vec::new();
        for _ in 0..count.split_once(' ')?.0.parse::<usize>().ok()? {
            let (line, below) = rest.split_once('\n')?;
            shapes.push(Shape::parse(line)?);
            rest = below;
        }
        Some((Self::new(shapes, comma), rest))
    }

    /// The call of the shape at `index`; `None` when it would be read as another.
    pub(super) fn print(&self, index: usize, values: &[&str]) -> Option<String> {
        let mut call = self.shapes[index].name.clone();
        call.push_str(if values.is_empty() { ":" } else { COLON });
        for (number, value) in values.iter().enumerate() {
            call.extend((number > 0).then_some(self.comma));
            call.push_str(value);
        }
        (self.read(&call) == Some((index, values.to_vec()))).then_some(call)
    }

    /// The shape and the values of a call.
    fn read<'t>(&self, text: &'t str) -> Option<(usize, Vec<&'t str>)> {
        let (name, rest) = text.split_once(':')?;
        let index = *self.names.get(name)?;
        let places = self.shapes[index].places;
        let rest = if places == 0 { rest } else { rest.strip_prefix(' ')? };
        let values: Vec<_> = match places {
            0 if rest.is_empty() => Vec::new(),
            1 => vec![rest],
            _ => rest.split(self.comma).collect(),
        };
        (values.len() == places).then_some((index, values))
    }

    /// Writes `text` so that it is read as itself.
    pub(super) fn escape(&self, out: &mut String, text: &str) {
        if text.starts_with(ESCAPE) || self.read(text).is_some() {
            out.push(ESCAPE);
        }
        out.push_str(text);
    }

    /// Writes the text that `said` stands for.
    pub(super) fn expand(&self, out: &mut String, said: &str) {
        match (said.strip_prefix(ESCAPE), self.read(said)) {
            (Some(text), _) => out.push_str(text),
            (None, Some((index, values))) => self.shapes[index].fill(out, &values),
            (None, None) => out.push_str(said),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Calls {
        let shapes = ["took: took {1} ms for {2}", "all done: all done", "one: only {1}"];
        Calls::new(shapes.iter().filter_map(|line| Shape::parse(line)).collect(), ',')
    }

    #[test]
    fn notes_are_read_back() {
        let note = calls().note();
        let body = "took: took {1} ms for {2}\nall done: all done\none: only {1}\ntook: 7,x";
        assert_eq!(Calls::parse(&note, body), Some((calls(), "took: 7,x")), "{note}");
        assert_eq!(Calls::parse("", body), Some((Calls::default(), body)));
        for bad in ["x", "9 shapes", "no shapes first", &note.replace('3', "9")] {
            assert_eq!(Calls::parse(bad, body), None, "{bad}");
        }
    }

    #[test]
    fn texts_come_back() {
        for (index, values, text) in
            [(0, &["7", "x"][..], "took 7 ms for x"), (1, &[], "all done"), (2, &["a,b"], "only a,b")]
        {
            let mut out = String::new();
            calls().expand(&mut out, &calls().print(index, values).unwrap());
            assert_eq!(out, text);
        }
        for text in
            ["", "a,b", "all done:", "all done: ", "took: 1,2", "took: 1", "\\", "\\x", "one: x", "plain"]
        {
            let mut said = String::new();
            calls().escape(&mut said, text);
            let mut out = String::new();
            calls().expand(&mut out, &said);
            assert_eq!(out, text, "{said}");
        }
    }

    #[test]
    fn values_that_would_be_misread_are_declined() {
        assert_eq!(calls().print(0, &["1,2", "x"]), None);
    }
}

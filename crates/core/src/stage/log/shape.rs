//! What lines have in common: a text with numbered places, `took {1} ms for {2}`, and a name to call it by.

/// A shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) parts: Vec<Part>,
    /// How many values fill its places.
    pub(super) places: usize,
}

/// A piece of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// These characters.
    Text(String),
    /// The value with this number, from 0; one may stand at several places.
    Place(usize),
}

/// Between a name and what belongs to it.
pub(super) const COLON: &str = ": ";

impl Shape {
    /// Adds `text` as it stands.
    pub(super) fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// The shape as one line reads it back.
    pub(super) fn print(&self) -> String {
        let mut out = self.name.clone() + COLON;
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Place(number) => out.extend(["{", &(number + 1).to_string(), "}"]),
            }
        }
        out
    }

    /// Reads what `print` printed; braces without a number stand for themselves.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (name, mut rest) = line.split_once(COLON)?;
        let mut shape = Self { name: name.to_owned(), ..Self::default() };
        while let Some(open) = rest.find('{') {
            let digits = rest[open + 1..].bytes().take_while(u8::is_ascii_digit).count();
            let close = open + 1 + digits;
            let number = rest[open + 1..close].parse::<usize>().ok().filter(|&number| number > 0);
            if let Some(number) = number.filter(|_| rest[close..].starts_with('}')) {
                shape.push(&rest[..open]);
                shape.parts.push(Part::Place(number - 1));
                shape.places = shape.places.max(number);
                rest = &rest[close + 1..];
            } else {
                shape.push(&rest[..close]);
                rest = &rest[close..];
            }
        }
        shape.push(rest);
        Some(shape)
    }

    /// Writes the line that `values` make; there must be as many as places.
    pub(super) fn fill(&self, out: &mut String, values: &[&str]) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Place(number) => out.push_str(values.get(*number).copied().unwrap_or_default()),
            }
        }
    }

    /// The text that all lines of the shape share.
    pub(super) fn text(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Place(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_back() {
        for line in ["a: took {1} ms for {2}{1}", "b: {x} {0} {} {1", "c: ", "d: {1}: {2}\r"] {
            let shape = Shape::parse(line).unwrap();
            assert_eq!(shape.print(), line);
            assert_eq!(Shape::parse(&shape.print()), Some(shape));
        }
        assert_eq!(Shape::parse("none"), None);
    }

    #[test]
    fn values_fill_their_places() {
        let mut out = String::new();
        Shape::parse("x: {2}-{1}-{2}").unwrap().fill(&mut out, &["a", "b"]);
        assert_eq!(out, "b-a-b");
    }
}

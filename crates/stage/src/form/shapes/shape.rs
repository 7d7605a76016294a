//! The words that lines have in common, with places for those that differ.

/// What lines have in common, under a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineShape {
    pub(super) name: String,
    pub(super) parts: Vec<ShapePart>,
    /// How many values it takes.
    pub(super) places: usize,
}

/// A part of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShapePart {
    Text(String),
    /// The value of this number, from 0; one may stand at several places.
    Place(usize),
}

/// Between a name and what belongs to it.
pub(super) const COLON: &str = ": ";

/// What may stand around the number of a place; the first that no shape has in its text is taken.
pub(super) const BRACKETS: [[char; 2]; 3] = [['{', '}'], ['<', '>'], ['«', '»']];

impl LineShape {
    /// Adds `text` as it stands.
    pub(super) fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(ShapePart::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(ShapePart::Text(text.to_owned())),
        }
    }

    /// The shape as one line reads it back.
    pub(super) fn print(&self, brackets: [char; 2]) -> String {
        let mut out = self.name.clone() + COLON;
        for part in &self.parts {
            match part {
                ShapePart::Text(text) => out.push_str(text),
                ShapePart::Place(number) => {
                    out.push(brackets[0]);
                    out.push_str(&(number + 1).to_string());
                    out.push(brackets[1]);
                }
            }
        }
        out
    }

    /// Reads what `print` printed.
    pub(super) fn parse(brackets: [char; 2], line: &str) -> Option<Self> {
        let (name, mut rest) = line.split_once(COLON)?;
        let mut shape = Self { name: name.to_owned(), ..Self::default() };
        while let Some((text, place)) = rest.split_once(brackets[0]) {
            let (number, more) = place.split_once(brackets[1])?;
            let number = number.parse::<usize>().ok()?.checked_sub(1)?;
            shape.push(text);
            shape.parts.push(ShapePart::Place(number));
            shape.places = shape.places.max(number + 1);
            rest = more;
        }
        shape.push(rest);
        Some(shape)
    }

    /// Writes the line that `values` make; there must be as many as places.
    pub(super) fn fill(&self, out: &mut String, values: &[&str]) {
        for part in &self.parts {
            match part {
                ShapePart::Text(text) => out.push_str(text),
                ShapePart::Place(number) => out.push_str(values.get(*number).copied().unwrap_or_default()),
            }
        }
    }

    /// The text that all lines of the shape share.
    pub(super) fn text(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            ShapePart::Text(text) => Some(text.as_str()),
            ShapePart::Place(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_back() {
        for line in ["a: took {1} ms for {2}{1}", "b: <x>", "c: ", "d: {1}: {2}\r"] {
            let shape = LineShape::parse(BRACKETS[0], line).unwrap();
            assert_eq!(shape.print(BRACKETS[0]), line);
        }
        for line in ["none", "a: {x}", "a: {0}", "a: {1"] {
            assert_eq!(LineShape::parse(BRACKETS[0], line), None, "{line}");
        }
        assert_eq!(LineShape::parse(BRACKETS[1], "a: {main} <1>").unwrap().places, 1);
    }

    #[test]
    fn values_fill_their_places() {
        let mut out = String::new();
        LineShape::parse(BRACKETS[0], "x: {2}-{1}-{2}").unwrap().fill(&mut out, &["a", "b"]);
        assert_eq!(out, "b-a-b");
    }
}

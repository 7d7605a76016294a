//! Parses and follows paths of fields in a JSON document: `items.*.metadata`, `**.url`, `a."b.c"`.

use tersely_codec::Text;

/// The path of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    steps: Vec<FieldStep>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FieldStep {
    /// A member with this name.
    Named(String),
    /// `*`: any member or item.
    Any,
    /// `**`: any number of members and items, including none.
    Deep,
}

impl FieldPath {
    /// Parses a path.
    ///
    /// # Errors
    ///
    /// Fails if a step is empty or a quote is not closed.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (mut steps, mut rest) = (Vec::new(), text);
        loop {
            let (step, after) = FieldStep::first(rest)?;
            steps.push(step);
            match after.strip_prefix('.') {
                Some(next) => rest = next,
                None if after.is_empty() => break,
                None => return Err("a dot must follow a quoted name"),
            }
        }
        if steps.last() == Some(&FieldStep::Deep) {
            Err("`**` names no field by itself")
        } else {
            Ok(Self { steps })
        }
    }

    /// Starts a walk along the path.
    pub(super) fn begin(&self) -> FieldWalk<'_> {
        FieldWalk(&self.steps)
    }
}

impl FieldStep {
    /// Parses the first step of a path. Returns the step and the text after it.
    fn first(path: &str) -> Result<(Self, &str), &'static str> {
        if let Some(quoted) = path.strip_prefix('"') {
            let (name, after) = quoted.split_once('"').ok_or("a quote is not closed")?;
            return Ok((Self::Named(name.to_owned()), after));
        }
        let end = path.find('.').unwrap_or(path.len());
        Ok((Self::of(&path[..end])?, &path[end..]))
    }

    fn of(word: &str) -> Result<Self, &'static str> {
        match word {
            "" => Err("a name between dots is empty"),
            "*" => Ok(Self::Any),
            "**" => Ok(Self::Deep),
            name => Ok(Self::Named(name.to_owned())),
        }
    }
}

/// The remaining steps of a path, during a walk through a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldWalk<'p>(&'p [FieldStep]);

impl FieldWalk<'_> {
    /// True when the field is reached.
    pub(super) fn is_done(self) -> bool {
        self.0.is_empty()
    }

    /// Adds to `left` the walks that remain after a member with this name, or after an item of a list. There may be
    /// several, because `**` can match any number of steps.
    pub(super) fn past(self, name: Option<&Text<'_>>, left: &mut Vec<Self>) {
        match self.0 {
            [FieldStep::Deep, rest @ ..] => {
                left.push(self);
                Self(rest).past(name, left);
            }
            [FieldStep::Any, rest @ ..] => left.push(Self(rest)),
            [FieldStep::Named(wanted), rest @ ..] => {
                if name.and_then(Text::value).as_deref() == Some(wanted) {
                    left.push(Self(rest));
                }
            }
            [] => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True when the path leads through members with these names. `None` is an item of a list.
    fn leads(path: &str, names: &[Option<&str>]) -> bool {
        let path = FieldPath::parse(path).unwrap();
        let mut walks = vec![path.begin()];
        for name in names {
            let mut left = Vec::new();
            for walk in walks {
                walk.past(name.map(Text::of).as_ref(), &mut left);
            }
            walks = left;
        }
        walks.into_iter().any(FieldWalk::is_done)
    }

    #[test]
    fn paths_lead_to_fields() {
        let (a, b, c, item) = (Some("a"), Some("b"), Some("b.c"), None);
        for (path, names, there) in [
            ("a.b", &[a, b][..], true),
            ("a.b", &[a], false),
            ("a.*", &[a, item], true),
            ("a.*.b", &[a, item, b], true),
            ("a.b", &[a, item, b], false),
            ("**.b", &[b], true),
            ("**.b", &[a, item, b], true),
            ("a.**.b", &[a, b], true),
            ("a.**.b", &[b, b], false),
            ("a.\"b.c\"", &[a, c], true),
        ] {
            assert_eq!(leads(path, names), there, "{path} {names:?}");
        }
    }

    #[test]
    fn broken_paths_are_reported() {
        for path in ["", "a.", ".a", "a..b", "\"a", "\"a\"b", "a.**"] {
            assert!(FieldPath::parse(path).is_err(), "{path}");
        }
    }
}

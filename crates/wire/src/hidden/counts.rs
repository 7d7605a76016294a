//! Sums what a provider counts, under the names that it has for it.

use crate::json::node::Node;
use crate::json::patch::Patch;

/// Counts of one round or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts<const N: usize> {
    names: [&'static str; N],
    /// In the order of the names.
    pub(crate) of: [u64; N],
}

impl<const N: usize> Counts<N> {
    pub(crate) fn new(names: [&'static str; N]) -> Self {
        Self { names, of: [0; N] }
    }

    /// Takes over what is said here; what is not said stays. Providers count on within a response.
    pub(crate) fn read(&mut self, usage: &Node<'_>) {
        let Some(said) = usage.gets(self.names) else { return };
        for (count, said) in self.of.iter_mut().zip(said) {
            *count = said.and_then(|said| said.number()).unwrap_or(*count);
        }
    }

    pub(crate) fn plus(mut self, other: &Self) -> Self {
        for (count, more) in self.of.iter_mut().zip(other.of) {
            *count = count.saturating_add(more);
        }
        self
    }

    /// Says these counts in `usage`, the member of that name in `object`; what else it says stays.
    pub(crate) fn write(&self, name: &str, object: &Node<'_>, patch: &mut Patch) {
        match object.get(name).filter(Node::is_object) {
            Some(usage) => self.update(&usage, patch),
            None if object.get(name).is_some() => {}
            None => {
                let counts = self.listed(&[const { None }; N]);
                patch.add(object, format!(r#""{name}":{{{counts}}}"#).as_bytes());
            }
        }
    }

    fn update(&self, usage: &Node<'_>, patch: &mut Patch) {
        let Some(said) = usage.gets(self.names) else { return };
        for (count, said) in self.of.iter().zip(&said) {
            if let Some(value) = said.as_ref().filter(|said| said.number().is_some() || *count > 0) {
                patch.put(value.span.clone(), count.to_string());
            }
        }
        patch.add(usage, self.listed(&said).as_bytes());
    }

    /// Members for what is not said and more than nothing.
    fn listed(&self, said: &[Option<Node<'_>>; N]) -> String {
        let all = self.names.iter().zip(self.of).zip(said);
        let missing = all.filter(|((_, count), said)| *count > 0 && said.is_none());
        missing.map(|((name, count), _)| format!(r#""{name}":{count}"#)).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &str) {
        let top = Node::whole(body.as_bytes()).unwrap();
        let (mut patch, counts) = (Patch::default(), Counts { names: ["in", "out", "kept"], of: [5, 7, 0] });
        counts.write("usage", &top, &mut patch);
        assert_eq!(String::from_utf8_lossy(&patch.apply(body.as_bytes())), expected);
    }

    #[test]
    fn counts_are_said_where_they_belong() {
        check(r#"{"usage":{"in":1,"x":2,"out":3}}"#, r#"{"usage":{"in":5,"x":2,"out":7}}"#);
        check(r#"{"usage":{"in":null,"kept":null}}"#, r#"{"usage":{"in":5,"kept":null,"out":7}}"#);
        check("{}", r#"{"usage":{"in":5,"out":7}}"#);
        check(r#"{"usage":null}"#, r#"{"usage":null}"#);
    }

    #[test]
    fn what_is_not_said_stays() {
        let mut counts = Counts::new(["in", "out"]);
        counts.read(&Node::whole(br#"{"in":3,"out":1}"#).unwrap());
        counts.read(&Node::whole(br#"{"out":9,"in":null}"#).unwrap());
        assert_eq!(counts.of, [3, 9]);
        assert_eq!(counts.plus(&counts).of, [6, 18]);
    }
}

//! Replaces parts of a JSON text, and copies every other byte.

use std::borrow::Cow;
use std::ops::Range;

use crate::node::JsonNode;

/// A list of changes to one JSON text.
#[derive(Debug, Default)]
pub struct BytePatch {
    edits: Vec<(Range<usize>, Vec<u8>)>,
}

/// Bytes to insert into a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// Where the bytes go.
    pub at: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Insertion {
    /// Appends items to the array, before the white space at its end.
    #[must_use]
    pub fn append(list: &JsonNode<'_>, items: &str) -> Self {
        let comma = if list.is_empty() { "" } else { "," };
        let at = list.span.start + 1 + list.inside().trim_ascii_end().len();
        Self { at, bytes: format!("{comma}{items}").into_bytes() }
    }

    /// The text with the bytes inserted.
    #[must_use]
    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        let (before, after) = text.split_at_checked(self.at).unwrap_or((text, b""));
        [before, &self.bytes, after].concat()
    }
}

impl BytePatch {
    /// Replaces the bytes at `place`; if `place` is empty, inserts bytes there.
    pub fn put(&mut self, place: Range<usize>, bytes: impl Into<Vec<u8>>) {
        self.edits.push((place, bytes.into()));
    }

    /// Appends members to the object. `members` has the form `"name":value`, with commas between the members.
    pub fn add(&mut self, object: &JsonNode<'_>, members: &[u8]) {
        let end = object.span.end - 1;
        let comma: &[u8] = if object.is_empty() { b"" } else { b"," };
        if !members.is_empty() {
            self.edits.push((end..end, [comma, members].concat()));
        }
    }

    /// Appends items to the array, before the white space at its end.
    pub fn push(&mut self, list: &JsonNode<'_>, items: &str) {
        let Insertion { at, bytes } = Insertion::append(list, items);
        self.edits.push((at..at, bytes));
    }

    /// Removes the member `name` and one comma.
    pub fn cut(&mut self, object: &JsonNode<'_>, name: &str) {
        if let Some(span) = member_with_comma(object, name) {
            self.edits.push((span, Vec::new()));
        }
    }

    /// Removes the items of an array for which `dropped` is true, together with the superfluous commas.
    pub fn drop_items(&mut self, items: &[JsonNode<'_>], dropped: &[bool]) {
        let mut has_kept = false;
        for (at, item) in items.iter().enumerate() {
            if !dropped.get(at).is_some_and(|is_dropped| *is_dropped) {
                has_kept = true;
                continue;
            }
            let span = match (items.get(at.wrapping_sub(1)), items.get(at + 1)) {
                (Some(before), _) if has_kept => before.span.end..item.span.end,
                (_, Some(after)) => item.span.start..after.span.start,
                (_, None) => item.span.clone(),
            };
            self.edits.push((span, Vec::new()));
        }
    }

    /// Applies all changes to the text. If two changes overlap, only the one that starts first is applied.
    #[must_use]
    pub fn apply(self, data: &[u8]) -> Cow<'_, [u8]> {
        if self.edits.is_empty() {
            Cow::Borrowed(data)
        } else {
            Cow::Owned(patch(data, &in_order(self.edits)))
        }
    }
}

/// Puts edits in order, and drops those that overlap an earlier one.
#[must_use]
pub fn in_order<B>(mut edits: Vec<(Range<usize>, B)>) -> Vec<(Range<usize>, B)> {
    edits.sort_by_key(|(place, _)| (place.start, place.end));
    let mut from = 0;
    edits.retain(|(place, _)| {
        let fits = place.start >= from;
        from = if fits { place.end } else { from };
        fits
    });
    edits
}

/// The text with these edits, which are in order and apart. Every other byte is copied.
#[must_use]
pub fn patch<B: AsRef<[u8]>>(text: &[u8], edits: &[(Range<usize>, B)]) -> Vec<u8> {
    let grown: usize = edits.iter().map(|(_, bytes)| bytes.as_ref().len()).sum();
    let cut: usize = edits.iter().map(|(place, _)| place.len()).sum();
    let mut new = Vec::with_capacity((text.len() + grown).saturating_sub(cut));
    let mut from = 0;
    for (place, bytes) in edits {
        new.extend_from_slice(&text[from..place.start]);
        new.extend_from_slice(bytes.as_ref());
        from = place.end;
    }
    new.extend_from_slice(&text[from..]);
    new
}

/// The range of the member with this name, including its comma.
#[must_use]
pub fn member_with_comma(object: &JsonNode<'_>, name: &str) -> Option<Range<usize>> {
    let (start, span) = (object.span.start, object.member(name)?);
    let span = with_comma(object.bytes(), span.start - start..span.end - start);
    Some(start + span.start..start + span.end)
}

/// Extends a member's range by the comma after the member, or by the comma before it if the member is the last one.
fn with_comma(object: &[u8], span: Range<usize>) -> Range<usize> {
    let gap = object[span.end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if object.get(span.end + gap) == Some(&b',') {
        return span.start..span.end + gap + 1;
    }
    let before = object[..span.start].trim_ascii_end();
    let start = if before.last() == Some(&b',') { before.len() - 1 } else { span.start };
    start..span.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(body: &str, name: &str, expected: &str) {
        let mut patch = BytePatch::default();
        patch.cut(&JsonNode::object(body.as_bytes()).unwrap(), name);
        assert_eq!(String::from_utf8_lossy(&patch.apply(body.as_bytes())), expected);
    }

    #[test]
    fn a_member_goes_with_one_comma() {
        cuts(r#"{"a":1,"b":2,"c":3}"#, "a", r#"{"b":2,"c":3}"#);
        cuts(r#"{"a":1,"b":2,"c":3}"#, "b", r#"{"a":1,"c":3}"#);
        cuts(r#"{"a":1 , "c" : [1,2] }"#, "c", r#"{"a":1  }"#);
        cuts(r#"{"a":1}"#, "a", "{}");
        cuts(r#"{"a":1}"#, "b", r#"{"a":1}"#);
    }

    fn drops(dropped: &[bool], body: &str, expected: &str) {
        let (top, mut patch) = (JsonNode::object(body.as_bytes()).unwrap(), BytePatch::default());
        patch.drop_items(&top.get("a").unwrap().items(), dropped);
        assert_eq!(String::from_utf8_lossy(&patch.apply(body.as_bytes())), expected);
    }

    #[test]
    fn items_go_with_their_commas() {
        let body = r#"{"a":[ 1, 2 ,3 ]}"#;
        drops(&[true, false, false], body, r#"{"a":[ 2 ,3 ]}"#);
        drops(&[false, true, false], body, r#"{"a":[ 1 ,3 ]}"#);
        drops(&[false, true, true], body, r#"{"a":[ 1 ]}"#);
        drops(&[true, true, false], body, r#"{"a":[ 3 ]}"#);
        drops(&[true, false, true], body, r#"{"a":[ 2 ]}"#);
        drops(&[true, true, true], body, r#"{"a":[  ]}"#);
        drops(&[], body, body);
    }

    #[test]
    fn values_change_and_members_are_added() {
        let body = br#"{"a":{},"b":[1],"c":{"x":1}}"#;
        let top = JsonNode::object(body).unwrap();
        let mut patch = BytePatch::default();
        patch.add(&top.get("c").unwrap(), br#""y":2"#);
        patch.add(&top.get("a").unwrap(), br#""z":3"#);
        patch.put(top.get("b").unwrap().span, *b"7");
        let patched = patch.apply(body);
        assert_eq!(String::from_utf8_lossy(&patched), r#"{"a":{"z":3},"b":7,"c":{"x":1,"y":2}}"#);
    }

    /// A number below `n`, determined by the seed.
    fn pick(seed: &mut u64, n: usize) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*seed >> 33).unwrap_or_default() % n
    }

    /// The text with one edit after the other, from the last to the first.
    fn one_by_one(text: &[u8], edits: &[(Range<usize>, Vec<u8>)]) -> Vec<u8> {
        let mut new = text.to_vec();
        for (place, bytes) in edits.iter().rev() {
            new.splice(place.clone(), bytes.iter().copied());
        }
        new
    }

    #[test]
    fn edits_in_order_are_as_good_as_edits_one_by_one() {
        let text: Vec<u8> = (b'a'..=b'z').collect();
        for seed in 0..4000_u64 {
            let seed = &mut { seed };
            let edit = |seed: &mut u64| {
                let start = pick(seed, text.len() + 1);
                let end = (start + pick(seed, 6)).min(text.len());
                (start..end, vec![b'0' + [1, 2, 3, 4][pick(seed, 4)]; pick(seed, 4)])
            };
            let all: Vec<_> = (0..pick(seed, 8)).map(|_| edit(seed)).collect();
            let edits = in_order(all.clone());
            assert!(
                edits.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start),
                "apart and in order: {edits:?}"
            );
            let overlaps =
                |one: &Range<usize>| edits.iter().any(|(two, _)| one.start < two.end && two.start < one.end);
            let left_out = all.iter().filter(|edit| !edits.contains(edit));
            assert!(left_out.into_iter().all(|(place, _)| overlaps(place)), "{all:?} {edits:?}");
            assert_eq!(patch(&text, &edits), one_by_one(&text, &edits), "{edits:?}");
            let mut patch = BytePatch::default();
            for (place, bytes) in &all {
                patch.put(place.clone(), bytes.clone());
            }
            assert_eq!(&*patch.apply(&text), one_by_one(&text, &edits), "{all:?}");
        }
    }

    /// Edits at the same place keep their order, and an insertion goes in front of what replaces the bytes there.
    #[test]
    fn edits_that_touch_are_all_made() {
        let edits = vec![(2..3, "C"), (2..2, "1"), (2..2, "2"), (0..0, "<"), (3..3, "3"), (4..4, ">")];
        assert_eq!(patch(b"abcd", &in_order(edits)), b"<ab12C3d>");
        assert_eq!(patch(b"", &in_order(vec![(0..0, "x"), (0..0, "y")])), b"xy");
        assert_eq!(patch(b"abc", &in_order(vec![(0..3, ""), (1..2, "x"), (3..3, "z")])), b"z");
        assert_eq!(patch::<&str>(b"abc", &[]), b"abc");
    }
}

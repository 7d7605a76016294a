//! Finds the objects whose text a provider has signed or encrypted, in one pass.

use tersely_json::string;

use crate::mask::token::{is_key, step_string};

/// The members of an object that must be sent back to the provider unchanged.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SignedObject {
    /// True when the object's reasoning has a signature.
    pub(super) is_signed: bool,
    /// True when the object's data is encrypted reasoning.
    pub(super) is_redacted: bool,
}

/// An object whose end has not been reached, with counts of the members that determine its kind.
#[derive(Default)]
struct OpenObject {
    start: usize,
    found: SignedObject,
    signatures: u8,
    kinds: u8,
}

/// The positions where objects with signed members begin, in descending order.
pub(super) fn signed_objects(body: &[u8], mut at: usize) -> Vec<(usize, SignedObject)> {
    let (mut open, mut signed) = (Vec::<OpenObject>::new(), Vec::new());
    while let Some(&byte) = body.get(at) {
        match byte {
            b'"' => {
                let token = step_string(body, &mut at);
                if is_key(body, at)
                    && let Some(object) = open.last_mut()
                {
                    object.note(&body[token], &body[at..]);
                }
                continue;
            }
            b'{' => open.push(OpenObject { start: at, ..OpenObject::default() }),
            b'}' => signed.extend(open.pop().and_then(OpenObject::finish)),
            _ => {}
        }
        at += 1;
    }
    signed.sort_unstable_by(|(one, _), (two, _)| two.cmp(one));
    signed
}

impl OpenObject {
    /// Records a member: its name, and the bytes after the name.
    fn note(&mut self, key: &[u8], rest: &[u8]) {
        // `signature` takes 56 bytes if every character is written as an escape.
        let name = if key.len() <= 56 { string::decode(key) } else { None };
        let value = || {
            let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b':';
            &rest[rest.iter().take_while(|byte| is_between(byte)).count()..]
        };
        match name.as_deref() {
            Some("signature") => {
                self.signatures = self.signatures.saturating_add(1);
                let value = value();
                self.found.is_signed = value.starts_with(b"\"") && !value.starts_with(b"\"\"");
            }
            Some("type") => {
                self.kinds = self.kinds.saturating_add(1);
                self.found.is_redacted = value().starts_with(b"\"redacted_thinking\"");
            }
            _ => {}
        }
    }

    /// The result; `None` if a member occurs twice, because parsers disagree about which one counts.
    fn finish(self) -> Option<(usize, SignedObject)> {
        let is_clear = self.signatures <= 1 && self.kinds <= 1;
        (is_clear && self.found != SignedObject::default()).then_some((self.start, self.found))
    }
}

//! Finds the objects whose text a provider has signed or sealed, in one pass.

use tersely_json::string;

use crate::mask::token::{is_key, step_string};

/// Which members of an object the provider must get back unchanged.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SignedObject {
    /// Its reasoning, which has a signature.
    pub(super) is_signed: bool,
    /// Its data, which is sealed reasoning.
    pub(super) is_redacted: bool,
}

/// An open object, with counts of the members that tell what it is.
#[derive(Default)]
struct OpenObject {
    start: usize,
    found: SignedObject,
    signatures: u8,
    kinds: u8,
}

/// Where objects with something signed begin, the last one first.
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
        // Written with nothing but escapes, `signature` takes 56 bytes.
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

    /// The result, unless a member is there twice: readers disagree about which one counts.
    fn finish(self) -> Option<(usize, SignedObject)> {
        let is_clear = self.signatures <= 1 && self.kinds <= 1;
        (is_clear && self.found != SignedObject::default()).then_some((self.start, self.found))
    }
}

//! Names a kept text: whose it is, which it is and how long it lives.

use std::fmt;

/// Who a text belongs to, as a keyed hash: equal for the same identity under the same secret, and for nothing else.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Tenant(pub(crate) [u8; 32]);

/// Which text: the sixteen bytes behind `shadow_`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Id(pub(crate) [u8; 16]);

/// How long a text is kept since it was last asked for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Life {
    /// An original, until the model has had time to ask for it.
    Original,
    /// What was made of an original and is to be the same on every replica. Its id covers all that made it: the text,
    /// the question, the strategy, the model.
    Form,
}

/// The whole name of a kept text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct StoreKey {
    /// How long it lives.
    pub life: Life,
    /// Whose it is.
    pub tenant: Tenant,
    /// Which it is.
    pub id: Id,
}

impl Id {
    const PREFIX: &'static str = "shadow_";

    /// Reads `shadow_` and 32 small hexadecimal digits; anything else is no id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?.as_bytes();
        let (pairs, []) = digits.as_chunks::<2>() else { return None };
        let pairs: &[[u8; 2]; 16] = pairs.try_into().ok()?;
        let mut bytes = [0; 16];
        for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for Tenant {
    /// Says nothing: what names a tenant is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tenant")
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_spelling_is_an_id() {
        let good = "shadow_00112233445566778899aabbccddeeff";
        let bytes = [0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255];
        assert_eq!(Id::parse(good), Some(Id(bytes)));
        let long = format!("{good}{}", "0".repeat(1 << 20));
        for bad in [
            "",
            "shadow_",
            "00112233445566778899aabbccddeeff",
            "shadow_00112233445566778899aabbccddeef",
            "shadow_00112233445566778899aabbccddeeff0",
            "shadow_00112233445566778899aabbccddeeff00",
            "shadow_00112233445566778899AABBCCDDEEFF",
            "Shadow_00112233445566778899aabbccddeeff",
            "shadow_00112233445566778899aabbccddeef\n",
            "shadow_*0112233445566778899aabbccddeeff",
            "shadow_\u{660}112233445566778899aabbccddeeff",
            &long,
        ] {
            assert_eq!(Id::parse(bad), None, "{bad:.60}");
        }
    }

    #[test]
    fn a_tenant_prints_as_nothing() {
        let key = StoreKey { life: Life::Form, tenant: Tenant([7; 32]), id: Id([0; 16]) };
        assert_eq!(format!("{:?}", key.tenant), "Tenant");
        assert!(!format!("{key:?}").contains('7'), "{key:?}");
    }
}

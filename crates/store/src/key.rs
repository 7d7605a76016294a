//! The key of a stored text: its tenant, its id and its lifetime.

use std::fmt;

/// The owner of a text, as a keyed hash of an identity.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Tenant(pub(crate) [u8; 32]);

/// The id of a text: the 16 bytes that follow `shadow_` in hexadecimal.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Id(pub(crate) [u8; 16]);

/// How long a text is kept after its last use.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Life {
    /// An original, which is kept as long as the model may ask for it.
    Original,
    /// The answer of a remote compressor, which must be the same on every replica. Its id covers everything that the
    /// answer depends on: the text, the question, the strategy, the model.
    Form,
}

/// The key of a stored text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct StoreKey {
    /// How long the text is kept.
    pub life: Life,
    /// The owner of the text.
    pub tenant: Tenant,
    /// The id of the text.
    pub id: Id,
}

impl Id {
    const PREFIX: &'static str = "shadow_";

    /// Parses `shadow_` followed by 32 hexadecimal digits in lower case.
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
    /// Does not print the hash, because logs must not identify a tenant.
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

//! Derives all cryptographic keys from the configured secret, one for each use.

use std::fmt::{self, Write as _};

use ring::hmac::{self, HMAC_SHA256};
use ring::rand::{SecureRandom, SystemRandom};

use crate::{Life, SettingError, StoreKey, Tenant};

/// The secret that all replicas share, so that they use the same key names and can read each other's texts, but
/// nobody else can.
#[derive(Clone)]
pub struct StoreSecret {
    tenants: hmac::Key,
    names: hmac::Key,
    values: hmac::Key,
}

/// The part of a key name that identifies the tenant.
pub(crate) fn owner(tenant: &Tenant) -> String {
    let mut name = String::new();
    hex(&mut name, &tenant.0[..16]);
    name
}

/// A random name that nobody can guess.
///
/// # Errors
/// Fails if the system provides no random bytes.
pub fn random_name() -> Result<String, SettingError> {
    let mut bytes = [0; 16];
    let fault = |_| SettingError("the system provides no random bytes".to_owned());
    SystemRandom::new().fill(&mut bytes).map_err(fault)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

impl StoreSecret {
    /// Minimum length of a secret in bytes.
    const MIN_BYTES: usize = 16;

    /// Creates the secret from the configured bytes.
    ///
    /// # Errors
    /// Fails if there are too few bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, SettingError> {
        if bytes.len() < Self::MIN_BYTES {
            let message = format!(
                "the store's secret has only {} bytes; use at least {} random ones: `openssl rand -hex 32`",
                bytes.len(),
                Self::MIN_BYTES
            );
            return Err(SettingError(message));
        }
        let root = hmac::Key::new(HMAC_SHA256, bytes);
        let derive = |purpose: &[u8]| hmac::Key::new(HMAC_SHA256, hmac::sign(&root, purpose).as_ref());
        Ok(Self {
            tenants: derive(b"tersely store tenants"),
            names: derive(b"tersely store names"),
            values: derive(b"tersely store values"),
        })
    }

    /// A random secret, for texts that never leave the process.
    ///
    /// # Errors
    /// Fails if the system provides no random bytes.
    pub fn random() -> Result<Self, SettingError> {
        let mut bytes = [0; 32];
        let result = SystemRandom::new().fill(&mut bytes);
        result.map_err(|_| SettingError("no random numbers available from the system".to_owned()))?;
        Self::new(&bytes)
    }

    /// The tenant of an identity; `None` when the identity is empty.
    pub(crate) fn tenant(&self, identity: &[u8]) -> Option<Tenant> {
        (!identity.is_empty()).then(|| Tenant(digest(&self.tenants, &[identity])))
    }

    /// The key name of a text outside the process. An id is an unkeyed hash of its text, so anyone who can read ids
    /// could confirm a guess of a tenant's text. The name therefore contains a keyed hash instead. The tenant's part
    /// is separate, so that all texts of a tenant can be found and deleted.
    pub(crate) fn name(&self, prefix: &str, key: &StoreKey) -> String {
        let life = match key.life {
            Life::Original => 'o',
            Life::Form => 'f',
        };
        let id = digest(&self.names, &[&[life as u8], &key.tenant.0, &key.id.0]);
        let mut name = format!("{prefix}:{life}:{}:", owner(&key.tenant));
        hex(&mut name, &id[..16]);
        name
    }

    /// The encryption key for one name. Each name has a different key, so in practice no key is used twice with the
    /// same random nonce.
    pub(crate) fn key(&self, name: &str) -> [u8; 32] {
        digest(&self.values, &[name.as_bytes()])
    }
}

impl fmt::Debug for StoreSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

fn digest(key: &hmac::Key, parts: &[&[u8]]) -> [u8; 32] {
    let mut context = hmac::Context::with_key(key);
    for part in parts {
        context.update(part);
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(context.sign().as_ref());
    bytes
}

fn hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn secret(word: &str) -> StoreSecret {
        StoreSecret::new(word.repeat(32).as_bytes()).unwrap()
    }

    #[test]
    fn a_short_secret_is_refused_with_a_way_out() {
        let error = StoreSecret::new(b"hunter2").unwrap_err();
        assert!(error.to_string().contains("7 bytes") && error.to_string().contains("openssl"), "{error}");
        assert_eq!(format!("{:?}", secret("s")), "Secret");
    }

    #[test]
    fn tenants_differ_by_identity_and_secret() {
        let a = secret("a");
        let all = [
            a.tenant(b"one"),
            a.tenant(b"two"),
            secret("b").tenant(b"one"),
            StoreSecret::random().unwrap().tenant(b"one"),
        ];
        for (at, tenant) in all.iter().enumerate() {
            assert!(tenant.is_some() && !all[..at].contains(tenant), "tenant {at}");
        }
        assert_eq!(secret("a").tenant(b"one"), all[0]);
        assert_eq!(a.tenant(b""), None);
    }

    #[test]
    fn a_name_shows_neither_the_id_nor_the_identity() {
        let secret = secret("a");
        let tenant = secret.tenant(b"sk-1234").unwrap();
        let id = Id::parse("shadow_00112233445566778899aabbccddeeff").unwrap();
        let name = |life, tenant, id| secret.name("tersely", &StoreKey { life, tenant, id });
        let one = name(Life::Original, tenant, id);
        assert!(one.starts_with("tersely:o:") && one.len() == 75, "{one}");
        assert!(!one.contains("00112233") && !one.contains("sk-"), "{one}");
        let other = secret.tenant(b"sk-1235").unwrap();
        let tail = |name: &str| name.rsplit(':').next().unwrap().to_owned();
        assert_ne!(tail(&one), tail(&name(Life::Original, other, id)));
        assert_ne!(tail(&one), tail(&name(Life::Form, tenant, id)));
        assert_ne!(tail(&one), tail(&name(Life::Original, tenant, Id([1; 16]))));
        assert_eq!(one, name(Life::Original, tenant, id));
    }
}

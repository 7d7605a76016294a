//! The list of tenants, which can be replaced while the gateway runs.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tersely_account::ShownName;

use super::key::{KeyHash, TenantKey};
use super::tenant::{KnownTenant, TenantSettings};

/// The tenants of a gateway. If the list is empty, anyone may send requests. Clones share the list.
#[derive(Clone, Default)]
pub struct TenantList(Arc<RwLock<Arc<[TenantEntry]>>>);

/// A tenant that a request has identified itself as.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct FoundTenant {
    pub(crate) tenant: Arc<KnownTenant>,
    /// The name of the key or the certificate.
    pub(crate) key: Option<ShownName>,
}

/// A tenant, and the keys and names by which it is recognized.
struct TenantEntry {
    tenant: Arc<KnownTenant>,
    keys: Vec<TenantKey>,
    certificates: Vec<String>,
}

/// Shows only names, because hashes are of no use to a reader.
impl fmt::Debug for TenantList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.now().iter().map(|listed| &listed.tenant.name)).finish()
    }
}

impl TenantList {
    /// Creates a list of these tenants.
    #[must_use]
    pub fn new(tenants: Vec<TenantSettings>) -> Self {
        let listed = tenants.into_iter().map(|TenantSettings { tenant, keys, certificates }| TenantEntry {
            tenant: Arc::new(tenant),
            keys,
            certificates,
        });
        Self(Arc::new(RwLock::new(listed.collect())))
    }

    /// True if there are no tenants, so that anyone may send requests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.now().is_empty()
    }

    /// Replaces the tenants for further requests. If the new list is empty and the old one is not, changes nothing and
    /// returns false: a file that is being written may be empty for a moment, which must not let everyone in.
    #[must_use]
    pub fn adopt(&self, other: &Self) -> bool {
        let new = other.now();
        let mut now = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let may = now.is_empty() || !new.is_empty();
        if may {
            *now = new;
        }
        may
    }

    /// The tenant with this key. All keys are compared, so that the time taken reveals nothing.
    pub(crate) fn by_key(&self, key: &[u8]) -> Option<FoundTenant> {
        let (hash, mut found) = (KeyHash::of(key), None);
        let now = self.now();
        for listed in now.iter() {
            for known in &listed.keys {
                if known.hash.is(&hash) {
                    found = Some((listed, known));
                }
            }
        }
        found.map(|(listed, known)| FoundTenant { tenant: Arc::clone(&listed.tenant), key: known.label() })
    }

    /// The tenant that lists one of these certificate names.
    pub(crate) fn by_names(&self, names: &[String]) -> Option<FoundTenant> {
        // DNS names are case-insensitive; URIs are not.
        let same = |name: &str, known: &str| {
            if known.contains("://") { name == known } else { name.eq_ignore_ascii_case(known) }
        };
        let is_one = |known: &String| names.iter().any(|name| same(name, known));
        let now = self.now();
        now.iter().find_map(|listed| {
            let name = listed.certificates.iter().find(|known| is_one(known))?;
            Some(FoundTenant { tenant: Arc::clone(&listed.tenant), key: ShownName::of(name) })
        })
    }

    fn now(&self) -> Arc<[TenantEntry]> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> TenantList {
        let settings = |name: &&str| TenantSettings {
            tenant: KnownTenant::new(*name),
            keys: [(*name).to_owned(), name.to_uppercase()]
                .map(|key| KeyHash::of(key.as_bytes()).into())
                .into(),
            certificates: vec![format!("{name}.example"), format!("spiffe://x/{name}")],
        };
        TenantList::new(names.iter().map(settings).collect())
    }

    fn name(found: Option<FoundTenant>) -> Option<String> {
        found.map(|found| found.tenant.name.clone())
    }

    /// Behaviour 23.3 and 23.4.
    #[test]
    fn a_tenant_is_known_by_each_of_its_keys_and_names() {
        let list = list(&["a", "b"]);
        for (key, expected) in [("a", Some("a")), ("A", Some("a")), ("B", Some("b")), ("c", None), ("", None)]
        {
            assert_eq!(name(list.by_key(key.as_bytes())).as_deref(), expected, "{key}");
        }
        for (known, expected) in [
            ("b.example", Some("b")),
            ("B.Example", Some("b")),
            ("spiffe://x/a", Some("a")),
            ("spiffe://x/A", None),
            ("x.b.example", None),
        ] {
            assert_eq!(
                name(list.by_names(&["other".to_owned(), known.to_owned()])).as_deref(),
                expected,
                "{known}"
            );
        }
        assert!(list.by_names(&[]).is_none());
    }

    /// Behaviour 23.6.
    #[test]
    fn new_tenants_are_adopted_but_never_none() {
        let running = list(&["a"]);
        let shared = running.clone();
        assert!(shared.adopt(&list(&["b"])));
        assert_eq!((name(running.by_key(b"a")), name(running.by_key(b"b")).as_deref()), (None, Some("b")));
        assert!(!running.adopt(&TenantList::default()) && !running.is_empty());
        assert!(TenantList::default().adopt(&list(&["a"])));
    }
}

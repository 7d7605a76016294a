//! Whom a request is charged to, and a bound on how many of these are told apart.

use std::collections::{HashMap, HashSet};

use crate::shown_name::ShownName;

/// The word for requests that name nobody.
const NOBODY: &str = "none";

/// The word for everybody beyond the bounds.
const OTHER: &str = "other";

/// Whom a request is charged to. Names only: never a key or another credential.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct Attribution {
    /// The tenant: its name, or a short digest of the credential if that is all that is known.
    pub tenant: Option<ShownName>,
    /// The name of the tenant's key or certificate.
    pub key: Option<ShownName>,
    /// The project that the client names.
    pub project: Option<ShownName>,
}

/// An attribution as the labels of a sum.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct AttributionLabels {
    /// The tenant.
    pub tenant: Box<str>,
    /// The key.
    pub key: Box<str>,
    /// The project.
    pub project: Box<str>,
}

impl AttributionLabels {
    /// The same, in this folder if the request names no project.
    #[must_use]
    pub fn in_folder(self, folder: Option<&str>) -> Self {
        match folder {
            Some(folder) if *self.project == *NOBODY => Self { project: folder.into(), ..self },
            _ => self,
        }
    }
}

/// How many attributions have sums of their own. Clients can invent any number of projects, and of credentials where
/// none is checked, so each of them costs memory that a stranger decides about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AttributionLimits {
    /// Tenants with sums of their own.
    pub tenants: usize,
    /// Pairs of key and project that one tenant can have, so that no tenant uses up what is meant for all.
    pub pairs_per_tenant: usize,
    /// Pairs of key and project of all tenants.
    pub pairs: usize,
}

impl Default for AttributionLimits {
    fn default() -> Self {
        Self { tenants: 1_000, pairs_per_tenant: 50, pairs: 2_000 }
    }
}

/// The attributions seen so far. The first ones keep their names; all others are `other`.
#[derive(Clone, Debug, Default)]
pub struct AttributionTable {
    limits: AttributionLimits,
    tenants: HashMap<Option<ShownName>, HashSet<Pair>>,
    pairs: usize,
}

/// A key and a project.
type Pair = (Option<ShownName>, Option<ShownName>);

impl AttributionTable {
    /// A table with these limits.
    #[must_use]
    pub fn new(limits: AttributionLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The labels under which a request is added up.
    pub fn labels(&mut self, of: &Attribution) -> AttributionLabels {
        let label = |name: &Option<ShownName>| name.as_ref().map_or(NOBODY, ShownName::as_str).into();
        let other = || OTHER.into();
        if !self.knows_tenant(of) {
            return AttributionLabels { tenant: other(), key: other(), project: other() };
        }
        let tenant = label(&of.tenant);
        if self.knows_pair(of) {
            AttributionLabels { tenant, key: label(&of.key), project: label(&of.project) }
        } else {
            AttributionLabels { tenant, key: other(), project: other() }
        }
    }

    fn knows_tenant(&mut self, of: &Attribution) -> bool {
        let known = self.tenants.contains_key(&of.tenant);
        if !known && self.tenants.len() < self.limits.tenants {
            self.tenants.insert(of.tenant.clone(), HashSet::new());
            return true;
        }
        known
    }

    fn knows_pair(&mut self, of: &Attribution) -> bool {
        let Some(pairs) = self.tenants.get_mut(&of.tenant) else { return false };
        let pair = (of.key.clone(), of.project.clone());
        // The pair without names takes no room: it is one for each tenant.
        if pair == (None, None) || pairs.contains(&pair) {
            return true;
        }
        let fits = pairs.len() < self.limits.pairs_per_tenant && self.pairs < self.limits.pairs;
        if fits {
            pairs.insert(pair);
            self.pairs += 1;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tenant: &str, key: &str, project: &str) -> Attribution {
        let [tenant, key, project] = [tenant, key, project].map(ShownName::of);
        Attribution { tenant, key, project }
    }

    fn labels(table: &mut AttributionTable, of: &Attribution) -> [String; 3] {
        let AttributionLabels { tenant, key, project } = table.labels(of);
        [tenant, key, project].map(String::from)
    }

    #[test]
    fn the_first_have_names_and_the_others_are_one() {
        let mut table =
            AttributionTable::new(AttributionLimits { tenants: 2, pairs_per_tenant: 2, pairs: 3 });
        for (given, told) in [
            (of("a", "k", ""), ["a", "k", "none"]),
            (of("a", "", "p"), ["a", "none", "p"]),
            (of("a", "", "q"), ["a", "other", "other"]),
            (of("a", "", ""), ["a", "none", "none"]),
            (of("b", "", "q"), ["b", "none", "q"]),
            (of("b", "", "r"), ["b", "other", "other"]),
            (of("c", "k", "p"), ["other", "other", "other"]),
            (of("", "", ""), ["other", "other", "other"]),
            (of("a", "k", ""), ["a", "k", "none"]),
        ] {
            assert_eq!(labels(&mut table, &given), told, "{given:?}");
        }
    }

    #[test]
    fn strangers_cannot_make_a_table_grow() {
        let (mut table, mut seen) = (AttributionTable::default(), HashSet::new());
        for at in 0..10_000 {
            for project in 0..60 {
                let name = format!("t{at}");
                seen.insert(table.labels(&of(&name, "k", &format!("p{project}"))));
            }
        }
        let AttributionLimits { tenants, pairs, .. } = AttributionLimits::default();
        assert_eq!(table.tenants.len(), tenants);
        assert_eq!(table.pairs, pairs);
        assert!(seen.len() <= pairs + tenants + 1, "{}", seen.len());
    }
}

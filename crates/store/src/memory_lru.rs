//! A cache with limits on bytes and entries, which evicts texts of the tenant with the largest share.
//!
//! A plain LRU cache lets one tenant evict the texts of all others. Here, a tenant may use all free space. When the
//! cache is full, the least recently used text of the tenant with the largest share is evicted, so no tenant loses a
//! text to a larger one. All texts in a cache have the same lifetime, so the order of use is also the order of
//! expiry.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::{Id, StoreLimits, Tenant};

/// The approximate number of bytes that the maps below need for each entry.
const ENTRY_OVERHEAD_BYTES: usize = 384;

/// A cache of texts with the same lifetime.
pub(crate) struct MemoryLru {
    limits: StoreLimits,
    life: Duration,
    bytes: usize,
    /// The sequence number of the latest use of any entry.
    latest: u64,
    entries: HashMap<(Tenant, Id), Entry>,
    /// The entries in the order of their latest use.
    order: BTreeMap<u64, (Tenant, Id)>,
    usage: HashMap<Tenant, TenantUsage>,
    /// The tenants in the order of their share.
    shares: BTreeSet<(u128, Tenant)>,
}

struct Entry {
    text: Arc<str>,
    used: u64,
    until: Instant,
}

/// The bytes and entries of one tenant.
#[derive(Default)]
struct TenantUsage {
    bytes: usize,
    order: BTreeMap<u64, Id>,
}

impl MemoryLru {
    pub(crate) fn new(limits: StoreLimits, life: Duration) -> Self {
        Self {
            limits,
            life,
            bytes: 0,
            latest: 0,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            usage: HashMap::new(),
            shares: BTreeSet::new(),
        }
    }

    /// Stores a text for one lifetime. Returns false when there is no room for it: a text that was stored must not be
    /// gone at once.
    pub(crate) fn put(&mut self, tenant: Tenant, id: Id, text: &str) -> bool {
        let bytes = text.len().saturating_add(ENTRY_OVERHEAD_BYTES);
        if bytes > self.limits.bytes || self.limits.entries == 0 {
            return false;
        }
        self.remove(tenant, id);
        self.remove_expired();
        self.insert(tenant, id, text.into());
        while self.bytes > self.limits.bytes || self.entries.len() > self.limits.entries {
            if self.evict() == Some((tenant, id)) {
                return false;
            }
        }
        true
    }

    /// Removes all texts of a tenant.
    pub(crate) fn release(&mut self, tenant: Tenant) {
        while let Some(id) = self.oldest(tenant) {
            self.remove(tenant, id);
        }
    }

    /// Finds a text and renews its lifetime.
    pub(crate) fn get(&mut self, tenant: Tenant, id: Id) -> Option<Arc<str>> {
        let entry = self.remove(tenant, id)?;
        if entry.until <= Instant::now() {
            return None;
        }
        self.insert(tenant, id, Arc::clone(&entry.text));
        Some(entry.text)
    }

    fn insert(&mut self, tenant: Tenant, id: Id, text: Arc<str>) {
        self.latest += 1;
        let used = self.latest;
        let bytes = text.len() + ENTRY_OVERHEAD_BYTES;
        self.bytes += bytes;
        self.order.insert(used, (tenant, id));
        self.change(tenant, |usage| {
            usage.bytes += bytes;
            usage.order.insert(used, id);
        });
        self.entries.insert((tenant, id), Entry { text, used, until: Instant::now() + self.life });
    }

    fn remove(&mut self, tenant: Tenant, id: Id) -> Option<Entry> {
        let entry = self.entries.remove(&(tenant, id))?;
        let bytes = entry.text.len() + ENTRY_OVERHEAD_BYTES;
        self.bytes -= bytes;
        self.order.remove(&entry.used);
        self.change(tenant, |usage| {
            usage.bytes -= bytes;
            usage.order.remove(&entry.used);
        });
        Some(entry)
    }

    /// Changes a tenant's usage, and updates its rank among the tenants.
    fn change(&mut self, tenant: Tenant, change: impl FnOnce(&mut TenantUsage)) {
        let usage = self.usage.entry(tenant).or_default();
        self.shares.remove(&(usage.share(self.limits), tenant));
        change(usage);
        if usage.order.is_empty() {
            self.usage.remove(&tenant);
        } else {
            self.shares.insert((usage.share(self.limits), tenant));
        }
    }

    /// Removes expired texts.
    fn remove_expired(&mut self) {
        let now = Instant::now();
        while let Some((_, &(tenant, id))) = self.order.first_key_value()
            && self.entries.get(&(tenant, id)).is_none_or(|entry| entry.until <= now)
        {
            self.remove(tenant, id);
        }
    }

    /// Evicts the least recently used text of the tenant with the largest share, and returns its key.
    fn evict(&mut self) -> Option<(Tenant, Id)> {
        let &(_, largest) = self.shares.last()?;
        let oldest = self.oldest(largest)?;
        self.remove(largest, oldest);
        Some((largest, oldest))
    }

    /// The least recently used text of a tenant.
    fn oldest(&self, tenant: Tenant) -> Option<Id> {
        self.usage.get(&tenant)?.order.first_key_value().map(|(_, &id)| id)
    }
}

impl TenantUsage {
    /// The tenant's share of the bytes or of the entries, whichever is larger. The number is only meaningful in
    /// comparison with other shares.
    fn share(&self, limits: StoreLimits) -> u128 {
        let bytes = self.bytes as u128 * limits.entries as u128;
        bytes.max(self.order.len() as u128 * limits.bytes as u128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: Duration = Duration::from_mins(5);

    fn new_cache(bytes: usize, entries: usize) -> MemoryLru {
        MemoryLru::new(StoreLimits { bytes, entries }, LIFE)
    }

    fn tenant(number: u8) -> Tenant {
        Tenant([number; 32])
    }

    fn id(number: u128) -> Id {
        Id(number.to_be_bytes())
    }

    /// Checks that the counts agree with the stored entries and with the limits.
    fn check(cache: &MemoryLru) {
        let held: usize = cache.entries.values().map(|entry| entry.text.len() + ENTRY_OVERHEAD_BYTES).sum();
        assert_eq!(cache.bytes, held);
        assert!(cache.bytes <= cache.limits.bytes && cache.entries.len() <= cache.limits.entries);
        assert_eq!(cache.order.len(), cache.entries.len());
        assert_eq!(cache.usage.values().map(|usage| usage.order.len()).sum::<usize>(), cache.entries.len());
        assert_eq!(cache.usage.values().map(|usage| usage.bytes).sum::<usize>(), held);
        let shares: BTreeSet<_> =
            cache.usage.iter().map(|(&who, usage)| (usage.share(cache.limits), who)).collect();
        assert_eq!(cache.shares, shares);
    }

    #[tokio::test(start_paused = true)]
    async fn the_limits_hold_whatever_is_done() {
        let mut cache = new_cache(40_000, 50);
        let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20_000 {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let (who, which) = (tenant(dice.to_le_bytes()[1] % 5), id(u128::from(dice >> 20) % 40));
            match dice % 8 {
                0..4 => assert!(cache.put(who, which, &"x".repeat(usize::from(dice.to_le_bytes()[5]) * 20))),
                4..7 => drop(cache.get(who, which)),
                _ => tokio::time::advance(Duration::from_secs(dice >> 30 & 63)).await,
            }
            check(&cache);
        }
        assert!(!cache.put(tenant(1), id(1), &"x".repeat(40_000)), "larger than the cache");
        tokio::time::advance(LIFE).await;
        assert!(cache.put(tenant(1), id(1), "x"));
        assert_eq!(cache.entries.len(), 1, "the expired go when a text comes");
    }

    #[tokio::test(start_paused = true)]
    async fn a_text_lives_on_while_it_is_asked_for() {
        let mut cache = new_cache(40_000, 50);
        cache.put(tenant(1), id(1), "asked for");
        cache.put(tenant(1), id(2), "not asked for");
        for _ in 0..3 {
            tokio::time::advance(Duration::from_secs(299)).await;
            assert_eq!(cache.get(tenant(1), id(1)).as_deref(), Some("asked for"));
        }
        assert_eq!(cache.get(tenant(1), id(2)), None);
        tokio::time::advance(LIFE).await;
        assert_eq!(cache.get(tenant(1), id(1)), None);
        check(&cache);
        assert_eq!(cache.bytes, 0);
    }

    #[tokio::test]
    async fn the_oldest_text_of_a_tenant_goes_first() {
        let mut cache = new_cache(1 << 20, 3);
        for number in [1, 2, 3] {
            cache.put(tenant(1), id(number), "text");
        }
        cache.get(tenant(1), id(1));
        cache.put(tenant(1), id(4), "text");
        let held: Vec<_> = [1, 2, 3, 4].map(|number| cache.get(tenant(1), id(number)).is_some()).into();
        assert_eq!(held, [true, false, true, true]);
    }

    /// Law 3: what was left out can be fetched back, so a text without room must be refused.
    #[tokio::test]
    async fn a_text_that_was_stored_is_there() {
        let mut cache = new_cache(1 << 20, 1000);
        let mut refused = 0;
        for number in 0..200_u8 {
            for (which, bytes) in [(1, 200_000), (2, 2_000), (3, 2_000)] {
                let text = "x".repeat(bytes);
                if cache.put(tenant(number), id(which), &text) {
                    assert_eq!(cache.get(tenant(number), id(which)).as_deref(), Some(&*text), "{number}");
                } else {
                    refused += 1;
                    assert_eq!(cache.get(tenant(number), id(which)), None);
                }
                check(&cache);
            }
        }
        assert!(refused > 0, "a tenant with one large text has the largest share");
    }

    #[tokio::test]
    async fn a_tenant_that_is_released_leaves_its_room() {
        let mut cache = new_cache(100_000, 100);
        for who in [1, 2] {
            for number in 0..5 {
                assert!(cache.put(tenant(who), id(number), "text"));
            }
        }
        cache.release(tenant(1));
        check(&cache);
        let left =
            |cache: &mut MemoryLru, who| (0..5).filter_map(|it| cache.get(tenant(who), id(it))).count();
        assert_eq!([left(&mut cache, 1), left(&mut cache, 2)], [0, 5]);
        cache.release(tenant(9));
    }

    #[tokio::test]
    async fn one_tenant_cannot_flush_another() {
        for size in [10, 4000] {
            let mut cache = new_cache(100_000, 100);
            for number in 0..5 {
                cache.put(tenant(1), id(number), "small and quiet");
            }
            for number in 0..10_000 {
                cache.put(tenant(2), id(number), &"x".repeat(size));
            }
            check(&cache);
            let left = (0..5).filter(|&number| cache.get(tenant(1), id(number)).is_some()).count();
            assert_eq!(left, 5, "beside texts of {size} bytes");
        }
    }
}

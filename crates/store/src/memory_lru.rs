//! Holds texts within a number of bytes and of entries, and lets whoever holds most give way first.
//!
//! A general cache evicts what was used least, whoever owns it, and so lets one tenant flush all others. Here a tenant
//! may use all there is while nobody else wants it; once the shelf is full, the oldest text of the tenant with the
//! largest share goes, so nobody loses a text to someone who holds more. All texts of a shelf live equally long, so the
//! order of use is also the order in which they expire.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::{Id, StoreLimits, Tenant};

/// What it takes to find a text, in bytes: its place in the maps below.
const OVERHEAD: usize = 384;

/// Texts that all live equally long.
pub(crate) struct Shelf {
    limits: StoreLimits,
    life: Duration,
    bytes: usize,
    /// The number of the latest use.
    latest: u64,
    entries: HashMap<(Tenant, Id), Entry>,
    /// By their latest use.
    order: BTreeMap<u64, (Tenant, Id)>,
    rooms: HashMap<Tenant, Room>,
    /// Tenants by their share.
    shares: BTreeSet<(u128, Tenant)>,
}

struct Entry {
    text: Arc<str>,
    used: u64,
    until: Instant,
}

/// What one tenant holds.
#[derive(Default)]
struct Room {
    bytes: usize,
    order: BTreeMap<u64, Id>,
}

impl Shelf {
    pub(crate) fn new(limits: StoreLimits, life: Duration) -> Self {
        Self {
            limits,
            life,
            bytes: 0,
            latest: 0,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            rooms: HashMap::new(),
            shares: BTreeSet::new(),
        }
    }

    /// Keeps a text for one more life; false when the shelf is too small for it.
    pub(crate) fn put(&mut self, tenant: Tenant, id: Id, text: &str) -> bool {
        let bytes = text.len().saturating_add(OVERHEAD);
        if bytes > self.limits.bytes || self.limits.entries == 0 {
            return false;
        }
        self.remove(tenant, id);
        self.sweep();
        self.insert(tenant, id, text.into());
        while self.bytes > self.limits.bytes || self.entries.len() > self.limits.entries {
            if !self.evict() {
                break;
            }
        }
        true
    }

    /// The text, kept for one more life.
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
        let bytes = text.len() + OVERHEAD;
        self.bytes += bytes;
        self.order.insert(used, (tenant, id));
        self.change(tenant, |room| {
            room.bytes += bytes;
            room.order.insert(used, id);
        });
        self.entries.insert((tenant, id), Entry { text, used, until: Instant::now() + self.life });
    }

    fn remove(&mut self, tenant: Tenant, id: Id) -> Option<Entry> {
        let entry = self.entries.remove(&(tenant, id))?;
        let bytes = entry.text.len() + OVERHEAD;
        self.bytes -= bytes;
        self.order.remove(&entry.used);
        self.change(tenant, |room| {
            room.bytes -= bytes;
            room.order.remove(&entry.used);
        });
        Some(entry)
    }

    /// Changes what a tenant holds, and its place among the tenants with it.
    fn change(&mut self, tenant: Tenant, change: impl FnOnce(&mut Room)) {
        let room = self.rooms.entry(tenant).or_default();
        self.shares.remove(&(room.share(self.limits), tenant));
        change(room);
        if room.order.is_empty() {
            self.rooms.remove(&tenant);
        } else {
            self.shares.insert((room.share(self.limits), tenant));
        }
    }

    /// Lets go of what has expired.
    fn sweep(&mut self) {
        let now = Instant::now();
        while let Some((_, &(tenant, id))) = self.order.first_key_value()
            && self.entries.get(&(tenant, id)).is_none_or(|entry| entry.until <= now)
        {
            self.remove(tenant, id);
        }
    }

    /// Lets go of the oldest text of whoever holds most; false when there is none.
    fn evict(&mut self) -> bool {
        let most = self.shares.last().map(|&(_, tenant)| tenant);
        let oldest = most.and_then(|tenant| {
            let (_, &id) = self.rooms.get(&tenant)?.order.first_key_value()?;
            self.remove(tenant, id)
        });
        oldest.is_some()
    }
}

impl Room {
    /// The share of the shelf, in bytes or in entries, whichever is larger; comparable, not a number for people.
    fn share(&self, limits: StoreLimits) -> u128 {
        let bytes = self.bytes as u128 * limits.entries as u128;
        bytes.max(self.order.len() as u128 * limits.bytes as u128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: Duration = Duration::from_mins(5);

    fn shelf(bytes: usize, entries: usize) -> Shelf {
        Shelf::new(StoreLimits { bytes, entries }, LIFE)
    }

    fn tenant(number: u8) -> Tenant {
        Tenant([number; 32])
    }

    fn id(number: u128) -> Id {
        Id(number.to_be_bytes())
    }

    /// Everything that is counted agrees with everything that is held, and with the limits.
    fn check(shelf: &Shelf) {
        let held: usize = shelf.entries.values().map(|entry| entry.text.len() + OVERHEAD).sum();
        assert_eq!(shelf.bytes, held);
        assert!(shelf.bytes <= shelf.limits.bytes && shelf.entries.len() <= shelf.limits.entries);
        assert_eq!(shelf.order.len(), shelf.entries.len());
        assert_eq!(shelf.rooms.values().map(|room| room.order.len()).sum::<usize>(), shelf.entries.len());
        assert_eq!(shelf.rooms.values().map(|room| room.bytes).sum::<usize>(), held);
        let shares: BTreeSet<_> =
            shelf.rooms.iter().map(|(&who, room)| (room.share(shelf.limits), who)).collect();
        assert_eq!(shelf.shares, shares);
    }

    #[tokio::test(start_paused = true)]
    async fn the_limits_hold_whatever_is_done() {
        let mut shelf = shelf(40_000, 50);
        let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20_000 {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let (who, which) = (tenant(dice.to_le_bytes()[1] % 5), id(u128::from(dice >> 20) % 40));
            match dice % 8 {
                0..4 => assert!(shelf.put(who, which, &"x".repeat(usize::from(dice.to_le_bytes()[5]) * 20))),
                4..7 => drop(shelf.get(who, which)),
                _ => tokio::time::advance(Duration::from_secs(dice >> 30 & 63)).await,
            }
            check(&shelf);
        }
        assert!(!shelf.put(tenant(1), id(1), &"x".repeat(40_000)), "larger than the shelf");
        tokio::time::advance(LIFE).await;
        assert!(shelf.put(tenant(1), id(1), "x"));
        assert_eq!(shelf.entries.len(), 1, "the expired go when a text comes");
    }

    #[tokio::test(start_paused = true)]
    async fn a_text_lives_on_while_it_is_asked_for() {
        let mut shelf = shelf(40_000, 50);
        shelf.put(tenant(1), id(1), "asked for");
        shelf.put(tenant(1), id(2), "not asked for");
        for _ in 0..3 {
            tokio::time::advance(Duration::from_secs(299)).await;
            assert_eq!(shelf.get(tenant(1), id(1)).as_deref(), Some("asked for"));
        }
        assert_eq!(shelf.get(tenant(1), id(2)), None);
        tokio::time::advance(LIFE).await;
        assert_eq!(shelf.get(tenant(1), id(1)), None);
        check(&shelf);
        assert_eq!(shelf.bytes, 0);
    }

    #[tokio::test]
    async fn the_oldest_text_of_a_tenant_goes_first() {
        let mut shelf = shelf(1 << 20, 3);
        for number in [1, 2, 3] {
            shelf.put(tenant(1), id(number), "text");
        }
        shelf.get(tenant(1), id(1));
        shelf.put(tenant(1), id(4), "text");
        let held: Vec<_> = [1, 2, 3, 4].map(|number| shelf.get(tenant(1), id(number)).is_some()).into();
        assert_eq!(held, [true, false, true, true]);
    }

    #[tokio::test]
    async fn one_tenant_cannot_flush_another() {
        for size in [10, 4000] {
            let mut shelf = shelf(100_000, 100);
            for number in 0..5 {
                shelf.put(tenant(1), id(number), "small and quiet");
            }
            for number in 0..10_000 {
                shelf.put(tenant(2), id(number), &"x".repeat(size));
            }
            check(&shelf);
            let left = (0..5).filter(|&number| shelf.get(tenant(1), id(number)).is_some()).count();
            assert_eq!(left, 5, "beside texts of {size} bytes");
        }
    }
}

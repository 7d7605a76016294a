//! The totals of a day: by client and model, by tenant, by kind of result and by stage.

use std::collections::BTreeMap;

use rusqlite::{ToSql, Transaction, params, params_from_iter};
use tersely_account::{RequestSums, StageSaving};
use tersely_telemetry::RequestEvent;

use crate::amount::number;
use crate::sums::{GroupSums, StageSums};

/// The key of a daily total: day, client, project, provider and model.
#[derive(Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct DayKey(pub(crate) [String; 5]);

/// The key of a tenant's daily total: day, tenant, key and project.
type TenantDay = [String; 4];

/// What a batch adds to the daily totals.
#[derive(Default)]
pub(crate) struct DaySums {
    requests: BTreeMap<DayKey, RequestSums>,
    tenants: BTreeMap<TenantDay, RequestSums>,
    groups: BTreeMap<(String, &'static str, &'static str), GroupSums>,
    stages: BTreeMap<(String, &'static str), StageSums>,
}

impl DaySums {
    /// Adds a request.
    pub(crate) fn add(&mut self, key: DayKey, tenant: [String; 3], event: &RequestEvent) {
        let (day, sums) = (key.0[0].clone(), event.sums());
        let [tenant, access, project] = tenant;
        *self.tenants.entry([day.clone(), tenant, access, project]).or_default() += sums;
        *self.requests.entry(key).or_default() += sums;
        if !event.is_success() {
            return;
        }
        for group in &event.record.groups {
            let sums = self.groups.entry((day.clone(), group.group.tool, group.group.family)).or_default();
            sums.results += group.results as u64;
            sums.changed += group.changed as u64;
            sums.before += group.tokens.before as u64;
            sums.after += group.tokens.after as u64;
        }
        for StageSaving { stage, saved, .. } in &event.record.stages {
            let sums = self.stages.entry((day.clone(), stage)).or_default();
            sums.saved = sums.saved.saturating_add(*saved);
        }
        for fetch in &event.record.fetched {
            let sums = self.stages.entry((day.clone(), fetch.stage)).or_default();
            sums.calls += fetch.calls;
            sums.fetched += fetch.tokens;
        }
    }

    /// Writes the sums.
    pub(crate) fn write(&self, to: &Transaction<'_>) -> rusqlite::Result<()> {
        for (DayKey(key), sums) in &self.requests {
            add_requests(to, "days", key, sums)?;
        }
        for (key, sums) in &self.tenants {
            add_requests(to, "day_tenants", key, sums)?;
        }
        let mut groups = to.prepare_cached(
            "INSERT INTO day_groups VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET results = results + excluded.results, changed = changed + excluded.changed,
                before = before + excluded.before, after = after + excluded.after",
        )?;
        for ((day, tool, family), sums) in &self.groups {
            let [results, changed] = [sums.results, sums.changed].map(number);
            groups.execute(params![
                day,
                tool,
                family,
                results,
                changed,
                number(sums.before),
                number(sums.after)
            ])?;
        }
        let mut stages = to.prepare_cached(
            "INSERT INTO day_stages VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET saved = saved + excluded.saved, calls = calls + excluded.calls,
                fetched = fetched + excluded.fetched",
        )?;
        for ((day, stage), sums) in &self.stages {
            stages.execute(params![day, stage, sums.saved, number(sums.calls), number(sums.fetched)])?;
        }
        Ok(())
    }
}

/// Adds sums to the row with this key in a table of sums by day.
fn add_requests(
    to: &Transaction<'_>,
    table: &str,
    key: &[String],
    sums: &RequestSums,
) -> rusqlite::Result<()> {
    let values = columns(sums);
    let places = vec!["?"; key.len() + values.len()].join(", ");
    let added = values.map(|(name, _)| format!("{name} = {name} + excluded.{name}")).join(", ");
    let text = format!("INSERT INTO {table} VALUES ({places}) ON CONFLICT DO UPDATE SET {added}");
    let words = key.iter().map(|word| word as &dyn ToSql);
    let numbers = values.iter().map(|(_, value)| value as &dyn ToSql);
    to.prepare_cached(&text)?.execute(params_from_iter(words.chain(numbers)))?;
    Ok(())
}

/// The columns of a table of sums by day, in their order after the key.
fn columns(sums: &RequestSums) -> [(&'static str, i64); 18] {
    let (billed, would) = (sums.usage, sums.would);
    [
        ("requests", number(sums.requests)),
        ("failed", number(sums.failed)),
        ("before", number(sums.before)),
        ("after", number(sums.after)),
        ("fetched", number(sums.fetched)),
        ("results", number(sums.results)),
        ("changed", number(sums.changed)),
        ("input", number(billed.input)),
        ("cache_read", number(billed.cache_read)),
        ("cache_write", number(billed.cache_write)),
        ("output", number(billed.output)),
        ("priced", number(sums.priced)),
        ("paid", number(sums.cost.paid)),
        ("full", number(sums.cost.without)),
        ("untouched", number(would.requests)),
        ("would_before", number(would.before)),
        ("would_after", number(would.after)),
        ("would_spare", would.money),
    ]
}

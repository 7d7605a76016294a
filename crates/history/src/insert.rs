//! Inserts events: single requests, and the totals of their day.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use tersely_account::{Arm, RequestSums, ResultRecord, ShownName, StageSaving};
use tersely_telemetry::RequestEvent;

use crate::amount::{at, micros, number};
use crate::breaks;
use crate::limits;
use crate::names::DayNames;
use crate::prompts;
use crate::sums::{GroupSums, StageSums};
use crate::trial;

/// The key of a daily total: day, client, project, provider and model.
type DayKey = [String; 5];

/// Writes batches of events.
pub(crate) struct BatchWriter {
    project: Option<String>,
    names: DayNames,
}

/// What a batch adds to the daily totals.
#[derive(Default)]
struct DaySums {
    requests: BTreeMap<DayKey, RequestSums>,
    groups: BTreeMap<(String, &'static str, &'static str), GroupSums>,
    stages: BTreeMap<(String, &'static str), StageSums>,
}

impl BatchWriter {
    /// A writer for requests of this project.
    pub(crate) fn new(project: Option<String>) -> Self {
        Self { project, names: DayNames::default() }
    }

    /// Writes all events in one transaction.
    pub(crate) fn write(
        &mut self,
        connection: &mut Connection,
        events: &[Arc<RequestEvent>],
    ) -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut sums = DaySums::default();
        for event in events {
            let day = day(&transaction, event)?;
            let id = self.request(&transaction, event)?;
            for (place, result) in event.record.fresh.iter().enumerate() {
                add_result(&transaction, id, place, result)?;
            }
            limits::add(&transaction, id, event)?;
            breaks::add(&transaction, id, event)?;
            prompts::add(&transaction, id, event)?;
            let model = event.model.as_ref().map_or("", ShownName::as_str);
            let model = self.names.of(&day, model).to_owned();
            let words = [event.client, event.provider].map(|word| word.unwrap_or_default().to_owned());
            let [client, provider] = words;
            let key = [day, client, self.project.clone().unwrap_or_default(), provider, model];
            sums.add(key, event);
            trial::add(&transaction, event)?;
        }
        sums.write(&transaction)?;
        transaction.commit()
    }

    fn request(&self, to: &Transaction<'_>, event: &RequestEvent) -> rusqlite::Result<i64> {
        let (sums, billed) = (event.sums(), event.record.usage);
        let mut insert = to.prepare_cached(
            "INSERT INTO requests (at, client, project, provider, model, session, status, ended, missed, took,
                upstream, ours, results, changed, redacted, before, after, fetched, input, cache_read,
                cache_write, output, paid, full, arm, would_before, would_after, would_paid, named)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
                ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)",
        )?;
        insert.insert(params![
            at(event),
            event.client,
            self.project,
            event.provider,
            event.model.as_ref().map(ShownName::as_str),
            event.session.map(u64::cast_signed),
            event.status,
            event.end.name(),
            event.missed,
            micros(event.took),
            event.upstream.map(micros),
            event.ours.map(micros),
            number(event.record.slots as u64),
            number(event.record.changed as u64),
            number(event.record.redacted as u64),
            number(sums.before),
            number(sums.after),
            number(sums.fetched),
            billed.map(|it| number(it.input)),
            billed.map(|it| number(it.cache_read)),
            billed.map(|it| number(it.cache_write)),
            billed.map(|it| number(it.output)),
            event.record.cost.map(|it| number(it.paid)),
            event.record.cost.map(|it| number(it.without)),
            (event.record.arm != Arm::Applied).then(|| event.record.arm.name()),
            event.record.would.as_ref().map(|it| number(it.total_tokens().before as u64)),
            event.record.would.as_ref().map(|it| number(it.total_tokens().after as u64)),
            event.record.would_paid.map(number),
            event.named.map(u64::cast_signed),
        ])
    }
}

fn add_result(
    to: &Transaction<'_>,
    request: i64,
    place: usize,
    result: &ResultRecord,
) -> rusqlite::Result<()> {
    let stages: Vec<_> = result.stages.iter().map(|(stage, _)| *stage).collect();
    let mut insert = to.prepare_cached("INSERT INTO results VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
    insert.execute(params![
        request,
        number(place as u64),
        result.tool.as_ref().map(ShownName::as_str),
        result.group.tool,
        result.group.family,
        result.status.name(),
        stages.join(" "),
        number(result.tokens.before as u64),
        number(result.tokens.after as u64),
    ])?;
    Ok(())
}

impl DaySums {
    fn add(&mut self, key: DayKey, event: &RequestEvent) {
        let day = key[0].clone();
        *self.requests.entry(key).or_default() += event.sums();
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

    fn write(&self, to: &Transaction<'_>) -> rusqlite::Result<()> {
        for (key, sums) in &self.requests {
            add_requests(to, key, sums)?;
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

fn add_requests(to: &Transaction<'_>, key: &DayKey, sums: &RequestSums) -> rusqlite::Result<()> {
    let mut insert = to.prepare_cached(
        "INSERT INTO days VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
            ?19, ?20, ?21, ?22, ?23)
         ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, failed = failed + excluded.failed,
            before = before + excluded.before, after = after + excluded.after,
            fetched = fetched + excluded.fetched,
            results = results + excluded.results, changed = changed + excluded.changed,
            input = input + excluded.input, cache_read = cache_read + excluded.cache_read,
            cache_write = cache_write + excluded.cache_write, output = output + excluded.output,
            priced = priced + excluded.priced, paid = paid + excluded.paid, full = full + excluded.full,
            untouched = untouched + excluded.untouched, would_before = would_before + excluded.would_before,
            would_after = would_after + excluded.would_after, would_spare = would_spare + excluded.would_spare",
    )?;
    let [day, client, project, provider, model] = key;
    let billed = sums.usage;
    insert.execute(params![
        day,
        client,
        project,
        provider,
        model,
        number(sums.requests),
        number(sums.failed),
        number(sums.before),
        number(sums.after),
        number(sums.fetched),
        number(sums.results),
        number(sums.changed),
        number(billed.input),
        number(billed.cache_read),
        number(billed.cache_write),
        number(billed.output),
        number(sums.priced),
        number(sums.cost.paid),
        number(sums.cost.without),
        number(sums.would.requests),
        number(sums.would.before),
        number(sums.would.after),
        sums.would.money,
    ])?;
    Ok(())
}

/// The day in the machine's local time, such as `2026-11-16`.
fn day(to: &Transaction<'_>, event: &RequestEvent) -> rusqlite::Result<String> {
    let mut day = to.prepare_cached("SELECT date(?1 / 1000, 'unixepoch', 'localtime')")?;
    day.query_one([at(event)], |row| row.get(0))
}

//! Inserts events: single requests, and the totals of their day.

use std::sync::Arc;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use tersely_account::{Arm, Attribution, AttributionLabels, AttributionTable, ResultRecord, ShownName};
use tersely_telemetry::RequestEvent;

use crate::amount::{at, micros, number};
use crate::breaks;
use crate::day_sums::{DayKey, DaySums};
use crate::limits;
use crate::names::DayNames;
use crate::prompts;
use crate::trial;

/// Writes batches of events.
pub(crate) struct BatchWriter {
    /// The folder of requests that name no project.
    project: Option<String>,
    names: DayNames,
    tenants: DayTenants,
}

/// The tenants of a day.
#[derive(Default)]
struct DayTenants {
    day: String,
    table: AttributionTable,
}

impl BatchWriter {
    /// A writer for requests of this project.
    pub(crate) fn new(project: Option<String>) -> Self {
        Self { project, names: DayNames::default(), tenants: DayTenants::default() }
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
            let tenant = self.tenants.labels(&day, &event.attribution, self.project.as_deref());
            let key = [day, client, self.project.clone().unwrap_or_default(), provider, model];
            sums.add(DayKey(key), tenant, event);
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
                cache_write, output, paid, full, arm, would_before, would_after, would_paid, named, tenant,
                key_name)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
                ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)",
        )?;
        insert.insert(params![
            at(event),
            event.client,
            event.attribution.project.as_ref().map_or(self.project.as_deref(), |name| Some(name.as_str())),
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
            event.attribution.tenant.as_ref().map(ShownName::as_str),
            event.attribution.key.as_ref().map(ShownName::as_str),
        ])
    }
}

impl DayTenants {
    /// The tenant, key and project under which a request is added up. A new day is a new table.
    fn labels(&mut self, day: &str, of: &Attribution, folder: Option<&str>) -> [String; 3] {
        if self.day != day {
            *self = Self { day: day.to_owned(), table: AttributionTable::default() };
        }
        let AttributionLabels { tenant, key, project } = self.table.labels(of).in_folder(folder);
        [tenant, key, project].map(String::from)
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

/// The day in the machine's local time, such as `2026-11-16`.
fn day(to: &Transaction<'_>, event: &RequestEvent) -> rusqlite::Result<String> {
    let mut day = to.prepare_cached("SELECT date(?1 / 1000, 'unixepoch', 'localtime')")?;
    day.query_one([at(event)], |row| row.get(0))
}

//! Records the sessions of a holdout trial: turns, cost, repeated calls and fetches.

use rusqlite::{Transaction, params};
use tersely_account::{ResultRecord, ShownName, stable_hash};
use tersely_telemetry::RequestEvent;

use crate::amount::{at, number};

/// Adds a successful request to its session, if the session is part of a trial.
pub(crate) fn add(to: &Transaction<'_>, event: &RequestEvent) -> rusqlite::Result<()> {
    let (Some(session), Some(share)) = (event.session, event.record.arm.share()) else { return Ok(()) };
    if !event.is_success() {
        return Ok(());
    }
    let session = session.cast_signed();
    let mut repeats = 0;
    for result in &event.record.fresh {
        repeats += i64::from(is_repeat(to, session, result)?);
    }
    let fetches = event.record.fetched.iter().fold(0_u64, |all, it| all.saturating_add(it.calls));
    let mut insert = to.prepare_cached(
        "INSERT INTO trial_sessions VALUES (?1, ?2, ?3, ?4, ?4, 1, ?5, ?6, ?7, ?8)
         ON CONFLICT DO UPDATE SET
            arm = CASE WHEN arm = excluded.arm AND share = excluded.share THEN arm ELSE 'mixed' END,
            share = excluded.share, first = min(first, excluded.first), latest = max(latest, excluded.latest),
            turns = turns + 1, priced = priced + excluded.priced, paid = paid + excluded.paid,
            repeats = repeats + excluded.repeats, fetches = fetches + excluded.fetches",
    )?;
    insert.execute(params![
        session,
        event.record.arm.name(),
        share.in_millionths(),
        at(event),
        i64::from(event.record.cost.is_some()),
        number(event.record.cost.map_or(0, |cost| cost.paid)),
        repeats,
        number(fetches),
    ])?;
    Ok(())
}

/// True when the session has made another call before with the same tool and the same arguments. Seeing one and the
/// same call again, for example after a restart, does not count as a repeat.
fn is_repeat(to: &Transaction<'_>, session: i64, result: &ResultRecord) -> rusqlite::Result<bool> {
    let Some(arguments) = result.arguments else { return Ok(false) };
    let asked = stable_hash(&(result.group.tool, arguments)).cast_signed();
    let nameless = result.call.is_none().then_some(result.place.message);
    let call = stable_hash(&(result.call.as_ref().map(ShownName::as_str), nameless)).cast_signed();
    let mut known =
        to.prepare_cached("SELECT count(*) FROM trial_calls WHERE session = ?1 AND asked = ?2")?;
    let known: i64 = known.query_one(params![session, asked], |row| row.get(0))?;
    let mut insert = to.prepare_cached("INSERT OR IGNORE INTO trial_calls VALUES (?1, ?2, ?3)")?;
    Ok(insert.execute(params![session, asked, call])? > 0 && known > 0)
}

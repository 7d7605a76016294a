//! Records what providers themselves say about their cache.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use tersely_account::CacheDiagnosis;
use tersely_telemetry::RequestEvent;

use crate::amount::number;

/// Adds the diagnosis of a request.
pub(crate) fn add(to: &Transaction<'_>, request: i64, event: &RequestEvent) -> rusqlite::Result<()> {
    let Some(said) = &event.record.diagnosis else { return Ok(()) };
    let mut insert = to.prepare_cached("INSERT OR REPLACE INTO cache_diagnoses VALUES (?1, ?2, ?3)")?;
    insert.execute(params![request, said.reason.as_str(), said.tokens.map(number)])?;
    Ok(())
}

/// The diagnosis of a request.
pub(crate) fn of_request(connection: &Connection, request: u64) -> rusqlite::Result<Option<CacheDiagnosis>> {
    let mut found =
        connection.prepare_cached("SELECT reason, tokens FROM cache_diagnoses WHERE request = ?1")?;
    let found = found.query_one([request.cast_signed()], |row| {
        let (reason, tokens): (String, Option<i64>) = (row.get(0)?, row.get(1)?);
        Ok(CacheDiagnosis::of(&reason, tokens.map(|it| it.max(0).unsigned_abs())))
    });
    Ok(found.optional()?.flatten())
}

//! Records the conversation of each prompt, and what its provider says about the cache.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use tersely_account::{CacheDiagnosis, ShownName};
use tersely_telemetry::RequestEvent;

use crate::amount::number;

/// A prompt, as the history has it.
#[derive(Clone, Debug, Default)]
pub struct SeenPrompt {
    /// The number of its conversation.
    pub conversation: Option<u64>,
    /// What the provider itself says about its cache.
    pub diagnosis: Option<CacheDiagnosis>,
}

/// Adds the prompt of a request.
pub(crate) fn add(to: &Transaction<'_>, request: i64, event: &RequestEvent) -> rusqlite::Result<()> {
    let (conversation, said) = (event.record.conversation, event.record.diagnosis.as_ref());
    if conversation.is_none() && said.is_none() {
        return Ok(());
    }
    let mut insert = to.prepare_cached("INSERT OR REPLACE INTO prompts VALUES (?1, ?2, ?3, ?4)")?;
    let (reason, tokens) = (said.map(|it| ShownName::as_str(&it.reason)), said.and_then(|it| it.tokens));
    insert.execute(params![request, conversation.map(number), reason, tokens.map(number)])?;
    Ok(())
}

/// The prompt of a request.
pub(crate) fn of_request(connection: &Connection, request: u64) -> rusqlite::Result<SeenPrompt> {
    let text = "SELECT conversation, diagnosis, diagnosed FROM prompts WHERE request = ?1";
    let found = connection.prepare_cached(text)?.query_one([request.cast_signed()], |row| {
        let count =
            |place| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(place)?.map(i64::unsigned_abs));
        let (reason, tokens) = (row.get::<_, Option<String>>(1)?, count(2)?);
        let diagnosis = reason.and_then(|reason| CacheDiagnosis::of(&reason, tokens));
        Ok(SeenPrompt { conversation: count(0)?, diagnosis })
    });
    Ok(found.optional()?.unwrap_or_default())
}

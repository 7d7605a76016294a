//! Reads single requests and the conversations they belong to.

use rusqlite::{Connection, Row, params};
use tersely_account::{LimitUse, PromptBreak, TokenUsage};

use crate::breaks;
use crate::error::HistoryError;
use crate::limits::{self, SessionLimit};
use crate::prompts::{self, SeenPrompt};
use crate::read::{HistoryView, count, number};

/// Number of recent requests that are searched for conversations.
const BACK: usize = 2_000;

/// A recorded request.
#[derive(Clone, Debug, Default)]
pub struct SeenRequest {
    /// The number of the request in the history.
    pub id: u64,
    /// When it arrived, in milliseconds since 1970.
    pub at: u64,
    /// The client program.
    pub client: Option<String>,
    /// The tenant and the name of its key.
    pub whose: [Option<String>; 2],
    /// The project of the request, or its folder.
    pub project: Option<String>,
    /// The provider whose API it used.
    pub provider: Option<String>,
    /// The model that it named.
    pub model: Option<String>,
    /// A hash that identifies its conversation.
    pub session: Option<u64>,
    /// The status of its response.
    pub status: u16,
    /// How the request ended.
    pub ended: String,
    /// Why the request was forwarded unchanged although it should have been compressed.
    pub missed: Option<String>,
    /// The duration of the request, in microseconds.
    pub took: u64,
    /// Time spent rewriting it, in microseconds.
    pub ours: Option<u64>,
    /// The number of its tool results, and the number of changed ones.
    pub results: [u64; 2],
    /// Number of masked secrets.
    pub redacted: u64,
    /// Tokens of the request as received and as sent, and the tokens that fetching back cost.
    pub tokens: [u64; 3],
    /// The provider's usage, if reported.
    pub billed: Option<TokenUsage>,
    /// What it cost and what it would have cost without us, in nanodollars.
    pub cost: Option<[u64; 2]>,
    /// The arm of the request; `None` if the compressed body was sent and there is no trial.
    pub arm: Option<String>,
    /// The tokens that the request would have had if compressed; `None` unless it was sent unchanged.
    pub would: Option<u64>,
    /// How much of the account's limits was used when the response arrived.
    pub limits: Vec<LimitUse>,
    /// Why its prompt was not read from the provider's cache, if it could have been.
    pub cache_break: Option<PromptBreak>,
    /// Its conversation, and what the provider says about it.
    pub prompt: SeenPrompt,
    /// The results that were new in its conversation.
    pub fresh: Vec<SeenResult>,
}

/// A recorded tool result.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SeenResult {
    /// The tool, by the name that the client gave it.
    pub tool: Option<String>,
    /// The kind of tool, and the family of text.
    pub group: [String; 2],
    /// What was done with the result.
    pub status: String,
    /// The stages that acted, in order.
    pub stages: Vec<String>,
    /// The tokens of the result, as received and as sent.
    pub tokens: [u64; 2],
}

/// A conversation.
#[derive(Clone, Debug, Default)]
pub struct SeenSession {
    /// The hash that identifies the conversation.
    pub session: u64,
    /// When its first and its latest request arrived.
    pub at: [u64; 2],
    /// The number of requests in the conversation.
    pub turns: u64,
    /// The program, the folder, the model and the tenant of its latest request.
    pub whose: [Option<String>; 4],
    /// Number of failed requests.
    pub failed: u64,
    /// What its requests with a known price cost, and would have cost without us, in nanodollars.
    pub cost: [u64; 2],
    /// Tokens of the conversation as received and as sent, and the tokens that fetching back cost.
    pub tokens: [u64; 3],
    /// Input tokens: at full price, read from the provider's cache, and written to it.
    pub cache: [u64; 3],
    /// What the conversation used of the account's windows.
    pub limits: Vec<SessionLimit>,
}

const COLUMNS: &str = "id, at, client, project, provider, model, session, status, ended, missed, took, ours, results, \
    changed, redacted, before, after, fetched, input, cache_read, cache_write, output, paid, full, arm, would_after, \
    tenant, key_name";

impl HistoryView {
    /// The latest requests, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn recent(&self, most: usize) -> Result<Vec<SeenRequest>, HistoryError> {
        let text = format!("SELECT {COLUMNS} FROM requests ORDER BY id DESC LIMIT ?1");
        self.requests(&text, number(most))
    }

    /// The latest requests of a conversation, oldest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn turns(&self, session: u64, most: usize) -> Result<Vec<SeenRequest>, HistoryError> {
        let text = format!("SELECT {COLUMNS} FROM requests WHERE session = ?1 ORDER BY id DESC LIMIT {most}");
        let mut turns = self.requests(&text, session.cast_signed())?;
        turns.reverse();
        Ok(turns)
    }

    /// The latest conversations, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn sessions(&self, most: usize) -> Result<Vec<SeenSession>, HistoryError> {
        self.ranked_sessions("max(at)", BACK, most)
    }

    /// The conversations that cost most among the latest `back` requests, and by tokens those without a known price.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn costly_sessions(&self, back: usize, most: usize) -> Result<Vec<SeenSession>, HistoryError> {
        self.ranked_sessions("coalesce(sum(paid), 0) DESC, sum(before)", back, most)
    }

    fn ranked_sessions(
        &self,
        rank: &str,
        back: usize,
        most: usize,
    ) -> Result<Vec<SeenSession>, HistoryError> {
        // Of the columns outside sums, SQLite takes the values of the row with the maximum.
        let text = format!(
            "SELECT session, max(at), client, project, model, tenant
             FROM (SELECT * FROM requests ORDER BY id DESC LIMIT ?1) WHERE session IS NOT NULL
             GROUP BY session ORDER BY {rank} DESC LIMIT ?2"
        );
        self.with(|connection| {
            let mut found = connection.prepare_cached(&text)?;
            let found: Vec<(i64, [Option<String>; 4])> = found
                .query_map(params![number(back), number(most)], |row| {
                    Ok((row.get(0)?, [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?]))
                })?
                .collect::<Result<_, _>>()?;
            found.into_iter().map(|(session, whose)| session_of(connection, session, whose)).collect()
        })
    }

    fn requests(&self, text: &str, given: i64) -> Result<Vec<SeenRequest>, HistoryError> {
        self.with(|connection| {
            let mut found = connection.prepare_cached(text)?;
            let mut found = found.query_map([given], request)?.collect::<Result<Vec<_>, _>>()?;
            for request in &mut found {
                request.fresh = fresh(connection, request.id)?;
                request.limits = limits::of_request(connection, request.id)?;
                request.cache_break = breaks::of_request(connection, request.id)?;
                request.prompt = prompts::of_request(connection, request.id)?;
            }
            Ok(found)
        })
    }
}

fn session_of(
    connection: &Connection,
    session: i64,
    whose: [Option<String>; 4],
) -> rusqlite::Result<SeenSession> {
    let mut sums = connection.prepare_cached(
        "SELECT min(at), max(at), count(*), sum(before), sum(after), sum(fetched), coalesce(sum(input), 0),
            coalesce(sum(cache_read), 0), coalesce(sum(cache_write), 0), coalesce(sum(paid), 0), coalesce(sum(full), 0),
            sum(status < 200 OR status >= 300) FROM requests WHERE session = ?1",
    )?;
    sums.query_one([session], |row| {
        let at = |place| count(row, place);
        Ok(SeenSession {
            session: session.cast_unsigned(),
            at: [at(0)?, at(1)?],
            turns: at(2)?,
            whose,
            tokens: [at(3)?, at(4)?, at(5)?],
            cache: [at(6)?, at(7)?, at(8)?],
            cost: [at(9)?, at(10)?],
            failed: at(11)?,
            limits: limits::of_session(connection, session)?,
        })
    })
}

fn request(row: &Row<'_>) -> rusqlite::Result<SeenRequest> {
    let at = |place| count(row, place);
    let maybe = |place| {
        Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(place)?.map(|it| it.max(0).unsigned_abs()))
    };
    let billed = match [maybe(18)?, maybe(19)?, maybe(20)?, maybe(21)?] {
        [Some(input), Some(cache_read), Some(cache_write), Some(output)] => {
            Some(TokenUsage { input, cache_read, cache_write, output, ..TokenUsage::default() })
        }
        _ => None,
    };
    Ok(SeenRequest {
        id: at(0)?,
        at: at(1)?,
        client: row.get(2)?,
        project: row.get(3)?,
        provider: row.get(4)?,
        model: row.get(5)?,
        session: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
        status: row.get(7)?,
        ended: row.get(8)?,
        missed: row.get(9)?,
        took: at(10)?,
        ours: maybe(11)?,
        results: [at(12)?, at(13)?],
        redacted: at(14)?,
        tokens: [at(15)?, at(16)?, at(17)?],
        billed,
        cost: maybe(22)?.zip(maybe(23)?).map(|(paid, full)| [paid, full]),
        arm: row.get(24)?,
        would: maybe(25)?,
        whose: [row.get(26)?, row.get(27)?],
        limits: Vec::new(),
        cache_break: None,
        prompt: SeenPrompt::default(),
        fresh: Vec::new(),
    })
}

fn fresh(connection: &Connection, request: u64) -> rusqlite::Result<Vec<SeenResult>> {
    let mut found = connection.prepare_cached(
        "SELECT tool, kind, family, status, stages, before, after FROM results WHERE request = ?1 ORDER BY place",
    )?;
    let found = found.query_map([request.cast_signed()], |row| {
        let stages: String = row.get(4)?;
        Ok(SeenResult {
            tool: row.get(0)?,
            group: [row.get(1)?, row.get(2)?],
            status: row.get(3)?,
            stages: stages.split_whitespace().map(str::to_owned).collect(),
            tokens: [count(row, 5)?, count(row, 6)?],
        })
    })?;
    found.collect()
}

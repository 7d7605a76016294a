//! Reads a history: daily totals, which are permanent, and single requests while they are retained.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Row, params};
use tersely_account::{RequestCost, RequestSums, TokenUsage, WouldSums};

use crate::error::HistoryError;
use crate::schema;
use crate::sums::{GroupSums, StageSums};

/// Maximum number of rows in each list; further rows are seldom read.
const ROWS: i64 = 50;

/// Reads a history. Clones share one connection.
#[derive(Clone)]
pub struct HistoryReader(Arc<Mutex<HistoryView>>);

/// A consistent snapshot of a history.
pub struct HistoryView(pub(crate) Connection);

/// A period of time that ends now.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum HistoryPeriod {
    /// Since midnight.
    Today,
    /// Since Monday.
    Week,
    /// Thirty days, today included.
    Month,
    /// Since the history began.
    #[default]
    All,
}

/// Totals by client, tenant, project, model, kind of result and stage, most tokens first.
#[derive(Clone, Debug, Default)]
pub struct HistoryParts {
    /// Totals by client.
    pub clients: Vec<(String, RequestSums)>,
    /// Totals by tenant.
    pub tenants: Vec<(String, RequestSums)>,
    /// Totals by project.
    pub projects: Vec<(String, RequestSums)>,
    /// Totals by model.
    pub models: Vec<(String, RequestSums)>,
    /// Totals by kind of tool and family of text.
    pub groups: Vec<([String; 2], GroupSums)>,
    /// Totals by stage.
    pub stages: Vec<(String, StageSums)>,
}

/// Median and 95th percentile of the latest requests, in microseconds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Waits {
    /// The time from the first byte of the request to the last byte of the response.
    pub took: [u64; 2],
    /// The time until the head of the response arrived.
    pub upstream: [u64; 2],
    /// Time spent rewriting.
    pub ours: [u64; 2],
}

impl HistoryPeriod {
    /// All periods, shortest first.
    pub const ALL: [Self; 4] = [Self::Today, Self::Week, Self::Month, Self::All];

    /// The name of the period.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Week => "week",
            Self::Month => "month",
            Self::All => "all",
        }
    }

    /// The first day of the period, as an SQL expression.
    pub(crate) fn first(self) -> &'static str {
        match self {
            Self::Today => "date('now', 'localtime')",
            Self::Week => "date('now', 'localtime', 'weekday 0', '-6 days')",
            Self::Month => "date('now', 'localtime', '-29 days')",
            Self::All => "''",
        }
    }
}

/// The totals of `days`, in the order in which [`sums`] reads them.
pub(crate) const SUMS: &str = "coalesce(sum(requests), 0), coalesce(sum(failed), 0), coalesce(sum(before), 0), \
    coalesce(sum(after), 0), coalesce(sum(fetched), 0), coalesce(sum(results), 0), coalesce(sum(changed), 0), \
    coalesce(sum(input), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_write), 0), \
    coalesce(sum(output), 0), coalesce(sum(priced), 0), coalesce(sum(paid), 0), coalesce(sum(full), 0), \
    coalesce(sum(untouched), 0), coalesce(sum(would_before), 0), coalesce(sum(would_after), 0), \
    coalesce(sum(would_spare), 0)";

impl HistoryReader {
    /// Opens a history file.
    ///
    /// # Errors
    /// When the file is missing or cannot be read.
    pub fn open(path: &Path) -> Result<Self, HistoryError> {
        Ok(Self::sharing(Arc::new(Mutex::new(HistoryView(schema::open(path)?)))))
    }

    /// Opens a history file only to read it, and never waits: if another process locks it, the reads fail.
    ///
    /// # Errors
    /// When the file is missing, cannot be read now, or has the schema of another version.
    pub fn peek(path: &Path) -> Result<Self, HistoryError> {
        Ok(Self::sharing(Arc::new(Mutex::new(HistoryView(schema::peek(path)?)))))
    }

    /// Opens an empty history in memory.
    ///
    /// # Errors
    /// When the database cannot be created.
    pub fn empty() -> Result<Self, HistoryError> {
        Ok(Self::sharing(Arc::new(Mutex::new(HistoryView(schema::in_memory()?)))))
    }

    pub(crate) fn sharing(view: Arc<Mutex<HistoryView>>) -> Self {
        Self(view)
    }

    /// Runs reads on one consistent snapshot.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn look<T>(
        &self,
        read: impl FnOnce(&HistoryView) -> Result<T, HistoryError>,
    ) -> Result<T, HistoryError> {
        let view = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Inside a transaction, writes by others stay invisible.
        let _moment = view.0.unchecked_transaction()?;
        read(&view)
    }
}

impl HistoryView {
    pub(crate) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, HistoryError> {
        Ok(read(&self.0)?)
    }

    /// Totals of all requests in a period.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn sums(&self, period: HistoryPeriod) -> Result<RequestSums, HistoryError> {
        let text = format!("SELECT {SUMS} FROM days WHERE day >= {}", period.first());
        self.with(|connection| connection.query_one(&text, [], |row| sums(row, 0)))
    }

    /// Totals of a period, by client, tenant, project, model, kind of result and stage.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn parts(&self, period: HistoryPeriod) -> Result<HistoryParts, HistoryError> {
        let first = period.first();
        let by = |connection: &Connection, table: &str, column: &str| {
            let text = format!(
                "SELECT {column}, {SUMS} FROM {table} WHERE day >= {first} GROUP BY 1 ORDER BY sum(before) DESC, 1 LIMIT {ROWS}"
            );
            list(connection, &text, |row| Ok((row.get(0)?, sums(row, 1)?)))
        };
        self.with(|connection| {
            Ok(HistoryParts {
                clients: by(connection, "days", "client")?,
                tenants: by(connection, "day_tenants", &unless_none("tenant"))?,
                projects: by(connection, "day_tenants", &unless_none("project"))?,
                models: by(connection, "days", "model")?,
                groups: groups(connection, first)?,
                stages: stages(connection, first)?,
            })
        })
    }

    /// The last `count` days, today last, including days without requests.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn days(&self, count: usize) -> Result<Vec<(String, RequestSums)>, HistoryError> {
        let text = format!(
            "WITH RECURSIVE back (n) AS (SELECT ?1 - 1 UNION ALL SELECT n - 1 FROM back WHERE n > 0)
             SELECT date('now', 'localtime', '-' || n || ' days') AS the_day, {SUMS}
             FROM back LEFT JOIN days ON days.day = date('now', 'localtime', '-' || n || ' days')
             GROUP BY the_day ORDER BY the_day"
        );
        self.with(|connection| {
            let mut days = connection.prepare_cached(&text)?;
            days.query_map([number(count)], |row| Ok((row.get(0)?, sums(row, 1)?)))?.collect()
        })
    }

    /// Durations of the latest requests.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn waits(&self) -> Result<Waits, HistoryError> {
        self.with(|connection| {
            let of = |column| middle(connection, column);
            Ok(Waits { took: of("took")?, upstream: of("upstream")?, ours: of("ours")? })
        })
    }

    /// The number of the latest request. Every new request changes it.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn latest(&self) -> Result<u64, HistoryError> {
        let text = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'requests'";
        self.with(|connection| connection.query_one(text, [], |row| count(row, 0)))
    }
}

/// The name in a column, which is empty for requests that name nobody.
fn unless_none(column: &str) -> String {
    format!("CASE {column} WHEN 'none' THEN '' ELSE {column} END")
}

/// Median and 95th percentile of the latest 1,000 requests.
fn middle(connection: &Connection, column: &str) -> rusqlite::Result<[u64; 2]> {
    let text = format!(
        "SELECT {column} FROM (SELECT {column} FROM requests ORDER BY id DESC LIMIT 1000)
         WHERE {column} IS NOT NULL ORDER BY 1"
    );
    let all: Vec<u64> = list(connection, &text, |row| count(row, 0))?;
    let at = |share: usize| all.get(all.len() * share / 100).copied().unwrap_or_default();
    Ok([at(50), at(95)])
}

fn groups(connection: &Connection, first: &str) -> rusqlite::Result<Vec<([String; 2], GroupSums)>> {
    let text = format!(
        "SELECT tool, family, sum(results), sum(changed), sum(before), sum(after) FROM day_groups WHERE day >= {first}
         GROUP BY 1, 2 ORDER BY sum(before) - sum(after) DESC, sum(before) DESC, 1, 2 LIMIT {ROWS}"
    );
    list(connection, &text, |row| {
        let [results, changed, before, after] =
            [count(row, 2)?, count(row, 3)?, count(row, 4)?, count(row, 5)?];
        Ok(([row.get(0)?, row.get(1)?], GroupSums { results, changed, before, after }))
    })
}

fn stages(connection: &Connection, first: &str) -> rusqlite::Result<Vec<(String, StageSums)>> {
    let text = format!(
        "SELECT stage, sum(saved), sum(calls), sum(fetched) FROM day_stages WHERE day >= {first}
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {ROWS}"
    );
    list(connection, &text, |row| {
        Ok((row.get(0)?, StageSums { saved: row.get(1)?, calls: count(row, 2)?, fetched: count(row, 3)? }))
    })
}

pub(crate) fn list<T>(
    connection: &Connection,
    text: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(text)?.query_map(params![], read)?.collect()
}

pub(crate) fn sums(row: &Row<'_>, from: usize) -> rusqlite::Result<RequestSums> {
    let at = |place: usize| count(row, from + place);
    let usage = TokenUsage {
        input: at(7)?,
        cache_read: at(8)?,
        cache_write: at(9)?,
        output: at(10)?,
        ..TokenUsage::default()
    };
    Ok(RequestSums {
        requests: at(0)?,
        failed: at(1)?,
        before: at(2)?,
        after: at(3)?,
        fetched: at(4)?,
        results: at(5)?,
        changed: at(6)?,
        usage,
        priced: at(11)?,
        cost: RequestCost { paid: at(12)?, without: at(13)? },
        would: WouldSums { requests: at(14)?, before: at(15)?, after: at(16)?, money: row.get(from + 17)? },
    })
}

/// Reads an integer column that is never negative.
pub(crate) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

/// A count as a database integer.
pub(crate) fn number(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

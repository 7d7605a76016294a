//! Lists what each tenant or session sent, saved and cost as CSV and JSON, for spreadsheets and scripts.

use serde_json::{Map, Value, json};

use crate::json::{self, dollars};
use crate::requests::SeenSession;
use crate::showback::{DaySpan, ShowbackRow, SumsPart};

/// The columns of the CSV after the names, in the words of the JSON.
const COLUMNS: [&str; 15] = [
    "requests",
    "failed",
    "results",
    "changed",
    "tokens_before",
    "tokens_after",
    "tokens_fetched",
    "tokens_saved",
    "billed_input",
    "billed_cache_read",
    "billed_cache_write",
    "billed_output",
    "usd_paid",
    "usd_without",
    "usd_saved",
];

/// The columns of the CSV of sessions.
const SESSION_COLUMNS: [&str; 14] = [
    "session",
    "tenant",
    "project",
    "client",
    "model",
    "turns",
    "failed",
    "tokens_before",
    "tokens_after",
    "tokens_fetched",
    "tokens_saved",
    "usd_paid",
    "usd_without",
    "usd_saved",
];

/// A list with named columns.
#[derive(Clone, Debug, Default)]
pub struct ShowbackSheet {
    columns: Vec<&'static str>,
    rows: Vec<Map<String, Value>>,
}

impl ShowbackSheet {
    /// The list of these totals.
    #[must_use]
    pub fn of_parts(part: SumsPart, rows: &[ShowbackRow]) -> Self {
        let columns = part.columns().iter().copied().chain(COLUMNS).collect();
        Self { columns, rows: rows.iter().map(|row| row.json(part)).collect() }
    }

    /// The list of these sessions.
    #[must_use]
    pub fn of_sessions(sessions: &[SeenSession]) -> Self {
        Self { columns: SESSION_COLUMNS.to_vec(), rows: sessions.iter().map(session).collect() }
    }

    /// The list as JSON, with everything that is known of a row.
    #[must_use]
    pub fn json(&self, span: &DaySpan) -> Value {
        json!({ "period": span.name(), "rows": self.rows })
    }

    /// The list as CSV, with a line of names above.
    #[must_use]
    pub fn csv(&self) -> String {
        let line = |row: &Map<String, Value>| {
            self.columns.iter().map(|name| field(row.get(*name))).collect::<Vec<_>>().join(",")
        };
        std::iter::once(self.columns.join(","))
            .chain(self.rows.iter().map(line))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// A field as RFC 4180 has it. A name that a spreadsheet would take for a formula is made a text.
fn field(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => return String::new(),
        Some(Value::String(text)) => text,
        Some(number) => return number.to_string(),
    };
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.clone() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

fn session(session: &SeenSession) -> Map<String, Value> {
    let [client, project, model, tenant] = &session.whose;
    let ([before, after, fetched], [paid, without]) = (session.tokens, session.cost);
    let fields = [
        ("session", json!(json::hex(session.session))),
        ("tenant", json!(tenant)),
        ("project", json!(project)),
        ("client", json!(client)),
        ("model", json!(model)),
        ("first", json!(session.at[0])),
        ("last", json!(session.at[1])),
        ("turns", json!(session.turns)),
        ("failed", json!(session.failed)),
        ("tokens_before", json!(before)),
        ("tokens_after", json!(after)),
        ("tokens_fetched", json!(fetched)),
        ("tokens_saved", json!(saved(before, after, fetched))),
        ("usd_paid", dollars(paid.into())),
        ("usd_without", dollars(without.into())),
        ("usd_saved", dollars(i128::from(without) - i128::from(paid))),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Tokens saved, minus those that fetching back cost.
fn saved(before: u64, after: u64, fetched: u64) -> i64 {
    let saved = i128::from(before) - i128::from(after) - i128::from(fetched);
    i64::try_from(saved).unwrap_or(i64::MIN)
}

#[cfg(test)]
mod tests {
    use tersely_account::RequestSums;

    use super::*;

    #[test]
    fn csv_is_quoted_and_holds_no_formula() {
        let mut sums = RequestSums { requests: 1, before: 10, after: 5, priced: 1, ..RequestSums::default() };
        (sums.cost.paid, sums.cost.without) = (1_500_000_000, 3_000_000_000);
        let row = ShowbackRow { names: vec!["=1+1,\"x\"".to_owned()], sums };
        let csv = ShowbackSheet::of_parts(SumsPart::Project, &[row]).csv();
        let mut lines = csv.lines();
        assert_eq!(lines.next().map(|head| head.starts_with("project,requests,failed,results")), Some(true));
        assert_eq!(lines.next(), Some("\"'=1+1,\"\"x\"\"\",1,0,0,0,10,5,0,5,0,0,0,0,1.5,3.0,1.5"));
        assert_eq!(lines.next(), None);
    }
}

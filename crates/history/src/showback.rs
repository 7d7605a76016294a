//! Reads what each tenant, key, project, client or model sent, saved and cost, for a bill or a report.

use std::str::FromStr;

use serde_json::{Map, Value, json};
use tersely_account::RequestSums;

use crate::error::HistoryError;
use crate::json;
use crate::read::{HistoryPeriod, HistoryView, SUMS, list, sums};

/// What totals are told apart by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SumsPart {
    /// The tenant.
    Tenant,
    /// The tenant and its key.
    Key,
    /// The project.
    Project,
    /// The client program.
    Client,
    /// The model.
    Model,
}

/// The days that are added up.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum DaySpan {
    /// A period that ends now.
    Period(HistoryPeriod),
    /// A month of the calendar.
    Month(CalendarMonth),
}

/// A month of the calendar, such as `2026-10`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CalendarMonth(String);

/// The totals of one tenant, key, project, client or model.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ShowbackRow {
    /// A name for each of [`SumsPart::columns`].
    pub names: Vec<String>,
    /// The totals.
    pub sums: RequestSums,
}

impl ShowbackRow {
    /// The names and the totals as JSON.
    #[must_use]
    pub fn json(&self, part: SumsPart) -> Map<String, Value> {
        let names =
            part.columns().iter().zip(&self.names).map(|(column, name)| ((*column).to_owned(), json!(name)));
        names.chain(json::sums(&self.sums)).collect()
    }
}

impl SumsPart {
    /// What the names of a row are.
    #[must_use]
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Tenant => &["tenant"],
            Self::Key => &["tenant", "key"],
            Self::Project => &["project"],
            Self::Client => &["client"],
            Self::Model => &["model"],
        }
    }

    /// The table and its columns.
    fn source(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Tenant => ("day_tenants", &["tenant"]),
            Self::Key => ("day_tenants", &["tenant", "key_name"]),
            Self::Project => ("day_tenants", &["project"]),
            Self::Client => ("days", &["client"]),
            Self::Model => ("days", &["model"]),
        }
    }
}

impl DaySpan {
    /// The condition on the day, as SQL.
    fn condition(&self) -> String {
        match self {
            Self::Period(period) => format!("day >= {}", period.first()),
            // The days of a month sort between these two.
            Self::Month(CalendarMonth(month)) => format!("day BETWEEN '{month}-01' AND '{month}-31'"),
        }
    }

    /// The name of the span: a period, or a month.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Period(period) => period.name(),
            Self::Month(CalendarMonth(month)) => month,
        }
    }
}

impl FromStr for CalendarMonth {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let fault = || format!("{word:?} is not a month; write 2026-10");
        let (year, month) = word.split_once('-').ok_or_else(fault)?;
        let digits = |text: &str, count| text.len() == count && text.bytes().all(|it| it.is_ascii_digit());
        let is_month = || (1..=12).contains(&month.parse::<u8>().unwrap_or(0));
        (digits(year, 4) && digits(month, 2) && is_month()).then(|| Self(word.to_owned())).ok_or_else(fault)
    }
}

impl HistoryView {
    /// The totals of each tenant, key, project, client or model, most money first. They add up to the totals of all
    /// requests on these days.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn showback(&self, part: SumsPart, span: &DaySpan) -> Result<Vec<ShowbackRow>, HistoryError> {
        let (table, names) = part.source();
        let (columns, days) = (names.join(", "), span.condition());
        let text = format!(
            "SELECT {columns}, {SUMS} FROM {table} WHERE {days} GROUP BY {columns}
             ORDER BY sum(paid) DESC, sum(before) DESC, {columns}"
        );
        self.with(|connection| {
            list(connection, &text, |row| {
                let told = (0..names.len()).map(|at| row.get(at)).collect::<Result<_, _>>()?;
                Ok(ShowbackRow { names: told, sums: sums(row, names.len())? })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_a_year_and_a_number() {
        assert_eq!("2026-10".parse(), Ok(CalendarMonth("2026-10".to_owned())));
        for word in
            ["", "2026", "2026-13", "2026-00", "26-10", "2026-1", "2026-10-01", "2026-1x", "' OR 1-10"]
        {
            assert!(word.parse::<CalendarMonth>().is_err(), "{word}");
        }
    }
}

//! `tersely stats --by`: what each tenant, key, project, client, model or session sent, saved and cost, as a table, as
//! JSON or as CSV.

use std::process::ExitCode;

use clap::ValueEnum;
use tersely_account::RequestSums;
use tersely_history::{
    DaySpan, HistoryError, HistoryView, SeenSession, ShowbackRow, ShowbackSheet, SumsPart,
};
use tersely_terminal::fault::Stop;
use tersely_terminal::number::grouped;
use tersely_terminal::output;
use tersely_terminal::table::align;

use crate::command::stats::amount::{money, share, tokens};

/// How many sessions are listed, and how many of the latest requests are searched for them.
const MAX_SESSIONS: usize = 50;
const MAX_REQUESTS: usize = 1_000_000;

/// What the rows are told apart by, as it is typed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ByArg {
    Tenant,
    Key,
    Project,
    Client,
    Model,
    /// The most expensive sessions of recent days
    Session,
}

/// How the rows are printed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum ShowbackForm {
    Table,
    Json,
    Csv,
}

/// Rows for scripts, and as a table.
pub(crate) struct Showback {
    sheet: ShowbackSheet,
    table: String,
}

impl Showback {
    /// Reads the rows from the history.
    pub(crate) fn read(view: &HistoryView, by: ByArg, span: &DaySpan) -> Result<Self, HistoryError> {
        let part = match by {
            ByArg::Tenant => SumsPart::Tenant,
            ByArg::Key => SumsPart::Key,
            ByArg::Project => SumsPart::Project,
            ByArg::Client => SumsPart::Client,
            ByArg::Model => SumsPart::Model,
            ByArg::Session => {
                return Ok(Self::of_sessions(&view.costly_sessions(MAX_REQUESTS, MAX_SESSIONS)?));
            }
        };
        Ok(Self::of_parts(part, &view.showback(part, span)?))
    }

    fn of_parts(part: SumsPart, rows: &[ShowbackRow]) -> Self {
        let names = part.columns();
        let head = ["requests", "failed", "tokens sent", "saved", "share", "paid", "saved about"];
        let mut lines = vec![names.iter().chain(&head).map(|cell| (*cell).to_owned()).collect::<Vec<_>>()];
        let mut total = RequestSums::default();
        for row in rows {
            total += row.sums;
            lines.push(row.names.iter().map(|name| name_cell(name)).chain(cells(&row.sums)).collect());
        }
        let blanks = std::iter::repeat_n(String::new(), names.len() - 1);
        lines.push(std::iter::once("total".to_owned()).chain(blanks).chain(cells(&total)).collect());
        Self {
            sheet: ShowbackSheet::of_parts(part, rows),
            table: align(&format!("{}rrrrrrr", "l".repeat(names.len())), &lines),
        }
    }

    fn of_sessions(sessions: &[SeenSession]) -> Self {
        let head = ["session", "tenant", "project", "model", "turns", "tokens sent", "saved", "paid"];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        lines.extend(sessions.iter().map(|session| session_cells(session).to_vec()));
        Self { sheet: ShowbackSheet::of_sessions(sessions), table: align("llllrrrr", &lines) }
    }

    /// Prints the rows.
    pub(crate) fn print(&self, form: ShowbackForm, span: &DaySpan) -> Result<ExitCode, Stop> {
        let text = match form {
            ShowbackForm::Table => self.table.clone(),
            ShowbackForm::Json => format!("{:#}", self.sheet.json(span)),
            ShowbackForm::Csv => self.sheet.csv(),
        };
        output::result(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn name_cell(name: &str) -> String {
    if name.is_empty() { "none".to_owned() } else { name.to_owned() }
}

fn cells(sums: &RequestSums) -> [String; 7] {
    let worth = |sum: i64| if sums.priced == 0 { "–".to_owned() } else { money(sum) };
    [
        grouped(sums.requests),
        grouped(sums.failed),
        tokens(signed(sums.before)),
        tokens(sums.saved()),
        share(sums.saved(), sums.before),
        worth(signed(sums.cost.paid)),
        worth(sums.money()),
    ]
}

fn session_cells(session: &SeenSession) -> [String; 8] {
    let [_, project, model, tenant] = &session.whose;
    let name = |name: &Option<String>| name_cell(name.as_deref().unwrap_or_default());
    let [before, ..] = session.tokens;
    let paid = if session.cost == [0, 0] { "–".to_owned() } else { money(signed(session.cost[0])) };
    [
        format!("{:016x}", session.session),
        name(tenant),
        name(project),
        name(model),
        grouped(session.turns),
        tokens(signed(before)),
        share(saving(session), before),
        paid,
    ]
}

fn saving(session: &SeenSession) -> i64 {
    let [before, after, fetched] = session.tokens;
    signed(before).saturating_sub(signed(after)).saturating_sub(signed(fetched))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, before: u64, paid: u64) -> ShowbackRow {
        let mut sums =
            RequestSums { requests: 1, before, after: before / 2, priced: 1, ..RequestSums::default() };
        (sums.cost.paid, sums.cost.without) = (paid, paid * 2);
        ShowbackRow { names: vec![name.to_owned()], sums }
    }

    #[test]
    fn a_table_ends_with_the_sum_of_its_rows() {
        let shown = Showback::of_parts(
            SumsPart::Tenant,
            &[row("search", 1_000, 3_000_000_000), row("", 10, 1_000_000_000)],
        );
        assert_eq!(
            shown.table.lines().collect::<Vec<_>>(),
            [
                "tenant  requests  failed  tokens sent  saved   share   paid  saved about",
                "search         1       0       1.00 k    500  50.0 %  $3.00        $3.00",
                "none           1       0           10      5  50.0 %  $1.00        $1.00",
                "total          2       0       1.01 k    505  50.0 %  $4.00        $4.00",
            ]
        );
    }
}

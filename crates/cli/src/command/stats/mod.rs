//! `tersely stats`: shows the savings so far, by client, project, tool and model.

mod amount;
mod block;
mod compared;
mod screen;
mod showback;
mod windows;

use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::Value;
use tersely_history::{
    CalendarMonth, DaySpan, HistoryError, HistoryPeriod, HistoryReader, HistoryView, StepTotal,
};
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;
use tersely_terminal::screen::room;

pub(crate) use crate::command::stats::amount::{money, share, tokens};
use crate::command::stats::screen::StatsReport;
use crate::command::stats::showback::{ByArg, Showback, ShowbackForm};
use crate::gateway::prices;
use crate::history;

const EXAMPLES: &str = "\
Examples:
  tersely stats
  tersely stats --period week
  tersely stats --holdout
  tersely stats --by tenant --month 2026-10 --format csv > october.csv
  tersely stats --json | jq .periods.today.tokens_saved

`tersely run` records its savings. `tersely serve` records its savings if it listens on a loopback address or if `history.record` is \"on\". The history stays on this machine and contains no request text. `tersely purge` deletes the history. Exit code 1: nothing has been recorded yet.";

/// Show savings by day, client, project, tool and model
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatsArgs {
    /// The period that the breakdowns cover
    #[arg(long, value_enum, default_value_t = PeriodArg::All)]
    pub period: PeriodArg,
    /// Compare the cost, turns and re-reads of held-out sessions with those of all other sessions
    #[arg(long)]
    pub holdout: bool,
    /// Print usage, savings and cost grouped by this field, for billing or reports
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "holdout")]
    pub by: Option<ByArg>,
    /// The month that --by covers, such as 2026-10; replaces --period
    #[arg(long, value_name = "MONTH", requires = "by", conflicts_with = "period")]
    pub month: Option<CalendarMonth>,
    /// Print all data as JSON
    #[arg(long)]
    pub json: bool,
    /// The output format of --by
    #[arg(long, value_enum, requires = "by", conflicts_with = "json", default_value_t = ShowbackForm::Table)]
    pub format: ShowbackForm,
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<std::path::PathBuf>,
}

impl StatsArgs {
    /// The days that --by counts.
    fn span(&self) -> DaySpan {
        self.month.clone().map_or_else(|| DaySpan::Period(self.period.into()), DaySpan::Month)
    }

    /// How --by prints its list.
    fn form(&self) -> ShowbackForm {
        if self.json { ShowbackForm::Json } else { self.format }
    }
}

/// A period, as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PeriodArg {
    Today,
    Week,
    Month,
    All,
}

impl From<PeriodArg> for HistoryPeriod {
    fn from(period: PeriodArg) -> Self {
        match period {
            PeriodArg::Today => Self::Today,
            PeriodArg::Week => Self::Week,
            PeriodArg::Month => Self::Month,
            PeriodArg::All => Self::All,
        }
    }
}

/// Prints the savings.
pub(crate) fn run(args: &StatsArgs) -> Result<ExitCode, Stop> {
    let flags = Flags { config: args.config.clone(), ..Flags::default() };
    let sources = SettingSources::new(&flags);
    let meant = settings::load_telling(&sources)?.settings;
    let Some(file) = history::file(&sources, &meant.seen.history) else { return Err(placeless().into()) };
    let fault = |error: HistoryError| unreadable(&file, &error);
    let reader = HistoryReader::open(&file).map_err(fault)?;
    if let Some(by) = args.by {
        let span = args.span();
        if by == ByArg::Session && span != DaySpan::Period(HistoryPeriod::All) {
            let hint = "omit --month and --period: --by session covers all requests that are still in the history (history.days)";
            return Err(CommandFault::unable("--by session cannot be limited to a period", hint).into());
        }
        let shown = reader.look(|view| Showback::read(view, by, &span)).map_err(fault)?;
        return shown.print(args.form(), &span);
    }
    if args.json {
        let prices = prices(&meant.seen)?;
        let steps = |view: &HistoryView| view.steps(&prices).map(steps);
        let all = |view: &HistoryView| {
            Ok([view.summary()?, view.latest_sessions()?, steps(view)?].into_iter().flatten())
        };
        let all: Value = reader.look(all).map_err(fault)?.collect::<serde_json::Map<_, _>>().into();
        output::result(&format!("{all:#}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.holdout {
        let report = reader.look(HistoryView::holdout).map_err(fault)?.ok_or_else(untried)?;
        output::with_colors(&compared::page(&report))?;
        return Ok(ExitCode::SUCCESS);
    }
    let prices = prices(&meant.seen)?;
    let report = reader.look(|view| StatsReport::read(view, args.period.into(), &prices)).map_err(fault)?;
    if report.is_empty() {
        return Err(absent().into());
    }
    output::with_colors(&report.screen(room()))?;
    Ok(ExitCode::SUCCESS)
}

/// The error for a history that cannot be read, with advice.
pub(crate) fn unreadable(file: &std::path::Path, error: &HistoryError) -> CommandFault {
    match error {
        HistoryError::Missing => absent(),
        HistoryError::Newer(_) => {
            CommandFault::unable(format!("{}: {error}", file.display()), "update tersely")
        }
        error if error.is_broken() => CommandFault::unable(
            format!("{}: {error}", file.display()),
            "the file is damaged or is not a history; to start a new history, run `tersely purge`",
        ),
        error => CommandFault::unable(format!("{}: {error}", file.display()), "check history.file"),
    }
}

/// The requests above a step of the price, as JSON.
fn steps(StepTotal { requests, cost, lowest }: StepTotal) -> serde_json::Map<String, Value> {
    let told = serde_json::json!({ "requests": requests, "cost_nanodollars": cost, "lowest_tokens": lowest });
    [("price_steps".to_owned(), told)].into_iter().collect()
}

fn absent() -> CommandFault {
    let hint = "run an agent through Tersely first, such as `tersely run claude`; history.record must not be \"off\"";
    CommandFault::no("nothing is recorded yet", hint)
}

fn untried() -> CommandFault {
    let hint =
        "set holdout = \"5%\" and record a history; Tersely then assigns each session to one of two groups";
    CommandFault::no("no session has been held out yet", hint)
}

/// The error for when there is no folder for the history.
pub(crate) fn placeless() -> CommandFault {
    CommandFault::unable(
        "neither HOME nor XDG_STATE_HOME is set",
        "set history.file to the path of the history",
    )
}

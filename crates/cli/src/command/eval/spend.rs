//! What a run will cost, said before it does.

use std::io::{self, BufRead, IsTerminal};

use tersely_account::{Price, TokenUsage};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::number::{grouped, many};
use tersely_terminal::output;

use super::args::EvalArgs;
use super::arm::EvalArm;
use super::ask::{Asker, weight};
use super::set::EvalQuestion;

/// Tokens of an answer, about.
const ANSWER: u64 = 40;

/// Says what is about to be spent, and asks whether it may be; true when it may not.
pub(super) fn is_refused(
    args: &EvalArgs,
    asker: &Asker,
    open: &[(EvalArm, EvalQuestion)],
    price: Option<&Price>,
) -> Result<bool, Stop> {
    let input: usize = open.iter().map(|(arm, question)| weight(&asker.request(*arm, question).0)).sum();
    let input = u64::try_from(input).unwrap_or(u64::MAX);
    let count = u64::try_from(open.len()).unwrap_or(u64::MAX);
    let tokens = TokenUsage { input, output: count * ANSWER, ..TokenUsage::default() };
    let cost = price.map_or_else(
        || "its price is not known".to_owned(),
        |price| format!("about ${:.2}, more if it thinks", price.base_cost(&tokens).dollars()),
    );
    let host = asker.poster.upstream();
    output::note(&format!(
        "{} to {host}, {}: about {} tokens of input by our count; {cost}.",
        many(count, "request"),
        args.model,
        grouped(input)
    ))?;
    if args.yes {
        return Ok(false);
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let hint = "use --yes to spend without being asked";
        return Err(CommandFault::unable("nobody is here to say yes to that", hint).into());
    }
    output::note("Go on? [y/N]")?;
    let mut said = String::new();
    io::stdin().lock().read_line(&mut said)?;
    Ok(!matches!(said.trim().to_lowercase().as_str(), "y" | "yes"))
}

//! Estimates the cost of a run, and asks for consent.

use std::io::{self, BufRead, IsTerminal};

use tersely_account::{Price, TokenUsage};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::number::{grouped, many};
use tersely_terminal::output;

use crate::args::EvalArgs;
use crate::arm::EvalArm;
use crate::ask::{Asker, weight};
use crate::set::EvalQuestion;

/// The estimated number of output tokens of an answer.
const ANSWER_TOKENS: u64 = 40;

/// Prints the estimate and asks for consent. True if the user refuses.
pub(super) fn is_refused(
    args: &EvalArgs,
    asker: &Asker,
    open: &[(EvalArm, EvalQuestion)],
    price: Option<&Price>,
) -> Result<bool, Stop> {
    let input: usize = open.iter().map(|(arm, question)| weight(&asker.request(*arm, question).0)).sum();
    let input = u64::try_from(input).unwrap_or(u64::MAX);
    let count = u64::try_from(open.len()).unwrap_or(u64::MAX);
    let tokens = TokenUsage { input, output: count * ANSWER_TOKENS, ..TokenUsage::default() };
    let cost = price.map_or_else(
        || "the price of the model is unknown".to_owned(),
        |price| {
            format!("about ${:.2}, or more if the model uses reasoning", price.base_cost(&tokens).dollars())
        },
    );
    let host = asker.poster.upstream();
    output::note(&format!(
        "{} to {} at {host}: about {} input tokens by our count; {cost}.",
        many(count, "request"),
        args.model,
        grouped(input)
    ))?;
    if args.yes {
        return Ok(false);
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let hint = "add --yes to start without asking for confirmation";
        return Err(CommandFault::unable("there is no terminal to ask for confirmation", hint).into());
    }
    output::note("Continue? [y/N]")?;
    let mut said = String::new();
    io::stdin().lock().read_line(&mut said)?;
    Ok(!matches!(said.trim().to_lowercase().as_str(), "y" | "yes"))
}

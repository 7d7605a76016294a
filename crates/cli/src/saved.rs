//! What a gateway has saved, and what it cost to fetch back, in lines for people.

use std::fmt;

use tersely_engine::{ELSEWHERE, Fetch};
use tersely_gateway::Totals;

use crate::share::Share;

/// What was saved, in tokens of tool results.
#[derive(Debug, Clone)]
pub(crate) struct Saved(Totals);

impl Saved {
    /// What these requests came to.
    pub(crate) fn new(totals: Totals) -> Self {
        Self(totals)
    }

    /// Requests that were looked at.
    pub(crate) fn requests(&self) -> u64 {
        self.0.requests
    }

    fn share(&self, cost: u64) -> Share {
        let size = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX);
        Share::saved(size(self.0.before), size(self.0.after.saturating_add(cost)))
    }

    /// How often models asked, and for how much.
    fn fetched(&self) -> Fetch {
        self.0.fetched.values().fold(Fetch::default(), |all, fetch| Fetch {
            calls: all.calls.saturating_add(fetch.calls),
            tokens: all.tokens.saturating_add(fetch.tokens),
        })
    }

    /// What it cost to read on. What was fetched is read there too; it is all that is known where a provider does not
    /// say what was read.
    fn cost(&self) -> u64 {
        self.0.rounds.max(self.fetched().tokens)
    }

    /// Stages that cost more than they saved, with both; the rounds are shared among them by the calls.
    fn unpaid(&self) -> impl Iterator<Item = (&'static str, i64, u64)> {
        let (all, cost) = (self.fetched().calls.max(1), self.cost());
        let stages = self.0.fetched.iter().filter(|(stage, _)| **stage != ELSEWHERE);
        stages.filter_map(move |(stage, fetch)| {
            let saved = self.0.stages.get(stage).copied().unwrap_or_default();
            let cost = u128::from(cost) * u128::from(fetch.calls) / u128::from(all);
            let cost = u64::try_from(cost).unwrap_or(u64::MAX).max(fetch.tokens);
            i64::try_from(cost).map_or(true, |cost| cost > saved).then_some((*stage, saved, cost))
        })
    }
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { requests, before, after, .. } = self.0;
        write!(f, "{}, tool results ", many(requests, "request"))?;
        write!(f, "{} → {} tokens, {} saved", grouped(before), grouped(after), self.share(0))?;
        let Fetch { calls, tokens } = self.fetched();
        if calls == 0 {
            return Ok(());
        }
        let cost = self.cost();
        write!(f, "; {} fetched {} back", many(calls, "expansion"), grouped(tokens))?;
        write!(f, ", which cost {} to read: {} saved in all", grouped(cost), self.share(cost))?;
        for (stage, saved, cost) in self.unpaid() {
            let saved = grouped(u64::try_from(saved).unwrap_or(0));
            write!(
                f,
                "\n  {stage} does not pay: it saved {saved} tokens and cost {} to fetch back;",
                grouped(cost)
            )?;
            write!(f, " switch it off where it acts with rules: [{{tool: NAME, loss: form}}]")?;
        }
        Ok(())
    }
}

/// So many things: 1 request, 1,204 requests.
fn many(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number that can be read: 12,345.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(totals: Totals, line: &str) {
        assert_eq!(Saved::new(totals).to_string(), line);
    }

    fn totals(requests: u64, before: u64, after: u64) -> Totals {
        Totals { requests, before, after, ..Totals::default() }
    }

    #[test]
    fn what_was_saved_fits_a_line() {
        check(totals(1, 0, 0), "1 request, tool results 0 → 0 tokens, 0.0 % saved");
        check(
            totals(1204, 1_000_000, 250_000),
            "1,204 requests, tool results 1,000,000 → 250,000 tokens, 75.0 % saved",
        );
    }

    #[test]
    fn what_was_fetched_back_counts_against_it() {
        let fetched = [("cargo", Fetch { calls: 2, tokens: 1850 })].into();
        let stages = [("cargo", 18_000), ("json", 800)].into();
        check(
            Totals { fetched, stages, rounds: 5200, ..totals(12, 40_100, 21_300) },
            "12 requests, tool results 40,100 → 21,300 tokens, 46.9 % saved; \
             2 expansions fetched 1,850 back, which cost 5,200 to read: 33.9 % saved in all",
        );
    }

    #[test]
    fn a_stage_that_does_not_pay_is_named() {
        let one = Fetch { calls: 1, tokens: 100 };
        let fetched = [("cargo", one), ("git", one), (ELSEWHERE, one)].into();
        let stages = [("cargo", 100), ("git", 99)].into();
        check(
            Totals { fetched, stages, ..totals(3, 1000, 801) },
            "3 requests, tool results 1,000 → 801 tokens, 19.9 % saved; \
             3 expansions fetched 300 back, which cost 300 to read: -10.1 % saved in all\
             \n  git does not pay: it saved 99 tokens and cost 100 to fetch back; \
             switch it off where it acts with rules: [{tool: NAME, loss: form}]",
        );
    }
}

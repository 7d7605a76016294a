//! Summarizes in text what a gateway saved, what fetching originals cost, and how the bill changed.

use std::fmt;

use tersely_account::{LimitRise, RequestCost, RequestSums, TokenChange};
use tersely_engine::{DISCOVERY, ELSEWHERE, Fetch};
use tersely_gateway::Totals;
use tersely_telemetry::BillSums;
use tersely_terminal::number::{grouped, many};
use tersely_terminal::share::Share;

use crate::limit::{percent, points};

/// The savings, in tokens and in money.
#[derive(Debug, Clone)]
pub(crate) struct Savings(Totals, BillSums);

impl Savings {
    /// The savings of these requests.
    pub(crate) fn new(totals: Totals, bill: BillSums) -> Self {
        Self(totals, bill)
    }

    /// The number of all requests, with any outcome.
    pub(crate) fn requests(&self) -> u64 {
        self.0.requests + self.0.failed + self.0.unread
    }

    /// The saved share of all tokens, after subtracting `cost`.
    fn share(&self, cost: u64) -> Share {
        let TokenChange { before, after } = self.0.whole;
        Share::saved(before, after.saturating_add(usize::try_from(cost).unwrap_or(usize::MAX)))
    }

    /// The number of times that models fetched originals, and the number of fetched tokens.
    fn fetched(&self) -> Fetch {
        self.0.fetched.values().fold(Fetch::default(), |all, fetch| Fetch {
            calls: all.calls.saturating_add(fetch.calls),
            tokens: all.tokens.saturating_add(fetch.tokens),
        })
    }

    /// The cost of the extra rounds, in tokens read. This includes the fetched tokens; if a provider does not report
    /// usage, only those are known.
    fn cost(&self) -> u64 {
        self.0.rounds.max(self.fetched().tokens)
    }

    /// Stages that cost more than they saved, with both figures. The cost of extra rounds is divided among stages by
    /// their number of fetches.
    fn unpaid(&self) -> impl Iterator<Item = (&'static str, i64, u64)> {
        let (all, cost) = (self.fetched().calls.max(1), self.cost());
        let stages = self.0.fetched.iter().filter(|(stage, _)| ![ELSEWHERE, DISCOVERY].contains(stage));
        stages.filter_map(move |(stage, fetch)| {
            let saved = self.0.stages.get(stage).copied().unwrap_or_default();
            let cost = u128::from(cost) * u128::from(fetch.calls) / u128::from(all);
            let cost = u64::try_from(cost).unwrap_or(u64::MAX).max(fetch.tokens);
            i64::try_from(cost).map_or(true, |cost| cost > saved).then_some((*stage, saved, cost))
        })
    }
}

/// The text lists all tokens sent before those of tool results, because a share of the results alone is not a share of
/// the bill.
impl fmt::Display for Savings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { requests, whole, fresh, tool, .. } = &self.0;
        write!(f, "{}: {}", many(*requests, "request"), change(*whole))?;
        if *tool > 0 {
            write!(f, " (added tool: {})", grouped(*tool))?;
        }
        if fresh.before > 0 {
            write!(f, "\n  tool results, counted once each: {}", change(*fresh))?;
        }
        let prompts = self.0.prompts;
        if prompts.candidate_count > 0 {
            let (before, after) = (grouped(prompts.original_bytes), grouped(prompts.compressed_bytes));
            write!(f, "\n  JSON in user messages: {} of ", grouped(prompts.converted_count))?;
            write!(f, "{} converted", many(prompts.candidate_count as u64, "document"))?;
            write!(f, ", {before} bytes before and {after} after")?;
        }
        self.would(f)?;
        self.fetches(f)?;
        self.compressors(f)?;
        self.bill(f)?;
        self.limits(f)?;
        self.others(f)
    }
}

impl Savings {
    /// The possible saving on requests that were sent unchanged. It is listed separately because nothing was really
    /// saved.
    fn would(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { untouched, would: TokenChange { before, after }, .. } = &self.0;
        if *untouched == 0 {
            return Ok(());
        }
        let share = Share::saved(*before, *after);
        let less = grouped(before.saturating_sub(*after));
        write!(
            f,
            "\n  {} sent unchanged: {less} of {} tokens ",
            many(*untouched, "request"),
            grouped(*before)
        )?;
        write!(f, "would have been saved, {share}")
    }

    /// The originals that models fetched, and the stages for which this cost more than they saved.
    fn fetches(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fetch { calls, tokens } = self.fetched();
        if calls == 0 {
            return Ok(());
        }
        let cost = self.cost();
        write!(f, "\n  {} fetched back {} tokens", many(calls, "expansion"), grouped(tokens))?;
        write!(f, " and cost {} tokens to read; {} saved overall", grouped(cost), self.share(cost))?;
        for (stage, saved, cost) in self.unpaid() {
            let (saved, cost) = (grouped(u64::try_from(saved).unwrap_or(0)), grouped(cost));
            write!(
                f,
                "\n  {stage} does not pay off: it saved {saved} tokens, but fetching text back cost {cost};"
            )?;
            write!(f, " to turn it off for a tool, set rules: [{{tool: NAME, loss: form}}]")?;
        }
        Ok(())
    }

    /// The cost of compressors, compared with all savings.
    fn compressors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fetch { calls, tokens } = self.0.compressors;
        if calls == 0 {
            return Ok(());
        }
        let cost = self.cost().saturating_add(tokens);
        write!(f, "\n  {} to the external compressor took {} tokens", many(calls, "call"), grouped(tokens))?;
        let TokenChange { before, after } = self.0.whole;
        let all = after.saturating_add(usize::try_from(cost).unwrap_or(usize::MAX));
        write!(f, " (at its own price); including these, {}", change(TokenChange { before, after: all }))
    }

    /// States whether the bill fell, based on reported usage and known prices. Empty if the provider reports no usage.
    fn bill(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BillSums { billed, sums, .. } = &self.1;
        let RequestSums { priced, cost, usage: tokens, .. } = sums;
        let untold = self.1.untold();
        if *billed == 0 {
            return Ok(());
        }
        write!(f, "\n  counted by the provider: {} tokens read", grouped(tokens.read()))?;
        if tokens.cache_read > 0 {
            write!(f, " ({} from its cache)", grouped(tokens.cache_read))?;
        }
        write!(f, ", {} written", grouped(tokens.output))?;
        if untold > 0 {
            write!(f, "; no usage reported for {}", many(untold, "request"))?;
        }
        if *priced > 0 {
            write!(f, "\n  estimated bill: {}", fallen(*cost))?;
        }
        let unpriced = billed - priced.min(billed);
        if unpriced > 0 {
            let without = if *priced > 0 { "; " } else { "\n  bill: " };
            write!(f, "{without}no known price for {}", many(unpriced, "request"))?;
        }
        Ok(())
    }

    /// How much of the account's windows is used, and how far each rose meanwhile, whoever caused it.
    fn limits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let window = |rise: &LimitRise| {
            let (used, risen) = (percent(rise.latest.used), points(rise.risen));
            let points = if risen == "1" { "point" } else { "points" };
            format!("{} window: {used} used, up {risen} {points} since the start", rise.latest.kind)
        };
        let windows: Vec<_> = self.1.limits.iter().map(window).collect();
        if windows.is_empty() { Ok(()) } else { write!(f, "\n  {}", windows.join("; ")) }
    }

    /// The requests that are not included in any of these sums.
    fn others(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { failed, unread, .. } = self.0;
        if failed > 0 {
            write!(f, "\n  {} not counted{}", many(failed, "failed request"), self.failures())?;
        }
        if unread > 0 {
            write!(f, "\n  {} forwarded unread, not counted", many(unread, "request"))?;
        }
        Ok(())
    }
}

impl Savings {
    /// The failed requests by status. Requests that the client cancelled have no status.
    fn failures(&self) -> String {
        let failed = &self.1.failed;
        let one = |(status, count): (&u16, &u64)| format!("{} with status {status}", grouped(count));
        let rest = self.0.failed.saturating_sub(failed.values().sum());
        let rest = (rest > 0).then(|| format!("{} unanswered", grouped(rest)));
        let all: Vec<_> = failed.iter().map(one).chain(rest).collect();
        format!(": {}", all.join(", "))
    }
}

/// The amount paid, and the amount that would have been paid without compression.
fn fallen(cost: RequestCost) -> String {
    let RequestCost { paid, without } = cost;
    let whole = |nanodollars: u64| usize::try_from(nanodollars).unwrap_or(usize::MAX);
    let said = format!("{} instead of {}", dollars(paid), dollars(without));
    if paid > without {
        let grown = Share::saved(whole(without), whole(paid)).to_string();
        return format!("{said}, {} more", grown.trim_start_matches('-'));
    }
    format!("{said}, {} less", Share::saved(whole(without), whole(paid)))
}

/// Formats an amount to the hundredth of a cent.
fn dollars(nanodollars: u64) -> String {
    let parts = nanodollars.saturating_add(50_000) / 100_000;
    format!("${}.{:04}", grouped(parts / 10_000), parts % 10_000)
}

/// Describes by how much something costs less or more.
fn change(tally: TokenChange) -> String {
    let TokenChange { before, after } = tally;
    if after > before {
        return format!("{} tokens added to {}", grouped(after - before), grouped(before));
    }
    let share = Share::saved(before, after);
    format!("{} of {} tokens saved, {share}", grouped(before - after), grouped(before))
}

#[cfg(test)]
mod tests {

    use super::*;
    use tersely_account::{LimitKind, LimitState, LimitUse, TokenUsage};

    fn check(totals: Totals, line: &str) {
        assert_eq!(Savings::new(totals, BillSums::default()).to_string(), line);
    }

    #[test]
    fn a_bill_is_an_estimate_and_says_what_it_does_not_know() {
        let read = TokenUsage { input: 1_000, cache_read: 90_000, output: 500, ..TokenUsage::default() };
        let sums = RequestSums {
            requests: 6,
            failed: 2,
            usage: read,
            priced: 2,
            cost: RequestCost { paid: 410_000_000, without: 470_000_000 },
            ..RequestSums::default()
        };
        let bill = BillSums { sums, billed: 3, failed: [(429, 2)].into(), ..BillSums::default() };
        let said = |bill| Savings::new(Totals { failed: 3, ..totals(4, 1_000, 900) }, bill).to_string();
        assert_eq!(
            said(bill.clone()),
            "4 requests: 100 of 1,000 tokens saved, 10.0 %\
             \n  counted by the provider: 91,000 tokens read (90,000 from its cache), 500 written; \
             no usage reported for 1 request\
             \n  estimated bill: $0.4100 instead of $0.4700, 12.8 % less; no known price for 1 request\
             \n  3 failed requests not counted: 2 with status 429, 1 unanswered"
        );
        let more = RequestCost { paid: 1_234_567_890_000, without: 1_000_000_000_000 };
        let said =
            said(BillSums { sums: RequestSums { requests: 4, cost: more, ..sums }, billed: 2, ..bill });
        assert!(
            said.contains("\n  estimated bill: $1,234.5679 instead of $1,000.0000, 23.5 % more\n"),
            "{said}"
        );
    }

    /// Others may use the account, too, so nobody says that this run used it.
    #[test]
    fn windows_are_shown_with_what_they_rose() {
        let rise = |kind, used, risen| LimitRise {
            latest: LimitUse { kind, used, resets: None, state: LimitState::Allowed },
            risen,
        };
        let limits = vec![rise(LimitKind::FIVE_HOURS, 4_250, 730), rise(LimitKind::SEVEN_DAYS, 1_800, 100)];
        let said =
            Savings::new(totals(1, 1_000, 900), BillSums { limits, ..BillSums::default() }).to_string();
        assert_eq!(
            said,
            "1 request: 100 of 1,000 tokens saved, 10.0 %\
             \n  5h window: 42.5 % used, up 7.3 points since the start; \
             7d window: 18 % used, up 1 point since the start"
        );
    }

    #[test]
    fn where_no_price_is_known_there_is_no_bill() {
        let sums = RequestSums { requests: 1, ..RequestSums::default() };
        let bill = BillSums { sums, billed: 1, ..BillSums::default() };
        let said = Savings::new(totals(1, 1_000, 900), bill).to_string();
        assert!(
            said.ends_with(
                "\n  counted by the provider: 0 tokens read, 0 written\n  bill: no known price for 1 request"
            ),
            "{said}"
        );
    }

    fn totals(requests: u64, before: usize, after: usize) -> Totals {
        Totals { requests, whole: TokenChange { before, after }, ..Totals::default() }
    }

    #[test]
    fn all_tokens_come_first_and_then_those_of_tool_results() {
        check(totals(1, 0, 0), "1 request: 0 of 0 tokens saved, 0.0 %");
        let fresh = TokenChange { before: 18_420, after: 9_120 };
        check(
            Totals { fresh, tool: 1_092, ..totals(12, 156_917, 153_555) },
            "12 requests: 3,362 of 156,917 tokens saved, 2.1 % (added tool: 1,092)\
             \n  tool results, counted once each: 9,300 of 18,420 tokens saved, 50.5 %",
        );
    }

    #[test]
    fn what_would_have_been_saved_is_apart() {
        let would = TokenChange { before: 1_000, after: 700 };
        check(
            Totals { untouched: 2, would, ..totals(2, 1_000, 1_000) },
            "2 requests: 0 of 1,000 tokens saved, 0.0 %\
             \n  2 requests sent unchanged: 300 of 1,000 tokens would have been saved, 30.0 %",
        );
    }

    #[test]
    fn what_grew_is_said_to_have_grown() {
        check(
            Totals { tool: 91, ..totals(1, 115, 206) },
            "1 request: 91 tokens added to 115 (added tool: 91)",
        );
    }

    #[test]
    fn what_failed_is_apart() {
        check(
            Totals { failed: 5, unread: 1, ..totals(2, 1_000, 900) },
            "2 requests: 100 of 1,000 tokens saved, 10.0 %\
             \n  5 failed requests not counted: 5 unanswered\
             \n  1 request forwarded unread, not counted",
        );
    }

    #[test]
    fn what_was_fetched_back_counts_against_it() {
        let fetched = [("cargo", Fetch { calls: 2, tokens: 1850 })].into();
        let stages = [("cargo", 18_000), ("json", 800)].into();
        check(
            Totals { fetched, stages, rounds: 5200, ..totals(12, 40_100, 21_300) },
            "12 requests: 18,800 of 40,100 tokens saved, 46.9 %\
             \n  2 expansions fetched back 1,850 tokens and cost 5,200 tokens to read; 33.9 % saved overall",
        );
    }

    #[test]
    fn what_a_compressor_cost_counts_against_it() {
        let compressors = Fetch { calls: 3, tokens: 2_500 };
        check(
            Totals { compressors, ..totals(12, 40_000, 30_000) },
            "12 requests: 10,000 of 40,000 tokens saved, 25.0 %\
             \n  3 calls to the external compressor took 2,500 tokens (at its own price); including these, 7,500 of 40,000 tokens saved, 18.8 %",
        );
    }

    #[test]
    fn a_stage_that_does_not_pay_is_named() {
        let one = Fetch { calls: 1, tokens: 100 };
        let fetched = [("cargo", one), ("git", one), (ELSEWHERE, one)].into();
        let stages = [("cargo", 100), ("git", 99)].into();
        check(
            Totals { fetched, stages, ..totals(3, 1000, 801) },
            "3 requests: 199 of 1,000 tokens saved, 19.9 %\
             \n  3 expansions fetched back 300 tokens and cost 300 tokens to read; -10.1 % saved overall\
             \n  git does not pay off: it saved 99 tokens, but fetching text back cost 100; \
             to turn it off for a tool, set rules: [{tool: NAME, loss: form}]",
        );
    }
}

//! Lays out the requests of a session and the breaks of its cache.

use tersely_account::{BreakCause, BreakOwner, PromptBreak, ShownName};
use tersely_history::{BreakTotal, HistoryError, HistoryView, SeenRequest};
use tersely_terminal::number::many;
use tersely_terminal::table::align;

use crate::command::stats::{money, tokens};

/// The maximum number of requests that are shown.
const MAX_REQUESTS: usize = 200;

/// A session, and all breaks that are recorded.
pub(super) struct WhyReport {
    session: u64,
    turns: Vec<SeenRequest>,
    own: Vec<BreakTotal>,
    all: Vec<BreakTotal>,
}

impl WhyReport {
    /// Reads the report from the history.
    pub(super) fn read(view: &HistoryView, session: u64) -> Result<Self, HistoryError> {
        Ok(Self {
            session,
            turns: view.turns(session, MAX_REQUESTS)?,
            own: view.breaks(Some(session))?,
            all: view.breaks(None)?,
        })
    }

    /// The page; `now` is in milliseconds since 1970.
    pub(super) fn page(&self, now: u64) -> String {
        let last = self.turns.last();
        let words = last.map(|it| [&it.client, &it.project, &it.model].map(Clone::clone)).unwrap_or_default();
        let words: Vec<_> = words.into_iter().flatten().collect();
        let head = format!("session {:016x} · {}", self.session, words.join(" · "));
        let own = format!("{head}\n\n{}\n\n{}\n", self.table(now), self.sentence());
        if self.all.is_empty() { own } else { format!("{own}\n{}\n", summary(&self.all)) }
    }

    /// The requests. If there are several conversations, such as those of sub-agents, each has a number.
    fn table(&self, now: u64) -> String {
        let mut conversations: Vec<u64> = Vec::new();
        let mut rows = vec![
            ["", "conversation", "read", "written", "full price", "cache break"].map(str::to_owned).to_vec(),
        ];
        for turn in &self.turns {
            let place = turn.prompt.conversation.map(|number| {
                let known = conversations.iter().position(|it| *it == number);
                // An older conversation may have started before what is shown.
                let is_first = known.is_none() && self.turns.len() < MAX_REQUESTS;
                if known.is_none() {
                    conversations.push(number);
                }
                (known.unwrap_or(conversations.len() - 1), is_first)
            });
            rows.push(row(now, turn, place));
        }
        if conversations.len() < 2 {
            for row in &mut rows {
                row.remove(1);
            }
            return align("rrrrl", &rows);
        }
        align("rrrrrl", &rows)
    }

    fn sentence(&self) -> String {
        let breaks: u64 = self.own.iter().map(|it| it.breaks).sum();
        if breaks == 0 {
            return format!("{}: no cache breaks.", many(self.turns.len() as u64, "request"));
        }
        let lost = self.own.iter().map(|it| it.lost).sum();
        let cost = self.own.iter().map(|it| it.cost).sum();
        format!("{} in this session{}.", many(breaks, "cache break"), price(Some(lost), Some(cost)))
    }
}

/// A line of the table; `place` is the number of the conversation, from 0, and whether this is its first request.
fn row(now: u64, turn: &SeenRequest, place: Option<(usize, bool)>) -> Vec<String> {
    let used = turn.billed.map(|it| [it.cache_read, it.cache_write, it.input].map(amount));
    let [read, written, full] = used.unwrap_or_else(|| ["–"; 3].map(str::to_owned));
    let found = turn.cache_break.as_ref().map(sentence);
    let said = turn.prompt.diagnosis.as_ref().filter(|said| found.is_some() || said.is_conclusive());
    let said = said.map(|said| format!("the provider says: {said}"));
    let begun = match place {
        Some((0, _)) | None => None,
        Some((_, is_first)) => (is_first && found.is_none()).then(|| "starts a conversation".to_owned()),
    };
    let found = found.or(begun).into_iter().chain(said).collect::<Vec<_>>().join(" · ");
    let number = place.map(|(number, _)| (number + 1).to_string()).unwrap_or_default();
    vec![ago(now.saturating_sub(turn.at) / 1_000), number, read, written, full, found]
}

/// The break, its owner and its cost.
fn sentence(found: &PromptBreak) -> String {
    let server = found.server.as_ref().map(ShownName::as_str);
    format!("{found} · {}{}", whose(found.owner, server), price(found.lost, found.cost))
}

fn price(lost: Option<u64>, cost: Option<u64>) -> String {
    let lost = lost.filter(|lost| *lost > 0).map(|lost| format!(" · {} tokens paid again", amount(lost)));
    let cost = cost.filter(|cost| *cost > 0).map(|cost| format!(", about {}", money(signed(cost))));
    format!("{}{}", lost.unwrap_or_default(), cost.unwrap_or_default())
}

fn summary(sums: &[BreakTotal]) -> String {
    let mut rows =
        vec![["all sessions", "breaks", "tokens", "about", "what helps"].map(str::to_owned).to_vec()];
    for sum in sums {
        let whose = whose(sum.owner, sum.server.as_deref());
        let name = format!("{whose}: {}", sum.cause.words());
        let about = if sum.cost == 0 { "–".to_owned() } else { money(signed(sum.cost)) };
        rows.push(vec![name, sum.breaks.to_string(), amount(sum.lost), about, advice(sum).to_owned()]);
    }
    align("lrrrl", &rows)
}

fn whose(owner: BreakOwner, server: Option<&str>) -> String {
    match (owner, server) {
        (BreakOwner::Mcp, Some(server)) => format!("MCP server {server}"),
        (BreakOwner::Mcp, None) => "an MCP server".to_owned(),
        (BreakOwner::Client, _) => "client".to_owned(),
        (BreakOwner::Person, _) => "you".to_owned(),
        (BreakOwner::Provider, _) => "provider".to_owned(),
        (BreakOwner::Us, _) => "Tersely".to_owned(),
    }
}

/// What would avoid these breaks.
fn advice(sum: &BreakTotal) -> &'static str {
    match (sum.owner, sum.cause) {
        (_, BreakCause::Cleared | BreakCause::Compacted) => "no action needed: later requests are shorter",
        (_, BreakCause::ClearingLost) => "share one store among replicas, or set `clear` to `off`",
        (BreakOwner::Us, _) => "please report this bug",
        (BreakOwner::Mcp, _) => "keep the server connected, or remove it from this project",
        (_, BreakCause::Model | BreakCause::Effort | BreakCause::Thinking) => {
            "change it only at the start of a session"
        }
        (_, BreakCause::Idle) => {
            "compact before a pause, start a new session after it, or set `clear` to `cold`"
        }
        (_, BreakCause::SystemDate | BreakCause::SystemGit) => {
            "remove the changing text from the system prompt, if the client lets you"
        }
        (BreakOwner::Provider, _) => "no action possible on your side",
        _ => "update the client, or report the problem to its developers",
    }
}

/// Formats a time that has passed.
fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

fn amount(number: u64) -> String {
    tokens(signed(number))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use tersely_account::{CacheDiagnosis, TokenUsage};
    use tersely_history::SeenPrompt;

    use super::*;

    #[test]
    fn conversations_side_by_side_have_numbers() {
        let turn = |conversation| SeenRequest {
            billed: Some(TokenUsage { cache_read: 7, ..TokenUsage::default() }),
            prompt: SeenPrompt { conversation: Some(conversation), diagnosis: None },
            ..SeenRequest::default()
        };
        let page = |numbers: &[u64]| {
            let turns = numbers.iter().copied().map(turn).collect();
            WhyReport { session: 7, turns, own: Vec::new(), all: Vec::new() }.table(5_000)
        };
        let expected = "         conversation  read  written  full price  cache break\n\
            5 s ago             1     7        0           0\n\
            5 s ago             2     7        0           0  starts a conversation\n\
            5 s ago             1     7        0           0\n\
            5 s ago             2     7        0           0";
        assert_eq!(page(&[90, 91, 90, 91]), expected);
        assert!(!page(&[90, 90]).contains("conversation"), "there is only one");
    }

    /// The provider's word is shown beside ours, or alone if it says anything.
    #[test]
    fn the_provider_is_heard_too() {
        let said = |reason: &str| {
            let prompt = SeenPrompt { conversation: None, diagnosis: CacheDiagnosis::of(reason, None) };
            row(0, &SeenRequest { prompt, ..SeenRequest::default() }, None).pop()
        };
        assert_eq!(said("system_changed").as_deref(), Some("the provider says: system changed"));
        assert_eq!(said("unavailable").as_deref(), Some(""));
    }

    #[test]
    fn a_page_says_what_was_read_and_what_broke_the_cache() {
        let found = PromptBreak {
            cause: BreakCause::ToolAdded,
            place: Some(37),
            line: None,
            tool: ShownName::of("mcp__files__new"),
            owner: BreakOwner::Mcp,
            server: ShownName::of("files"),
            lost: Some(81_200),
            cost: Some(410_000_000),
        };
        let billed = TokenUsage { cache_write: 83_000, ..TokenUsage::default() };
        let turn = SeenRequest {
            at: 1_000,
            client: Some("claude-code".to_owned()),
            billed: Some(billed),
            cache_break: Some(found),
            ..SeenRequest::default()
        };
        let sum = BreakTotal {
            owner: BreakOwner::Mcp,
            server: Some("files".to_owned()),
            cause: BreakCause::ToolAdded,
            breaks: 1,
            lost: 81_200,
            cost: 410_000_000,
        };
        let report = WhyReport { session: 7, turns: vec![turn], own: vec![sum.clone()], all: vec![sum] };
        let expected = "session 0000000000000007 · claude-code\n\n\
            \x20          read  written  full price  cache break\n\
            3 min ago     0   83.0 k           0  tool 37 added: mcp__files__new · MCP server files · \
            81.2 k tokens paid again, about $0.41\n\n\
            1 cache break in this session · 81.2 k tokens paid again, about $0.41.\n\n\
            all sessions                  breaks  tokens  about  what helps\n\
            MCP server files: tool added       1  81.2 k  $0.41  keep the server connected, or remove it from \
            this project\n";
        assert_eq!(report.page(181_000), expected);
        let quiet = WhyReport { session: 7, turns: Vec::new(), own: Vec::new(), all: Vec::new() };
        assert!(quiet.page(0).ends_with("0 requests: no cache breaks.\n"));
    }
}

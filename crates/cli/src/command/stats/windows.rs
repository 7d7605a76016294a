//! Shows how much of an account's windows is used, and what each session used of them.

use std::time::{SystemTime, UNIX_EPOCH};

use tersely_account::LimitKind;
use tersely_history::{SeenLimit, SeenSession};
use tersely_terminal::number::many;

use crate::command::stats::block::StatsBlock;
use crate::limit::{percent, points};

/// Seconds in a minute, an hour and a day.
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A sentence for each window that a provider reported and that is still open.
pub(super) fn sentences(limits: &[SeenLimit]) -> Vec<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let window = |seen: &SeenLimit| {
        let resets = seen.limit.resets.map(|at| format!(", resets in {}", wait(at.saturating_sub(now))));
        let resets = resets.unwrap_or_default();
        format!("{} window: {} used{resets}", seen.limit.kind, percent(seen.limit.used))
    };
    limits.iter().map(window).collect()
}

/// The list of sessions with the points that each used; `None` if no session has any.
pub(super) fn block(sessions: &[SeenSession]) -> Option<StatsBlock> {
    let counted = sessions.iter().filter(|session| !session.limits.is_empty());
    let rows: Vec<_> = counted.map(row).collect();
    (!rows.is_empty()).then_some(StatsBlock { title: "session (points)", columns: ["5h", "7d"], rows })
}

fn row(session: &SeenSession) -> [String; 3] {
    let [client, project, ..] = &session.whose;
    let name = project.as_ref().or(client.as_ref()).map_or("(unknown)", String::as_str);
    let [five, seven] = [LimitKind::FIVE_HOURS, LimitKind::SEVEN_DAYS].map(|kind| {
        let limit = session.limits.iter().find(|limit| limit.rise.latest.kind == kind);
        limit.map_or("–".to_owned(), |limit| {
            format!("{}{}", if limit.is_shared { "≤" } else { "" }, points(limit.rise.risen))
        })
    });
    [format!("{name}, {}", many(session.turns, "turn")), five, seven]
}

/// Formats a time until something happens.
fn wait(seconds: u64) -> String {
    match seconds {
        0..HOUR => format!("{} min", seconds.div_ceil(MINUTE)),
        HOUR..DAY => format!("{} h {} min", seconds / HOUR, seconds % HOUR / MINUTE),
        _ => format!("{} d {} h", seconds / DAY, seconds % DAY / HOUR),
    }
}

#[cfg(test)]
mod tests {
    use tersely_account::{LimitRise, LimitState, LimitUse};
    use tersely_history::SessionLimit;

    use super::*;

    #[test]
    fn a_session_says_what_it_used_or_what_it_used_at_most() {
        let limit = |kind, risen, is_shared| SessionLimit {
            rise: LimitRise {
                latest: LimitUse { kind, used: 4_250, resets: None, state: LimitState::Unknown },
                risen,
            },
            is_shared,
        };
        let session = SeenSession {
            turns: 12,
            whose: [Some("claude-code".to_owned()), Some("shop".to_owned()), None, None],
            limits: vec![limit(LimitKind::FIVE_HOURS, 730, true)],
            ..SeenSession::default()
        };
        assert_eq!(row(&session), ["shop, 12 turns", "≤7.3", "–"]);
        assert!(block(&[SeenSession::default()]).is_none());
        let nameless = SeenSession { turns: 1, whose: [const { None }; 4], ..session };
        assert_eq!(row(&nameless)[0], "(unknown), 1 turn");
        assert_eq!(block(&[nameless]).map(|block| block.rows.len()), Some(1));
        assert_eq!([59, 3_600, 90_000].map(wait), ["1 min", "1 h 0 min", "1 d 1 h"]);
    }

    #[test]
    fn a_window_says_when_it_resets_if_that_is_known() {
        let seen = |resets| SeenLimit {
            limit: LimitUse { kind: LimitKind::Window(90), used: 9_999, resets, state: LimitState::Unknown },
            at: 0,
        };
        assert_eq!(
            sentences(&[seen(None), seen(Some(5))]),
            ["90m window: 100 % used", "90m window: 100 % used, resets in 0 min"]
        );
        assert!(sentences(&[]).is_empty());
    }

    /// A wait is rounded up as long as minutes count, so that nobody comes back too early.
    #[test]
    fn a_wait_is_told_in_the_units_that_matter() {
        for (seconds, expected) in [
            (0, "0 min"),
            (1, "1 min"),
            (61, "2 min"),
            (3_599, "60 min"),
            (86_399, "23 h 59 min"),
            (86_400, "1 d 0 h"),
            (u64::MAX, "213503982334601 d 7 h"),
        ] {
            assert_eq!(wait(seconds), expected);
        }
    }
}

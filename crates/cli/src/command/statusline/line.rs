//! Writes the line.

use tersely_account::LimitUse;

use crate::command::stats::{share, tokens};
use crate::command::statusline::input::ClientState;
use crate::limit::{percent, points};

/// What the line says, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct StatusParts {
    /// Tokens of the session as received and as sent, and the tokens that fetching back cost.
    pub(super) tokens: Option<[u64; 3]>,
    /// The part of the context window that is left, in hundredths of a percent.
    context_left: Option<u32>,
    /// The account's windows, and what this session used of each: hundredths of a percent, and whether others used it
    /// meanwhile.
    pub(super) limits: Vec<(LimitUse, Option<(u32, bool)>)>,
    /// The last cache break, and why.
    pub(super) cache_break: Option<String>,
    /// The last cache break as the client reports it.
    reported_break: Option<(u64, Option<&'static str>)>,
}

impl StatusParts {
    /// What the client itself says.
    pub(super) fn of(client: &ClientState) -> Self {
        Self {
            context_left: client.context_left,
            limits: client.limits.iter().map(|limit| (*limit, None)).collect(),
            reported_break: client.cache_break,
            ..Self::default()
        }
    }

    /// The line; empty if nothing is known. `now` is in seconds since 1970.
    pub(super) fn line(&self, now: u64) -> String {
        let saved = self.tokens.map(saving_text);
        let context = self.context_left.map(|left| format!("context {} left", percent(left)));
        let open = self.limits.iter().filter(|(limit, _)| limit.resets.is_none_or(|resets| resets > now));
        let windows = open.map(|(limit, used)| window(limit, *used));
        let reported = self.reported_break.map(|(at, why)| report_break(now.saturating_sub(at), why));
        let broken = self.cache_break.clone().or(reported);
        let parts: Vec<_> = saved.into_iter().chain(context).chain(windows).chain(broken).collect();
        if parts.is_empty() { String::new() } else { format!("tersely: {}", parts.join(" · ")) }
    }
}

fn saving_text([before, after, fetched]: [u64; 3]) -> String {
    let wide = i128::from(before) - i128::from(after) - i128::from(fetched);
    let saved = i64::try_from(wide).unwrap_or(if wide < 0 { i64::MIN } else { i64::MAX });
    let what = if saved < 0 { "added" } else { "saved" };
    let size = saved.saturating_abs();
    format!("{} {what} ({})", tokens(size), share(size, before))
}

/// Such as `5h 42 % (+7)`; `(≤7)` if other sessions used the window meanwhile.
fn window(limit: &LimitUse, used: Option<(u32, bool)>) -> String {
    let own = match used {
        Some((risen, is_shared)) if risen > 0 => {
            format!(" ({}{})", if is_shared { '≤' } else { '+' }, points(risen))
        }
        _ => String::new(),
    };
    format!("{} {}{own}", limit.kind, percent(limit.used))
}

/// A break of the cache, when it was and why.
pub(super) fn report_break(seconds: u64, why: Option<&str>) -> String {
    let ago = match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    };
    why.map_or_else(|| format!("cache break {ago}"), |why| format!("cache break {ago}: {why}"))
}

#[cfg(test)]
mod tests {
    use tersely_account::{LimitKind, LimitState};

    use super::*;

    fn limit(kind: LimitKind, used: u32, resets: u64) -> LimitUse {
        LimitUse { kind, used, resets: Some(resets), state: LimitState::Unknown }
    }

    #[test]
    fn a_line_says_what_is_known() {
        let mut parts = StatusParts::default();
        assert_eq!(parts.line(1_000), "");
        parts.context_left = Some(7_100);
        parts.reported_break = Some((820, Some("tools changed")));
        assert_eq!(parts.line(1_000), "tersely: context 71 % left · cache break 3 min ago: tools changed");
        parts.tokens = Some([100_000, 87_700, 0]);
        parts.limits = vec![
            (limit(LimitKind::FIVE_HOURS, 4_250, 2_000), Some((730, false))),
            (limit(LimitKind::SEVEN_DAYS, 1_800, 9_000), Some((100, true))),
            (limit(LimitKind::Window(60), 9_900, 999), None),
        ];
        parts.cache_break = Some("cache break 1 min ago: tool 37 added".to_owned());
        assert_eq!(
            parts.line(1_000),
            "tersely: 12.3 k saved (12.3 %) · context 71 % left · 5h 42.5 % (+7.3) · 7d 18 % (≤1) · \
             cache break 1 min ago: tool 37 added"
        );
    }

    #[test]
    fn what_was_added_is_not_called_saved() {
        assert_eq!(saving_text([1_000, 1_075, 0]), "75 added (7.5 %)");
        assert_eq!(saving_text([0, 0, 0]), "0 saved (–)");
        assert!(saving_text([u64::MAX, 0, 0]).contains("saved"));
        assert_eq!(
            (report_break(0, None), report_break(7_300, None)),
            ("cache break just now".to_owned(), "cache break 2 h ago".to_owned())
        );
    }

    /// A window that has ended says nothing about the next one, and points are a session's own only if it used some.
    #[test]
    fn windows_are_shown_while_they_are_open() {
        let line = |limit: LimitUse, used| {
            StatusParts { limits: vec![(limit, used)], ..StatusParts::default() }.line(1_000)
        };
        let five = |resets| limit(LimitKind::FIVE_HOURS, 4_200, resets);
        assert_eq!((line(five(999), None), line(five(1_000), None)), (String::new(), String::new()));
        assert_eq!(line(five(1_001), Some((0, true))), "tersely: 5h 42 %");
        let endless = LimitUse { resets: None, ..five(0) };
        assert_eq!(line(endless, Some((1, false))), "tersely: 5h 42 % (+0)");
        assert_eq!(line(limit(LimitKind::Tokens, 100_000, u64::MAX), None), "tersely: tokens 1000 %");
    }

    #[test]
    fn a_break_is_as_old_as_it_is() {
        for (seconds, ago) in [
            (59, "just now"),
            (60, "1 min ago"),
            (3_599, "59 min ago"),
            (3_600, "1 h ago"),
            (172_799, "47 h ago"),
            (172_800, "2 days ago"),
        ] {
            assert_eq!(report_break(seconds, None), format!("cache break {ago}"));
        }
        let future = StatusParts { reported_break: Some((u64::MAX, None)), ..StatusParts::default() };
        assert_eq!(future.line(5), "tersely: cache break just now", "clocks differ");
    }
}

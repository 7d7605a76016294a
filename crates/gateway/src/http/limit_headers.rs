//! Reads from a response's headers how much of an account's limits is used. Only numbers and known words are read.
//!
//! Gemini's and Bedrock's responses have no such headers.

use std::time::{SystemTime, UNIX_EPOCH};

use http::header::{HeaderMap, HeaderName};
use tersely_account::{LimitKind, LimitState, LimitUse, MAX_LIMITS};

/// The largest use that is recorded, in hundredths of a percent: a hundred times the limit.
const MAX_USED: f64 = 1_000_000.0;

/// The longest window that is recorded, in minutes: a year.
const MAX_MINUTES: u32 = 366 * 24 * 60;

/// Anthropic's windows for subscriptions, by their name in headers.
const UNIFIED: [(&str, LimitKind); 2] = [("5h", LimitKind::FIVE_HOURS), ("7d", LimitKind::SEVEN_DAYS)];

/// The windows of Codex; the headers say how long each is.
const CODEX: [&str; 2] = ["primary", "secondary"];

/// Limits of API keys: what is counted, and the headers for the limit, the rest and the reset.
const KEYS: [(LimitKind, [&str; 3]); 4] = [
    (
        LimitKind::Tokens,
        ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
    ),
    (
        LimitKind::Requests,
        ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
    ),
    (
        LimitKind::Tokens,
        [
            "anthropic-ratelimit-tokens-limit",
            "anthropic-ratelimit-tokens-remaining",
            "anthropic-ratelimit-tokens-reset",
        ],
    ),
    (
        LimitKind::Requests,
        [
            "anthropic-ratelimit-requests-limit",
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
        ],
    ),
];

/// The limits that the headers report, each kind once.
pub(crate) fn read(now: SystemTime, headers: &HeaderMap) -> Vec<LimitUse> {
    let is_limit = |name: &HeaderName| name.as_str().contains("ratelimit") || name.as_str().contains("codex");
    if !headers.keys().any(is_limit) {
        return Vec::new();
    }
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let unified = UNIFIED.iter().filter_map(|(name, kind)| unified(headers, name, *kind));
    let codex = CODEX.iter().filter_map(|name| codex(now, headers, name));
    let keys = KEYS.iter().filter_map(|(kind, names)| key(now, headers, *kind, names));
    let mut found: Vec<LimitUse> = Vec::new();
    for limit in unified.chain(codex).chain(keys) {
        if found.len() < MAX_LIMITS && found.iter().all(|known| known.kind != limit.kind) {
            found.push(limit);
        }
    }
    found
}

/// One of Anthropic's windows; the use is a fraction.
fn unified(headers: &HeaderMap, name: &str, kind: LimitKind) -> Option<LimitUse> {
    let header = |end: &str| text(headers, &format!("anthropic-ratelimit-unified-{name}-{end}"));
    Some(LimitUse {
        kind,
        used: hundredths(header("utilization")?.parse::<f64>().ok()? * 100.0)?,
        resets: header("reset").and_then(moment),
        state: header("status").map(LimitState::of_name).unwrap_or_default(),
    })
}

/// One of Codex's windows; the use is in percent.
fn codex(now: u64, headers: &HeaderMap, name: &str) -> Option<LimitUse> {
    let header = |end: &str| text(headers, &format!("x-codex-{name}-{end}"));
    let minutes: u32 = header("window-minutes")?.parse().ok()?;
    let left = || header("reset-after-seconds").and_then(|seconds| seconds.parse::<u64>().ok());
    (1..=MAX_MINUTES).contains(&minutes).then_some(())?;
    Some(LimitUse {
        kind: LimitKind::Window(minutes),
        used: hundredths(header("used-percent")?.parse().ok()?)?,
        resets: header("reset-at").and_then(moment).or_else(|| now.checked_add(left()?)),
        state: LimitState::Unknown,
    })
}

/// A limit of an API key, from what remains of it.
fn key(now: u64, headers: &HeaderMap, kind: LimitKind, names: &[&str; 3]) -> Option<LimitUse> {
    let [limit, remaining, reset] = names.map(|name| text(headers, name));
    let count = |text: &str| text.parse::<f64>().ok().filter(|count| *count >= 0.0);
    let (limit, remaining) = (count(limit?)?, count(remaining?)?);
    let used = hundredths((limit - remaining).max(0.0) * 100.0 / limit)?;
    let resets = reset.and_then(|reset| moment(reset).or_else(|| now.checked_add(duration(reset)?)));
    Some(LimitUse { kind, used, resets, state: LimitState::Unknown })
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// A percentage in hundredths; `None` if it is negative or not a number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is checked")]
fn hundredths(percent: f64) -> Option<u32> {
    let all = (percent * 100.0).round();
    (0.0..).contains(&all).then(|| all.min(MAX_USED) as u32)
}

/// Seconds since 1970, from a number of seconds or from a date such as `2026-09-17T09:13:32Z`.
fn moment(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number of seconds that is left has fewer digits.
        return text.parse().ok().filter(|seconds| (1_000_000_000..100_000_000_000).contains(seconds));
    }
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time.split('.').next()?, ':')?;
    let is_valid = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    is_valid.then(|| days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let mut parts = text.split(between).map(|part| part.parse().ok());
    let all = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(all)
}

/// Days since 1970-01-01 in the Gregorian calendar, for years from 1970 on. A year begins in March here, so that the
/// leap day is its last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month < 3 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    (year * 365 + year / 4 - year / 100 + year / 400 + day_of_year).saturating_sub(719_468)
}

/// Seconds, from a duration such as `6m0s`, `1h2m3.5s` or `120ms`. Parts of a second are dropped.
fn duration(text: &str) -> Option<u64> {
    let mut seconds = 0_u64;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic())?;
        let (count, unit) = rest.split_at(end);
        let unit_end = unit.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(unit.len());
        let whole: u64 = count.split('.').next()?.parse().ok()?;
        let factor = match &unit[..unit_end] {
            "d" => 86_400,
            "h" => 3_600,
            "m" => 60,
            "s" => 1,
            "ms" | "us" | "ns" => 0,
            _ => return None,
        };
        seconds = seconds.checked_add(whole.checked_mul(factor)?)?;
        rest = &unit[unit_end..];
    }
    (!text.is_empty()).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: u64 = 1_789_000_000;

    fn found(
        headers: &[(&'static str, &'static str)],
    ) -> Vec<(String, u32, Option<u64>, Option<&'static str>)> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, http::HeaderValue::from_static(value));
        }
        let found = read(UNIX_EPOCH + Duration::from_secs(NOW), &map);
        found.iter().map(|it| (it.kind.to_string(), it.used, it.resets, it.state.name())).collect()
    }

    #[test]
    fn windows_of_a_claude_subscription() {
        assert_eq!(
            found(&[
                ("anthropic-ratelimit-unified-status", "allowed"),
                ("anthropic-ratelimit-unified-5h-status", "allowed_warning"),
                ("anthropic-ratelimit-unified-5h-utilization", "0.42"),
                ("anthropic-ratelimit-unified-5h-reset", "1789003600"),
                ("anthropic-ratelimit-unified-7d-status", "allowed"),
                ("anthropic-ratelimit-unified-7d-utilization", "1.0375"),
                ("anthropic-ratelimit-unified-7d-reset", "2026-09-17T09:13:32Z"),
                ("anthropic-ratelimit-unified-representative-claim", "five_hour"),
            ]),
            [
                ("5h".to_owned(), 4_200, Some(1_789_003_600), Some("allowed_warning")),
                ("7d".to_owned(), 10_375, Some(1_789_636_412), Some("allowed")),
            ]
        );
    }

    #[test]
    fn windows_of_a_codex_subscription() {
        let windows = [
            ("5h".to_owned(), 4_250, Some(NOW + 600), None),
            ("7d".to_owned(), 1_300, Some(1_789_500_000), None),
        ];
        assert_eq!(
            found(&[
                ("x-codex-primary-used-percent", "42.5"),
                ("x-codex-primary-window-minutes", "300"),
                ("x-codex-primary-reset-after-seconds", "600"),
                ("x-codex-secondary-used-percent", "13"),
                ("x-codex-secondary-window-minutes", "10080"),
                ("x-codex-secondary-reset-at", "1789500000"),
            ]),
            windows
        );
        assert_eq!(found(&[("x-codex-primary-used-percent", "42.5")]), [], "its length is unknown");
        let none = [("x-codex-primary-used-percent", "0"), ("x-codex-primary-window-minutes", "0")];
        assert_eq!(found(&none), [], "an account without a window");
    }

    #[test]
    fn limits_of_an_api_key() {
        assert_eq!(
            found(&[
                ("x-ratelimit-limit-tokens", "2000000"),
                ("x-ratelimit-remaining-tokens", "1500000"),
                ("x-ratelimit-reset-tokens", "1h6m2.5s"),
                ("anthropic-ratelimit-requests-limit", "50"),
                ("anthropic-ratelimit-requests-remaining", "49"),
                ("anthropic-ratelimit-requests-reset", "2026-09-17T09:13:32.5Z"),
            ]),
            [
                ("tokens".to_owned(), 2_500, Some(NOW + 3_962), None),
                ("requests".to_owned(), 200, Some(1_789_636_412), None),
            ]
        );
    }

    #[test]
    fn what_is_no_number_is_not_recorded() {
        for value in ["", "NaN", "-0.1", "inf", "-inf", "a secret", "0x10", "1e999", "0.4 2"] {
            let used = found(&[("anthropic-ratelimit-unified-5h-utilization", value)]);
            let most = [("5h".to_owned(), 1_000_000, None, None)];
            assert!(used.is_empty() || used == most, "{value}: {used:?}");
        }
        for value in [
            "",
            "soon",
            "99999999999999999999",
            "5",
            "2026-13-01T00:00:00Z",
            "2026-01-01",
            "1970-01-01T0:0:0",
        ] {
            let window = [
                ("anthropic-ratelimit-unified-5h-utilization", "0.5"),
                ("anthropic-ratelimit-unified-5h-reset", value),
                ("anthropic-ratelimit-unified-5h-status", "a word"),
            ];
            assert_eq!(found(&window), [("5h".to_owned(), 5_000, None, None)], "{value}");
        }
        for value in ["m", "5", "5x", "s5", "1.2.3", "99999999999999999999h", "999999999999999999h"] {
            assert_eq!(duration(value), None, "{value}");
        }
        let empty = [("x-ratelimit-limit-tokens", "0"), ("x-ratelimit-remaining-tokens", "0")];
        assert_eq!(found(&empty), []);
    }

    #[test]
    fn dates_are_counted_from_1970() {
        for (date, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2026-12-31T23:59:59Z", 1_798_761_599),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] {
            assert_eq!(moment(date), Some(seconds), "{date}");
        }
    }

    /// Walks through the calendar day by day.
    #[test]
    fn every_day_follows_the_day_before_it() {
        let mut count = 0;
        for year in 1970..2110_u64 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            for (month, length) in
                (1..).zip([31, 28 + u64::from(is_leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
            {
                for day in 1..=length {
                    assert_eq!(days(year, month, day), count, "{year}-{month}-{day}");
                    count += 1;
                }
            }
        }
        assert_eq!(moment("9999-12-31T23:59:60.123Z"), Some(253_402_300_800), "a leap second");
    }

    #[test]
    fn a_duration_is_the_sum_of_its_parts() {
        for (text, seconds) in [
            ("6m0s", 360),
            ("1h2m3.5s", 3_723),
            ("120ms", 0),
            ("2d1h", 176_400),
            ("0s", 0),
            ("59.999s", 59),
            ("1s500ms7us9ns", 1),
        ] {
            assert_eq!(duration(text), Some(seconds), "{text}");
        }
        for text in
            ["", "-5s", "1 h", "h1", "1h2", "1H", "١s", "1e3s", "18446744073709551616s", "213503982334602d"]
        {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    /// Of two reports of the same limit, that of the subscription counts; there are never more than are recorded.
    #[test]
    fn each_limit_is_reported_once() {
        let tokens = |found: &[(String, u32, Option<u64>, Option<&str>)]| {
            found.iter().filter(|(kind, ..)| kind == "tokens").map(|(_, used, ..)| *used).collect::<Vec<_>>()
        };
        let twice = found(&[
            ("anthropic-ratelimit-tokens-limit", "100"),
            ("anthropic-ratelimit-tokens-remaining", "10"),
            ("x-ratelimit-limit-tokens", "100"),
            ("x-ratelimit-remaining-tokens", "75"),
        ]);
        assert_eq!(tokens(&twice), [2_500]);
        let windows = found(&[
            ("anthropic-ratelimit-unified-5h-utilization", "0.1"),
            ("x-codex-primary-used-percent", "90"),
            ("x-codex-primary-window-minutes", "300"),
            ("x-codex-secondary-used-percent", "40"),
            ("x-codex-secondary-window-minutes", "300"),
        ]);
        assert_eq!(windows, [("5h".to_owned(), 1_000, None, None)]);
    }

    /// A limit that is exceeded, raised or not yet used.
    #[test]
    fn the_use_of_a_limit_stays_within_bounds() {
        for (limit, remaining, used) in [
            ("100", "100", Some(0)),
            ("100", "250", Some(0)),
            ("100", "0", Some(10_000)),
            ("3", "1", Some(6_667)),
            ("100", "-1", None),
            ("-100", "1", None),
            ("0", "5", None),
            ("inf", "5", None),
            ("NaN", "5", None),
            ("100", "", None),
        ] {
            let found =
                found(&[("x-ratelimit-limit-tokens", limit), ("x-ratelimit-remaining-tokens", remaining)]);
            assert_eq!(found.first().map(|(_, used, ..)| *used), used, "{remaining} of {limit}");
        }
        for minutes in ["0", "-300", "527041", "99999999999", "300.5", "five"] {
            let window = [("x-codex-primary-used-percent", "1"), ("x-codex-primary-window-minutes", minutes)];
            assert_eq!(found(&window), [], "{minutes}");
        }
        let late = [
            ("x-codex-primary-used-percent", "1"),
            ("x-codex-primary-window-minutes", "60"),
            ("x-codex-primary-reset-after-seconds", "18446744073709551615"),
        ];
        assert_eq!(found(&late), [("1h".to_owned(), 100, None, None)], "a time beyond all times");
    }
}

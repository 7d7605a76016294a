//! Parses the timestamps of histories.

use serde_json::Value;

/// Milliseconds since 1970, from a text such as `2026-02-19T08:37:32.962Z`, or from a number of milliseconds or
/// seconds.
pub(crate) fn milliseconds(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64()?;
            // Interpreted as seconds, this number would be in the year 5138.
            #[expect(clippy::cast_possible_truncation, reason = "saturates, and nobody lives then")]
            Some((if number < 1e11 { number * 1000.0 } else { number }) as i64)
        }
        Value::String(text) => stamp(text),
        _ => None,
    }
}

fn stamp(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let (time, shift) = zone(time)?;
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (parts.next()?.parse::<i64>().ok()?, parts.next()?.parse::<i64>().ok()?);
    let (seconds, rest) = parts.next().unwrap_or("0").split_once('.').unwrap_or((time.get(6..8)?, "0"));
    let thousandths: i64 = format!("{rest:0<3}").get(..3)?.parse().ok()?;
    let seconds: i64 = seconds.parse().ok()?;
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..=23).contains(&hour)
        && (0..=59).contains(&minute)
        && (0..=60).contains(&seconds);
    in_range.then(|| {
        (((days(year, month, day) * 24 + hour) * 60 + minute - shift) * 60 + seconds) * 1000 + thousandths
    })
}

/// Splits off the zone and returns its offset in minutes.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let sign = if time.as_bytes()[at] == b'-' { -1 } else { 1 };
    let (hours, minutes) = time[at + 1..].split_once(':')?;
    Some((&time[..at], sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?)))
}

/// Days since 1970. The calculation uses years that begin in March, so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_spelling() {
        let check = |text: &str, expected: Option<i64>| {
            assert_eq!(milliseconds(&Value::from(text)), expected, "{text}");
        };
        check("1970-01-01T00:00:00Z", Some(0));
        check("2026-02-19T08:37:32.962Z", Some(1_771_490_252_962));
        check("2026-02-19T09:37:32.962+01:00", Some(1_771_490_252_962));
        check("2026-02-19 08:37:32", Some(1_771_490_252_000));
        check("2024-02-29T12:00:00.5Z", Some(1_709_208_000_500));
        check("2026-13-01T00:00:00Z", None);
        check("yesterday", None);
        check("2026-02-19T08", None);
        assert_eq!(milliseconds(&Value::from(1_771_490_252)), Some(1_771_490_252_000));
        assert_eq!(milliseconds(&Value::from(1_771_490_252_962_i64)), Some(1_771_490_252_962));
        assert_eq!(milliseconds(&Value::Null), None);
    }
}

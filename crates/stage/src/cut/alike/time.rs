//! Finds durations in lines: `took 37ms`, `in 1.5 s`, `duration_ms=37`.

/// Units of time, in nanoseconds.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("sec", 1e9),
    ("seconds", 1e9),
    ("min", 6e10),
];

/// The longest duration in any of the lines, in the original spelling.
pub(super) fn longest(lines: &[&str]) -> Option<String> {
    let times = lines.iter().flat_map(|line| times(line));
    times.max_by(|(one, _), (two, _)| one.total_cmp(two)).map(|(_, said)| said)
}

/// The durations in a line, each in nanoseconds and as text.
fn times(line: &str) -> impl Iterator<Item = (f64, String)> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let length = bytes[at..].iter().take_while(|byte| is_number(**byte)).count();
            let from = at;
            at += length.max(1);
            if length > 0
                && bytes[from].is_ascii_digit()
                && let Some(time) = time(line, from, from + length)
            {
                return Some(time);
            }
        }
        None
    })
}

fn is_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// The duration given by the number in a range of the line. Its unit follows the number, or ends the name in front of
/// it.
fn time(line: &str, from: usize, end: usize) -> Option<(f64, String)> {
    let number = line[from..end].trim_end_matches('.');
    let (before, behind) = (&line[..from], &line[from + number.len()..]);
    if before.ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ':' | '-')) {
        return None;
    }
    let value: f64 = number.parse().ok()?;
    let spaced = behind.strip_prefix(' ');
    let unit = head(spaced.unwrap_or(behind));
    if let Some(size) = size(unit) {
        return Some((value * size, format!("{number}{}{unit}", if spaced.is_some() { " " } else { "" })));
    }
    let name = before.strip_suffix('=')?;
    let unit = tail(name).filter(|_| head(behind).is_empty())?;
    Some((value * size(unit)?, format!("{number}{unit}")))
}

fn size(unit: &str) -> Option<f64> {
    UNITS.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size)
}

/// The letters, digits and underscores at the start of a text.
fn head(text: &str) -> &str {
    &text[..text.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(text.len())]
}

/// The unit at the end of a name, as in `duration_ms`.
fn tail(name: &str) -> Option<&str> {
    let (_, unit) = name.rsplit_once('_')?;
    (unit.len() < name.len()).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_is_found_whatever_its_unit() {
        for (lines, expected) in [
            (&["took 37ms", "took 4ms"][..], Some("37ms")),
            (&["took 999 ms", "in 1.5 s."], Some("1.5 s")),
            (&["duration_ms=37 x", "duration_ms=1200"], Some("1200ms")),
            (&["latency=12ms, ok"], Some("12ms")),
            (&["(0.42s)", "[3 seconds]"], Some("3 seconds")),
            (&["12µs"], Some("12µs")),
            (&["10:00:05 s 2026-03-02 ms v1.2s 7 sheep a7ms 5m 3mb", "", "é", "1.", "."], None),
        ] {
            assert_eq!(longest(lines).as_deref(), expected, "{lines:?}");
        }
    }
}

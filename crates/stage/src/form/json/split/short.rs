//! Numbers of twenty digits, as `SQLite` writes them, in as few digits as tell them apart.

use tersely_codec::Value;

const WORDS: &str = "[numbers are written short: ";
const CAME: &str = " came as ";

/// Digits that `SQLite` writes of a number.
const DIGITS: usize = 20;
/// Fewer digits than this were meant.
const LONG: usize = 17;

/// Writes numbers short if all can be, and says so by the first.
pub(super) fn shorten(value: &mut Value<'_>) -> Option<String> {
    let mut first = None;
    let whole = each(value, &mut |number| {
        let short = short(number)?;
        if short.len() < number.len() && first.is_none() {
            first = Some(format!("{WORDS}{short}{CAME}{number}]"));
        }
        Some(())
    });
    whole?;
    let head = first?;
    each(value, &mut |number| {
        *number = short(number)?;
        Some(())
    })?;
    Some(head)
}

pub(super) fn is_head(head: &str) -> bool {
    head.starts_with(WORDS)
}

/// Writes numbers as they came.
pub(super) fn lengthen(value: &mut Value<'_>) -> Option<()> {
    each(value, &mut |number| {
        *number = long(number)?;
        Some(())
    })
}

/// Visits every number with a point.
fn each(value: &mut Value<'_>, visit: &mut dyn FnMut(&mut String) -> Option<()>) -> Option<()> {
    match value {
        Value::Number(number) if number.contains('.') => {
            let mut text = number.to_string();
            visit(&mut text)?;
            if *number != text {
                *number = text.into();
            }
            Some(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| each(item, visit)),
        Value::Object(members) => members.iter_mut().try_for_each(|(_, value)| each(value, visit)),
        _ => Some(()),
    }
}

/// The number in as few digits as stand for it; itself if it is long and came otherwise than `SQLite` writes it.
fn short(number: &str) -> Option<String> {
    if digits(number) < LONG {
        return (long(number)? == number).then(|| number.to_owned());
    }
    let short = format!("{:?}", number.parse::<f64>().ok()?);
    let same = digits(&short) < LONG && long(&short).is_some_and(|long| long == number);
    Some(if same { short } else { number.to_owned() })
}

fn digits(number: &str) -> usize {
    number.bytes().filter(u8::is_ascii_digit).count()
}

/// The number in twenty digits, without the zeros that end it; a long one is what it came as.
pub(super) fn long(number: &str) -> Option<String> {
    if digits(number) >= LONG {
        return Some(number.to_owned());
    }
    let parsed: f64 = number.parse().ok()?;
    if !(1e-5..1e15).contains(&parsed.abs()) && parsed != 0.0 || number.contains(['e', 'E']) {
        return None;
    }
    let exact = format!("{parsed:.60}");
    let mut significant = 0;
    let mut out = String::new();
    for sign in exact.chars() {
        significant += usize::from(sign.is_ascii_digit() && (significant > 0 || sign != '0'));
        out.push(if significant > DIGITS && sign != '.' { '0' } else { sign });
    }
    let out = out.trim_end_matches('0');
    Some(if out.ends_with('.') { format!("{out}0") } else { out.to_owned() })
}

//! States text that lines share in front of and after the time of day, such as a date, a host or a CI step, once above
//! those lines.

use crate::form::log::weigh::weigh;

/// A line of a log after its head was split off.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HeadRow<'a> {
    /// A new section. Until the next section, timed rows have the first text in front of their time and the second
    /// after it.
    Section(&'a str, &'a str),
    /// A line that has the section's head: its time, and the text after the head.
    Timed(&'a str, &'a str),
    /// Any other line, unchanged.
    Plain(&'a str),
}

/// A line, split at its time of day.
#[derive(Clone, Copy)]
struct Cut<'a> {
    before: &'a str,
    time: &'a str,
    rest: &'a str,
}

/// The minimum number of lines with a time.
const MIN_LINES: usize = 4;

/// The number of timed lines inspected to decide whether a section is worth a line of its own.
const LOOKAHEAD_LINES: usize = 6;

/// The maximum number of units after the time that may belong to the head: the space, and a word such as a host or a
/// time zone. Further words belong to the message.
const MAX_UNITS: usize = 2;

/// The minimum average number of lines per section if there are several. A date that changes more often stays on its
/// lines.
const MIN_SECTION_LINES: usize = 40;

/// The time must end within this many bytes from the start of the line.
const MAX_TIME_OFFSET: usize = 120;

/// Splits the lines of a log into rows. All rows are plain if few lines have a time or the heads change often.
pub(crate) fn rows<'a>(lines: &[&'a str]) -> Vec<HeadRow<'a>> {
    let plain = || lines.iter().map(|line| HeadRow::Plain(line)).collect();
    let cuts: Vec<Option<Cut<'a>>> = lines.iter().map(|line| cut(line)).collect();
    let timed = cuts.iter().flatten().count();
    if timed < MIN_LINES || timed * 3 < lines.len() {
        return plain();
    }
    let rows = sections(lines, &cuts, after(&cuts));
    let heads = rows.len() - lines.len();
    if heads > 1 && heads * MIN_SECTION_LINES > timed { plain() } else { rows }
}

/// Splits a line at its time of day.
fn cut(line: &str) -> Option<Cut<'_>> {
    let bytes = line.as_bytes();
    let last = bytes.len().min(MAX_TIME_OFFSET).checked_sub(8)?;
    let at = (0..=last).find(|&at| is_time(bytes, at))?;
    let run = bytes[at..].iter().take_while(|byte| is_time_byte(**byte)).count();
    let spare = bytes[at..at + run].iter().rev().take_while(|byte| !byte.is_ascii_digit()).count();
    let end = at + run - spare;
    Some(Cut { before: &line[..at], time: &line[at..end], rest: &line[end..] })
}

/// True when a time such as `12:34:56` starts at `at` and is not part of a longer run of digits.
fn is_time(bytes: &[u8], at: usize) -> bool {
    let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let colon = |index: usize| bytes.get(index) == Some(&b':');
    colon(at + 2)
        && colon(at + 5)
        && [0, 1, 3, 4, 6, 7].into_iter().all(|offset| digit(at + offset))
        && !digit(at + 8)
        && !colon(at + 8)
        && (at == 0 || !digit(at - 1))
        && (at < 4 || !colon(at - 1) || !colon(at - 4))
}

fn is_time_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b',')
}

/// The text after the time that enough lines share to be worth stating once.
fn after<'a>(cuts: &[Option<Cut<'a>>]) -> &'a str {
    let mut after = "";
    let rests = || cuts.iter().flatten().map(|cut| cut.rest);
    let cost = cuts.iter().flatten().next().map_or(0, |cut| weigh(cut.before));
    for _ in 0..MAX_UNITS {
        let Some(next) = majority(rests().filter_map(|rest| unit(rest, after))) else { break };
        if !after.is_empty() && !next[after.len()..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            break;
        }
        let (all, matching) = (
            rests().filter(|rest| rest.starts_with(after)).count(),
            rests().filter(|rest| rest.starts_with(next)).count(),
        );
        if matching * weigh(&next[after.len()..]).max(1) <= (all - matching) * (cost + weigh(after)) {
            break;
        }
        after = next;
    }
    after
}

/// `rest` up to the end of the word that follows `start`, including the white space after that word.
fn unit<'a>(rest: &'a str, start: &str) -> Option<&'a str> {
    let more = rest.strip_prefix(start)?;
    let word = more.find([' ', '\t'])?;
    let space = more[word..].bytes().take_while(|byte| *byte == b' ' || *byte == b'\t').count();
    Some(&rest[..start.len() + word + space])
}

/// The text that more than half of `texts` are equal to. If there is none, returns any of them.
fn majority<'a>(texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (mut best, mut lead) = (None, 0_usize);
    for text in texts {
        if lead == 0 {
            best = Some(text);
        }
        if best == Some(text) { lead += 1 } else { lead -= 1 }
    }
    best
}

fn sections<'a>(lines: &[&'a str], cuts: &[Option<Cut<'a>>], after: &'a str) -> Vec<HeadRow<'a>> {
    let mut rows = Vec::with_capacity(lines.len());
    let mut current = None;
    for (index, (line, cut)) in lines.iter().zip(cuts).enumerate() {
        let Some((cut, text)) = cut.as_ref().and_then(|cut| Some((cut, cut.rest.strip_prefix(after)?)))
        else {
            rows.push(HeadRow::Plain(line));
            continue;
        };
        if current != Some(cut.before) && is_common(cut.before, &cuts[index..]) {
            rows.push(HeadRow::Section(cut.before, after));
            current = Some(cut.before);
        }
        let same = current == Some(cut.before);
        rows.push(if same { HeadRow::Timed(cut.time, text) } else { HeadRow::Plain(line) });
    }
    rows
}

/// True when most of the next timed lines have the text `before` in front of their time.
fn is_common(before: &str, cuts: &[Option<Cut<'_>>]) -> bool {
    let next = cuts.iter().take(4 * LOOKAHEAD_LINES).flatten().take(LOOKAHEAD_LINES);
    !before.is_empty() && next.filter(|cut| cut.before == before).count() * 2 > LOOKAHEAD_LINES
}

/// Splits a timed row into its time and the text after the time.
pub(crate) fn split_time(row: &str) -> Option<(&str, &str)> {
    let length = row.bytes().take_while(|byte| is_time_byte(*byte)).count();
    let text = row[length..].strip_prefix(' ')?;
    is_time(row.as_bytes(), 0).then_some((&row[..length], text))
}

const OPEN: &str = "each timed line below: ";
const TIME: &str = "{time}";
const TEXT: &str = "{text}";

/// Writes the line that states the head of a section.
pub(crate) fn render_head(before: &str, after: &str) -> String {
    [OPEN, before, TIME, after, TEXT].concat()
}

/// Parses a line written by `render_head`.
pub(crate) fn read(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix(OPEN)?.strip_suffix(TEXT)?.split_once(TIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_with_all_their_digits() {
        for (line, time) in [
            ("[2018-10-17 12:04:41,718] INFO x", "12:04:41,718"),
            ("job\tstep\t2026-02-21T21:32:11.6077979Z text", "21:32:11.6077979"),
            ("at 09:48:09, then", "09:48:09"),
            ("00:11:22:33:44:55", ""),
            ("112:04:41", ""),
        ] {
            assert_eq!(cut(line).map_or("", |cut| cut.time), time, "{line}");
        }
    }

    #[test]
    fn dates_and_hosts_are_written_once() {
        let lines: Vec<String> = (10..20).map(|n| format!("Feb  9 21:{n}:03 box sshd[{n}]: hello")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let rows = rows(&lines);
        assert_eq!(rows[0], HeadRow::Section("Feb  9 ", " box "));
        assert_eq!(rows[1], HeadRow::Timed("21:10:03", "sshd[10]: hello"));
    }

    #[test]
    fn dates_that_change_stay_where_they_are() {
        let lines: Vec<String> = (10..30).map(|n| format!("Feb {} 21:{n}:03 box hello", n / 10)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert!(rows(&lines).iter().all(|row| matches!(row, HeadRow::Plain(_))));
    }

    #[test]
    fn sections_are_read_back() {
        assert_eq!(read(&render_head("a\t", " b ")), Some(("a\t", " b ")));
        assert_eq!(read("each timed line below: x"), None);
    }
}

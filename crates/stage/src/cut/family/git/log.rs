//! Shortens logs: writes one line per commit with date, author and subject, and counts the omitted lines of message
//! bodies.

use std::fmt::Write as _;

use crate::{omit, signal};

/// Description of the omitted lines.
pub(super) const BODIES: &str = "bodies of commits";

/// Shortens a log; `None` when the text is not a log, or contains hardly any message bodies.
pub(super) fn shorten(text: &str) -> Option<String> {
    let style = STYLES.iter().find(|style| style.begins(text))?;
    let mut writer = Writer::new(style);
    text.split_inclusive('\n').for_each(|line| writer.line(line));
    writer.flush();
    if writer.commits < MIN_COMMITS || writer.left == 0 {
        return None;
    }
    let head = omit::things(writer.left, "lines", BODIES);
    let commits = writer.commits;
    Some(format!(
        "[{commits} commits: {HASH_DIGITS} characters of the hash, date, author, subject]\n{head}\n{}",
        writer.out
    ))
}

/// Logs of fewer commits are shown unchanged.
const MIN_COMMITS: usize = 4;

/// The number of hash digits shown, enough to identify a commit.
const HASH_DIGITS: usize = 12;

/// The format of a log.
struct Style {
    commit: &'static str,
    /// The prefix of the first line of a message.
    message: &'static str,
    /// The prefix of the other lines of a message.
    indent: &'static str,
}

/// The format of git itself, and the format of git's MCP server.
const STYLES: [Style; 2] = [
    Style { commit: "commit ", message: "    ", indent: "    " },
    Style { commit: "Commit: ", message: "Message: ", indent: "" },
];

impl Style {
    /// True when one of the first lines of `text` begins a commit.
    fn begins(&self, text: &str) -> bool {
        text.lines().take(4).any(|line| self.is_commit(line))
    }

    fn is_commit(&self, line: &str) -> bool {
        line.strip_prefix(self.commit).is_some_and(|rest| hash(rest.trim_start_matches('\'')) >= 7)
    }
}

/// The number of hexadecimal digits at the start of `text`.
fn hash(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_hexdigit).count()
}

/// Writes the shortened log.
struct Writer<'s, 'a> {
    style: &'s Style,
    out: String,
    /// The commit whose message has not begun yet: its hash with the text after it, its date and its author.
    open: Option<[&'a str; 3]>,
    /// True after the subject of the last commit was written.
    has_subject: bool,
    commits: usize,
    /// The number of lines omitted so far.
    left: usize,
}

impl<'s, 'a> Writer<'s, 'a> {
    fn new(style: &'s Style) -> Self {
        Self { style, out: String::new(), open: None, has_subject: false, commits: 0, left: 0 }
    }

    fn line(&mut self, line: &'a str) {
        let bare = line.trim_end();
        if self.style.is_commit(line) {
            self.flush();
            self.commits += 1;
            self.open = Some([bare[self.style.commit.len()..].trim_matches('\''), "", ""]);
            self.has_subject = false;
        } else if let Some(open) = self.open.as_mut().filter(|_| signal::find(bare).is_none()) {
            match bare.split_once(':') {
                Some(("Date" | "AuthorDate", date)) => open[1] = date.trim(),
                Some(("Author", author)) => open[2] = author.split(" <").next().unwrap_or(author).trim(),
                _ if bare.is_empty() => {}
                _ => self.message(line),
            }
        } else {
            self.message(line);
        }
    }

    /// Writes or counts a line that is not in the header of a commit.
    fn message(&mut self, line: &'a str) {
        let is_message = line.starts_with(self.style.message)
            || self.has_subject && line.starts_with(self.style.indent)
            || self.has_subject && line.trim().is_empty();
        if is_message && !self.has_subject {
            let subject = line.strip_prefix(self.style.message).unwrap_or(line).trim();
            self.write(subject);
            self.has_subject = true;
        } else if is_message && signal::find(line.trim_end()).is_none() {
            self.left += usize::from(!line.trim().is_empty());
        } else {
            self.flush();
            self.out.push_str(line);
        }
    }

    /// Writes the last commit if it has no message.
    fn flush(&mut self) {
        if self.open.is_some() {
            self.write("");
        }
    }

    fn write(&mut self, subject: &str) {
        let Some([name, date, author]) = self.open.take() else { return };
        let end = hash(name);
        let _ = writeln!(
            self.out,
            "{}{} {date} {author}: {subject}",
            &name[..end.min(HASH_DIGITS)],
            name[end..].trim_end_matches('\'')
        );
    }
}

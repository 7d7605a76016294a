//! A log: every commit on a line with its date, its author and its subject; the bodies of messages are counted.

use std::fmt::Write as _;

use crate::{omit, signal};

/// What is left out, in the words that say so.
pub(super) const BODIES: &str = "bodies of commits";

/// The log in short; `None` when the text is none, or has no bodies to speak of.
pub(super) fn shorten(text: &str) -> Option<String> {
    let style = STYLES.iter().find(|style| style.begins(text))?;
    let mut writer = Writer::new(style);
    text.split_inclusive('\n').for_each(|line| writer.line(line));
    writer.flush();
    if writer.commits < LEAST || writer.left == 0 {
        return None;
    }
    let head = omit::things(writer.left, "lines", BODIES);
    let commits = writer.commits;
    Some(format!(
        "[{commits} commits: {HASH} characters of the hash, date, author, subject]\n{head}\n{}",
        writer.out
    ))
}

/// Fewer commits are shown as they are.
const LEAST: usize = 4;

/// Characters of a hash that are enough to name a commit.
const HASH: usize = 12;

/// How a log says things.
struct Style {
    commit: &'static str,
    /// What the first line of a message begins with.
    message: &'static str,
    /// What further lines of it begin with.
    indent: &'static str,
}

/// Git's own log, and the one of its MCP server.
const STYLES: [Style; 2] = [
    Style { commit: "commit ", message: "    ", indent: "    " },
    Style { commit: "Commit: ", message: "Message: ", indent: "" },
];

impl Style {
    /// True when a commit stands in one of the first lines.
    fn begins(&self, text: &str) -> bool {
        text.lines().take(4).any(|line| self.is_commit(line))
    }

    fn is_commit(&self, line: &str) -> bool {
        line.strip_prefix(self.commit).is_some_and(|rest| hash(rest.trim_start_matches('\'')) >= 7)
    }
}

/// How many hex digits `text` begins with.
fn hash(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_hexdigit).count()
}

/// A log in the making.
struct Writer<'s, 'a> {
    style: &'s Style,
    out: String,
    /// The commit whose message has not begun: its hash with what stands behind it, its date and its author.
    open: Option<[&'a str; 3]>,
    /// True once the subject of the last commit was written.
    told: bool,
    commits: usize,
    /// Lines left out so far.
    left: usize,
}

impl<'s, 'a> Writer<'s, 'a> {
    fn new(style: &'s Style) -> Self {
        Self { style, out: String::new(), open: None, told: false, commits: 0, left: 0 }
    }

    fn line(&mut self, line: &'a str) {
        let bare = line.trim_end();
        if self.style.is_commit(line) {
            self.flush();
            self.commits += 1;
            self.open = Some([bare[self.style.commit.len()..].trim_matches('\''), "", ""]);
            self.told = false;
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

    /// A line that is none of the first of a commit.
    fn message(&mut self, line: &'a str) {
        let is_message = line.starts_with(self.style.message)
            || self.told && line.starts_with(self.style.indent)
            || self.told && line.trim().is_empty();
        if is_message && !self.told {
            let subject = line.strip_prefix(self.style.message).unwrap_or(line).trim();
            self.write(subject);
            self.told = true;
        } else if is_message && signal::find(line.trim_end()).is_none() {
            self.left += usize::from(!line.trim().is_empty());
        } else {
            self.flush();
            self.out.push_str(line);
        }
    }

    /// A commit without a message.
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
            &name[..end.min(HASH)],
            name[end..].trim_end_matches('\'')
        );
    }
}

//! A long log: every commit with its author, date and subject, and less of the rest of its message.

use crate::{omit, signal};

/// The log in short; `None` when the text is none or is short already.
pub(super) fn shorten(text: &str) -> Option<String> {
    let style = STYLES.iter().find(|style| style.begins(text))?;
    let commits = text.lines().filter(|line| style.is_commit(line)).count();
    if commits < LEAST {
        return None;
    }
    let body = if commits < MANY { 6 } else { 2 };
    let out = String::with_capacity(text.len());
    let mut writer = Writer { style, body, out, at: 0, left: 0, blanks: Vec::new(), mails: 0 };
    text.split_inclusive('\n').for_each(|line| writer.line(line));
    writer.flush();
    let mails = match writer.mails {
        0 => String::new(),
        count => format!(", {count} mail addresses left out"),
    };
    Some(format!("[{commits} hashes cut to {HASH} characters{mails}]\n{}", writer.out))
}

/// Fewer commits are shown as they are.
const LEAST: usize = 8;

/// From this many commits on, messages are cut to a line or two.
const MANY: usize = 30;

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
    /// Lines of a message that are shown behind its subject.
    body: usize,
    out: String,
    /// Lines of this message so far, without blank ones.
    at: usize,
    /// Lines left out since the last that was shown.
    left: usize,
    /// Blank lines that go with whatever follows them.
    blanks: Vec<&'a str>,
    /// Addresses left out so far.
    mails: usize,
}

impl<'a> Writer<'_, 'a> {
    fn line(&mut self, line: &'a str) {
        let speaks = signal::find(line).is_some();
        if line.trim().is_empty() {
            self.blanks.push(line);
        } else if self.style.is_commit(line) {
            self.at = 0;
            self.commit(line);
        } else if line.starts_with("Author: ") && self.at == 0 && !speaks {
            self.author(line);
        } else if !self.is_message(line) {
            self.keep(line);
        } else {
            self.at += 1;
            let shown = self.at <= 1 + self.body && !is_trailer(line.trim());
            if shown || speaks { self.keep(line) } else { self.drop() }
        }
    }

    fn is_message(&self, line: &str) -> bool {
        line.starts_with(self.style.message) || (self.at > 0 && line.starts_with(self.style.indent))
    }

    fn author(&mut self, line: &str) {
        let (name, mail) = line.split_once(" <").unwrap_or((line, ""));
        self.mails += usize::from(!mail.is_empty());
        self.keep(name.trim_end());
        self.out.push('\n');
    }

    fn commit(&mut self, line: &str) {
        let start = line.len() - line[self.style.commit.len()..].trim_start_matches('\'').len();
        let end = start + hash(&line[start..]);
        self.keep(&line[..end.min(start + HASH)]);
        self.out.push_str(&line[end..]);
    }

    fn keep(&mut self, line: &str) {
        self.flush();
        self.out.push_str(line);
    }

    fn drop(&mut self) {
        self.left += 1 + self.blanks.len();
        self.blanks.clear();
    }

    /// Says how many lines of the message were left out.
    fn flush(&mut self) {
        if self.left > 0 {
            self.out.extend([self.style.indent, &omit::lines(self.left, ""), "\n"]);
        }
        self.left = 0;
        self.out.extend(self.blanks.drain(..));
    }
}

/// `Co-authored-by: A <a@b.c>`
fn is_trailer(words: &str) -> bool {
    words.split_once("-by: ").is_some_and(|(key, _)| !key.contains(' '))
        || words.starts_with("Change-Id: ")
        || words.starts_with("git-svn-id: ")
}

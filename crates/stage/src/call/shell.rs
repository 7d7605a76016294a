//! Splits a command line into the commands it runs.
//!
//! Parses only as much as is needed to classify a result: words without their quotes, pipes, and redirections to files,
//! because redirected output is not shown. `$(..)` and here-documents are skipped because their output is not printed.

use std::mem;

/// One command of a command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShellCommand {
    pub(super) words: Vec<String>,
    pub(super) output: Output,
}

/// Where a command's output goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Output {
    #[default]
    Shown,
    Piped,
    Filed,
}

/// The commands that `line` runs, in order.
pub(super) fn commands(line: &str) -> Vec<ShellCommand> {
    let mut reader = Reader { rest: line, ..Reader::default() };
    while !reader.rest.is_empty() {
        reader.list();
    }
    reader.done
}

/// The maximum nesting depth. Deeper groups and substitutions are parsed as if they were flat.
const MAX_DEPTH: usize = 16;

#[derive(Default)]
struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    word: Option<String>,
    /// The role that the next word will have.
    next: Role,
    /// Delimiters of the here-documents that begin after the current line.
    ends: Vec<String>,
    now: ShellCommand,
    done: Vec<ShellCommand>,
}

/// The role of a word in its command.
#[derive(Default)]
enum Role {
    #[default]
    Argument,
    Target,
    End,
}

impl Reader<'_> {
    /// Reads to the end of the text, or past the closing bracket of the current group.
    fn list(&mut self) {
        while let Some(char) = self.take() {
            match char {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => self.end_line(),
                ';' | '&' | '|' => self.operator(char),
                '<' | '>' => self.redirect(char),
                '(' => self.group(),
                ')' => return self.end_command(Output::Shown),
                '#' if self.word.is_none() => self.skip_comment(),
                _ => self.letter(char),
            }
        }
        self.end_command(Output::Shown);
    }

    /// Reads one character of a word.
    fn letter(&mut self, char: char) {
        let mut word = self.word.take().unwrap_or_default();
        match char {
            // A backslash in front of a letter or digit is more likely a path separator than an escape.
            '\\' if self.rest.starts_with(|next: char| next.is_alphanumeric()) => word.push(char),
            '\\' => word.extend(self.take().filter(|&next| next != '\n')),
            '\'' => word.push_str(self.take_past('\'')),
            '"' => self.read_quoted(&mut word),
            '`' => drop(self.take_past('`')),
            '$' if self.accept("((") => self.skip_sum(),
            '$' if self.accept("(") => self.substitution(),
            _ => word.push(char),
        }
        self.word = Some(word);
    }

    fn read_quoted(&mut self, word: &mut String) {
        while let Some(char) = self.take() {
            match char {
                '"' => return,
                '\\' => word.extend(self.take()),
                '$' if self.accept("(") => self.substitution(),
                _ => word.push(char),
            }
        }
    }

    /// Skips `$(..)`: its output becomes part of a word and is not printed.
    fn substitution(&mut self) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        let mut inner = Reader { rest: self.rest, depth: self.depth + 1, ..Reader::default() };
        inner.list();
        self.rest = inner.rest;
    }

    /// Reads `(..)`, whose commands print their output as usual. Brackets directly after a word are an array or a
    /// function's parameters, and are skipped.
    fn group(&mut self) {
        if self.word.is_some() {
            return self.substitution();
        }
        self.end_command(Output::Shown);
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            self.list();
            self.depth -= 1;
        }
    }

    fn operator(&mut self, char: char) {
        if char == '&' && self.accept(">") {
            self.accept(">");
            return self.file();
        }
        let double = self.rest.starts_with(char);
        if double {
            self.take();
        }
        let piped = char == '|' && !double;
        if piped {
            self.accept("&");
        }
        self.end_command(if piped { Output::Piped } else { Output::Shown });
    }

    fn redirect(&mut self, char: char) {
        let stream = self.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        if char == '<' {
            return self.input();
        }
        let copies = self.accept("&");
        let _ = self.accept(">") || self.accept("|");
        match stream.as_deref() {
            _ if copies => self.next = Role::Target,
            None | Some("1") => self.file(),
            Some(_) => self.next = Role::Target,
        }
    }

    fn input(&mut self) {
        if self.accept("(") {
            return self.substitution();
        }
        self.next = Role::Target;
        if self.accept("<") && !self.accept("<") {
            self.accept("-");
            self.next = Role::End;
        }
    }

    /// Starts a redirection: the next word is the name of the file that receives the output.
    fn file(&mut self) {
        self.end_word();
        self.now.output = Output::Filed;
        self.next = Role::Target;
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match mem::take(&mut self.next) {
            Role::Argument => self.now.words.push(word),
            Role::Target => {}
            Role::End => self.ends.push(word),
        }
    }

    fn end_command(&mut self, output: Output) {
        self.end_word();
        self.next = Role::Argument;
        let mut command = mem::take(&mut self.now);
        if command.output == Output::Shown {
            command.output = output;
        }
        if !command.words.is_empty() {
            self.done.push(command);
        } else if let Some(last) = self.done.last_mut().filter(|_| output == Output::Piped) {
            last.output = output;
        }
    }

    /// Ends a line, and skips the bodies of the here-documents that it started.
    fn end_line(&mut self) {
        self.end_command(Output::Shown);
        for end in mem::take(&mut self.ends) {
            while !self.rest.is_empty() && self.take_past('\n').trim() != end {}
        }
    }

    fn skip_comment(&mut self) {
        self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
    }

    fn skip_sum(&mut self) {
        self.rest = self.rest.split_once("))").map_or("", |(_, rest)| rest);
    }

    fn accept(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let char = chars.next();
        self.rest = chars.as_str();
        char
    }

    /// Takes the text up to the next `end` and skips that character.
    fn take_past(&mut self, end: char) -> &'a str {
        let (taken, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` lists the words of each command, with `|` after a piped command and `>` after one redirected to a
    /// file.
    fn check(line: &str, expected: &[&str]) {
        let found: Vec<String> = commands(line)
            .iter()
            .map(|command| {
                let mark = match command.output {
                    Output::Shown => "",
                    Output::Piped => " |",
                    Output::Filed => " >",
                };
                command.words.join(" ") + mark
            })
            .collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines_are_taken_apart() {
        check("", &[]);
        check("ls -la", &["ls -la"]);
        check("cd 'my dir' && ls;pwd\nid", &["cd my dir", "ls", "pwd", "id"]);
        check("a 2>&1 | b |& c || d & e", &["a |", "b |", "c", "d", "e"]);
        check("a > x; b 2>/dev/null; c &> y; d >>z 2>&1; e >&2", &["a >", "b", "c >", "d >", "e"]);
        check("(cd x && a) | b # c", &["cd x", "a |", "b"]);
        check("a \"b | c\" 'd ; e' f\\;g", &["a b | c d ; e f;g"]);
    }

    #[test]
    fn what_prints_into_words_is_stepped_over() {
        check("a $(b | c; d) \"$(e ')' f)\" $((1<<2)) `g;h` i", &["a     i"]);
        check("git commit -m \"$(cat <<'EOF'\nit's (a\nEOF\n)\" && git log", &["git commit -m ", "git log"]);
        check("cat > f <<EOF\nrm -rf |\nEOF\nls <<< 'x' < y", &["cat >", "ls"]);
        check("diff <(a) <(b)", &["diff"]);
    }

    #[test]
    fn broken_lines_end_somewhere() {
        for line in ["'a", "\"a", "a \\", "a <<E\nb", "a >", ")", "a))(b", "$(", "`", "a &>", "é|ü"] {
            commands(line);
        }
        assert_eq!(commands(&"(".repeat(100_000)).len(), 0);
        commands(&"$(a ".repeat(100_000));
        commands(&"\"$(".repeat(100_000));
    }
}

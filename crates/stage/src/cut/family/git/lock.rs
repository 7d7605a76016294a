//! Shortens changes to lock files: keeps names and versions, omits hashes and derived data.

use std::collections::HashSet;

use crate::cut::family::git::hunk;
use crate::omit;

/// Writes the significant lines in the hunks of the lock file at `path`.
pub(super) fn write(path: &str, body: &str, out: &mut String) {
    let mut picked = pick(path, body);
    let kept = if picked.is_empty() { "the first changes" } else { "names and versions" };
    if picked.is_empty() {
        picked =
            body.lines().filter(|line| sign(line).is_some()).take(FIRST_CHANGES).map(str::to_owned).collect();
    }
    let (added, removed) = hunk::count(body);
    let left = body.lines().count() - picked.len();
    let words = format!("lock file, {added} added and {removed} removed; {kept} stay");
    out.extend([&*omit::lines(left, &words), "\n"]);
    for line in &picked {
        out.extend([line, "\n"]);
    }
}

/// The number of changes shown of a file in an unknown format.
const FIRST_CHANGES: usize = 10;

/// The significant lines, without duplicates.
fn pick(path: &str, body: &str) -> Vec<String> {
    let mut picked = Vec::new();
    let mut seen = HashSet::new();
    let mut heading: Option<&str> = None;
    let sums = path.ends_with("go.sum") || path.ends_with("go.work.sum");
    for line in body.lines() {
        let words = line.get(1..).unwrap_or_default().trim();
        let told = sign(line).and_then(|_| if sums { module(line) } else { significant_part(line, words) });
        if let Some(told) = told {
            let above = heading.take().filter(|_| is_value(words)).map(str::to_owned);
            let fresh = |line: &String| !is_entry(line) || seen.insert(key(line));
            picked.extend(above.into_iter().chain([told]).filter(fresh));
        }
        if line.starts_with("@@") {
            heading = None;
        } else if is_heading(words) {
            heading = sign(line).is_none().then_some(line);
        }
    }
    picked
}

/// The sign of a changed line: `+` or `-`.
fn sign(line: &str) -> Option<char> {
    line.chars().next().filter(|sign| matches!(sign, '+' | '-'))
}

/// The part of a changed line that contains a name or a version, if there is one.
fn significant_part(line: &str, words: &str) -> Option<String> {
    if is_value(words) || is_name(words) || is_entry(words) {
        return Some(line.to_owned());
    }
    list_entry(line)
}

/// Parses `"left": ["left@1.0.0", "", {}, "sha512-..."],` and removes the text after the name.
fn list_entry(line: &str) -> Option<String> {
    let start = line.find(": [\"")? + 4;
    let end = start + line[start..].find('"')?;
    line[start..end].contains('@').then(|| line[..=end].to_owned())
}

/// Parses `example.com/x v1.2.3` and removes the hash after it.
fn module(line: &str) -> Option<String> {
    let mut words = line.split(' ');
    let (name, version) = (words.next()?, words.next()?);
    version.starts_with('v').then(|| format!("{name} {}", version.trim_end_matches("/go.mod")))
}

/// True for `version: 1.2.3`, `version = "1.2.3"` and `"version": "1.2.3",`.
fn is_value(words: &str) -> bool {
    let words = words.trim_start_matches('"');
    ["version", "specifier", "rev"].iter().any(|key| {
        words.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches('"').starts_with([':', ' ', '=']))
    })
}

/// True for `name = "x"` and `"name": "x",`.
fn is_name(words: &str) -> bool {
    words.starts_with("name = ") || words.starts_with("\"name\": ")
}

/// True for `left@1.2.3:`, `'@x/left@1.2.3': {}`, `"node_modules/left": {` and `left (1.2.3)`.
fn is_entry(words: &str) -> bool {
    let words = words.trim_start_matches(['+', '-']).trim_start();
    let keyed = words.ends_with(':') || words.ends_with(": {}");
    keyed && (words.contains('@') || words.starts_with('/'))
        || words.starts_with("\"node_modules/") && words.ends_with('{')
        || words.ends_with(')') && words.contains(" (") && !words.contains(['"', '=', '{'])
        || is_module(words)
}

fn is_module(words: &str) -> bool {
    words.split_once(" v").is_some_and(|(name, version)| {
        !name.contains(' ') && version.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// True for a line that can be the heading of the values below it.
fn is_heading(words: &str) -> bool {
    is_name(words) || words.ends_with(':') || words.ends_with('{')
}

/// The text that two lines about the same entry have in common.
fn key(line: &str) -> String {
    let words = line.trim_end_matches(" {}").trim_end_matches(':');
    words.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, body: &str, shown: &[&str]) {
        assert_eq!(pick(path, body), shown);
    }

    #[test]
    fn every_notation_shows_what_changed() {
        check(
            "Cargo.lock",
            "@@ -1,5 +1,5 @@\n [[package]]\n name = \"left\"\n-version = \"1.0.0\"\n+version = \"1.1.0\"\n source = \"registry\"\n-checksum = \"aa\"\n+checksum = \"bb\"\n",
            &[" name = \"left\"", "-version = \"1.0.0\"", "+version = \"1.1.0\""],
        );
        check(
            "package-lock.json",
            "@@ -1,4 +1,4 @@\n     \"node_modules/left\": {\n-      \"version\": \"1.0.0\",\n-      \"resolved\": \"https://r\",\n+      \"version\": \"1.1.0\",\n+      \"resolved\": \"https://s\",\n",
            &[
                "     \"node_modules/left\": {",
                "-      \"version\": \"1.0.0\",",
                "+      \"version\": \"1.1.0\",",
            ],
        );
        check(
            "yarn.lock",
            "@@ -1,4 +1,4 @@\n \n left@^1.0.0:\n-  version \"1.0.0\"\n-  integrity sha512-a\n+  version \"1.1.0\"\n+  integrity sha512-b\n",
            &[" left@^1.0.0:", "-  version \"1.0.0\"", "+  version \"1.1.0\""],
        );
        check(
            "go.sum",
            "@@ -1,3 +1,3 @@\n-example.com/x v1.0.0 h1:aa=\n-example.com/x v1.0.0/go.mod h1:ab=\n+example.com/x v1.1.0 h1:ba=\n+example.com/x v1.1.0/go.mod h1:bb=\n example.com/y v1.0.0 h1:cc=\n",
            &["-example.com/x v1.0.0", "+example.com/x v1.1.0"],
        );
        check(
            "bun.lock",
            "@@ -1,1 +1,1 @@\n-    \"left\": [\"left@1.0.0\", \"\", {}, \"sha512-a\"],\n+    \"left\": [\"left@1.1.0\", \"\", {}, \"sha512-b\"],\n",
            &["-    \"left\": [\"left@1.0.0\"", "+    \"left\": [\"left@1.1.0\""],
        );
    }

    #[test]
    fn an_unknown_notation_shows_its_first_changes() {
        let body = (0..30).map(|at| format!("+é{at}\n")).collect::<Vec<_>>().concat();
        let mut out = String::new();
        write("mix.lock", &body, &mut out);
        assert!(out.starts_with(
            "[20 lines left out: lock file, 30 added and 0 removed; the first changes stay]\n+é0\n"
        ));
    }
}

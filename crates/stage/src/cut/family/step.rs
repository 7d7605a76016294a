//! Recognises lines in which a build tool announces its next step.

/// All descriptions of such lines.
pub(super) const WORDS: &[&str] = &["build steps", "commands", "directories entered and left"];

/// The description of `line`, if the line only announces a step.
pub(super) fn of(line: &str) -> Option<&'static str> {
    let line = line.trim_end();
    let first = *line.as_bytes().first()?;
    match first {
        b'[' => progress_step(line),
        b' ' => short_step(line),
        _ if line.starts_with("make") && is_move(line) => Some("directories entered and left"),
        _ => is_command(line).then_some("commands"),
    }
}

/// Verbs at the start of the steps of cmake and ninja.
const VERBS: [&str; 8] = [
    "Building ",
    "Linking ",
    "Generating ",
    "Built target ",
    "Compiling ",
    "Scanning ",
    "Copying ",
    "Creating ",
];

/// Recognises `[ 12%] Building C object x.o` and `[3/40] Building x.o`.
fn progress_step(line: &str) -> Option<&'static str> {
    let (count, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let plain = count.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'%' | b'/'));
    (plain && VERBS.iter().any(|verb| rest.starts_with(verb))).then_some("build steps")
}

/// Recognises `  CC      x.o`.
fn short_step(line: &str) -> Option<&'static str> {
    let (verb, path) = line.strip_prefix("  ")?.split_once("  ")?;
    let upper = verb.len() >= 2 && verb.bytes().all(|byte| byte.is_ascii_uppercase());
    let path = path.trim_start();
    (upper && path.contains(['/', '.']) && !path.contains(' ')).then_some("build steps")
}

fn is_move(line: &str) -> bool {
    line.contains(": Entering directory ") || line.contains(": Leaving directory ")
}

const COMPILERS: [&str; 10] =
    ["gcc", "g++", "cc", "c++", "clang", "clang++", "ar", "ranlib", "ld", "libtool"];

/// True for a compiler invocation that writes a file.
fn is_command(line: &str) -> bool {
    let shell = line.strip_prefix("/bin/sh ").or_else(|| line.strip_prefix("/bin/bash "));
    let word = shell.unwrap_or(line).split(' ').next().unwrap_or_default();
    let name = word.rsplit('/').next().unwrap_or(word);
    let known = |name: &str| COMPILERS.contains(&name);
    let writes = || [" -c ", " -o ", " cr ", " rc ", " rcs ", " cru "].iter().any(|part| line.contains(part));
    // A prefix in the compiler's name is the target: `x86_64-linux-gnu-gcc`.
    (known(name) || name.rsplit_once('-').is_some_and(|(_, name)| known(name))) && writes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_recognised() {
        for (line, expected) in [
            ("[ 12%] Building C object x.o\n", Some("build steps")),
            ("[3/40] Linking CXX executable x\r\n", Some("build steps")),
            ("  CC      kernel/fork.o", Some("build steps")),
            ("make[1]: Entering directory '/x'", Some("directories entered and left")),
            ("/usr/bin/x86_64-linux-gnu-gcc -O2 -c x.c", Some("commands")),
            ("/bin/sh ../libtool --mode=link -o x", Some("commands")),
            ("ar rcs libx.a x.o", Some("commands")),
            ("make: *** [Makefile:3: x.o] Error 1", None),
            ("gcc: fatal error: no input files", None),
            ("[ERROR] Building x", None),
            ("[12] x", None),
            ("  CC", None),
            ("  OK  it is done.", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }
}

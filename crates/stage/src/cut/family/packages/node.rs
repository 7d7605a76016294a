//! Lines of npm, pnpm, yarn and bun.

use crate::cut::family::sift::Fate;

/// What a line is, if it is one of theirs.
pub(super) fn fate(line: &str) -> Fate {
    match line.as_bytes().first() {
        Some(b'n') => npm(line),
        Some(b'P' | b'+') if is_progress(line) => Fate::Noise("progress"),
        Some(b' ' | b'0'..=b'9') => aside(line),
        Some(b'w') => yarn(line),
        Some(b'[') if is_stage(line) => Fate::Noise("progress"),
        Some(_) if line.starts_with("➤ YN") => berry(line),
        _ => Fate::Keep,
    }
}

fn npm(line: &str) -> Fate {
    let Some(rest) = line.strip_prefix("npm ") else { return Fate::Keep };
    match rest.split(' ').next().unwrap_or_default() {
        "http" => Fate::Noise("requests"),
        "timing" | "sill" | "silly" | "verb" | "verbose" => Fate::Noise("npm's own log"),
        "notice" => Fate::Noise("notices"),
        "warn" | "WARN" => warning(&rest[4..]),
        _ => Fate::Keep,
    }
}

/// A warning without its level: those that come in flocks are told a few times.
fn warning(words: &str) -> Fate {
    let words = words.trim_start();
    if words.starts_with("deprecated ") {
        Fate::Known("more deprecation warnings")
    } else if words.starts_with("ERESOLVE overriding peer dependency") {
        Fate::Known("more peer dependency warnings")
    } else {
        Fate::Keep
    }
}

/// pnpm's counter before it is done, and its bar.
fn is_progress(line: &str) -> bool {
    let counter = line.starts_with("Progress: resolved ") && !line.ends_with("done");
    counter
        || (line.len() > 2 && line.bytes().all(|byte| matches!(byte, b'+' | b'-')) && line.starts_with("+++"))
}

/// `[2/4] Fetching packages...`
fn is_stage(line: &str) -> bool {
    let stage = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    stage.is_some_and(|(count, words)| {
        count.len() == 3
            && count.as_bytes()[1] == b'/'
            && words.ends_with("...")
            && ["Resolving", "Fetching", "Linking", "Building", "Validating"]
                .iter()
                .any(|word| words.contains(word))
    })
}

/// Requests for money, and pnpm's warnings.
fn aside(line: &str) -> Fate {
    if line.ends_with(" are looking for funding")
        || line.ends_with(" is looking for funding")
        || line.trim_start() == "run `npm fund` for details"
    {
        return Fate::Noise("notices");
    }
    match line.strip_prefix(" WARN ") {
        Some(words) => warning(words),
        None => Fate::Keep,
    }
}

fn yarn(line: &str) -> Fate {
    let Some(words) = line.strip_prefix("warning ") else { return Fate::Keep };
    if words.contains(" has unmet peer dependency ") || words.contains(" has incorrect peer dependency ") {
        Fate::Known("more peer dependency warnings")
    } else if words.contains(" > ") && words.contains('@') && words.contains(": ") {
        Fate::Known("more deprecation warnings")
    } else {
        Fate::Keep
    }
}

/// Yarn's numbered messages.
fn berry(line: &str) -> Fate {
    let code = line.trim_start_matches("➤ ").get(..6).unwrap_or_default();
    match code {
        "YN0013" | "YN0019" => Fate::Noise("downloads"),
        "YN0002" | "YN0060" | "YN0086" => Fate::Known("more peer dependency warnings"),
        "YN0061" => Fate::Known("more deprecation warnings"),
        _ => Fate::Keep,
    }
}

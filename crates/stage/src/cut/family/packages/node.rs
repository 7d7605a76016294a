//! Recognises lines of npm, pnpm, yarn and bun.

use crate::cut::family::sift::LineFate;

/// The fate of a line. Lines that are not recognised are kept.
pub(super) fn fate(line: &str) -> LineFate {
    match line.as_bytes().first() {
        Some(b'n') => npm(line),
        Some(b'P' | b'+') if is_progress(line) => LineFate::Noise("progress"),
        Some(b' ' | b'0'..=b'9') => aside(line),
        Some(b'w') => yarn(line),
        Some(b'[') if is_stage(line) => LineFate::Noise("progress"),
        Some(_) if line.starts_with("➤ YN") => berry(line),
        _ => LineFate::Keep,
    }
}

fn npm(line: &str) -> LineFate {
    let Some(rest) = line.strip_prefix("npm ") else { return LineFate::Keep };
    match rest.split(' ').next().unwrap_or_default() {
        "http" => LineFate::Noise("requests"),
        "timing" | "sill" | "silly" | "verb" | "verbose" => LineFate::Noise("npm's own log"),
        "notice" => LineFate::Noise("notices"),
        "warn" | "WARN" => warning(&rest[4..]),
        _ => LineFate::Keep,
    }
}

/// The fate of a warning, given without its level. If a kind of warning occurs in large numbers, only a few are
/// shown.
fn warning(words: &str) -> LineFate {
    let words = words.trim_start();
    if words.starts_with("deprecated ") {
        LineFate::Known("more deprecation warnings")
    } else if words.starts_with("ERESOLVE overriding peer dependency") {
        LineFate::Known("more peer dependency warnings")
    } else {
        LineFate::Keep
    }
}

/// True for pnpm's progress counter, unless it is done, and for its progress bar.
fn is_progress(line: &str) -> bool {
    let counter = line.starts_with("Progress: resolved ") && !line.ends_with("done");
    counter
        || (line.len() > 2 && line.bytes().all(|byte| matches!(byte, b'+' | b'-')) && line.starts_with("+++"))
}

/// True for `[2/4] Fetching packages...`.
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

/// The fate of funding requests and of pnpm's warnings.
fn aside(line: &str) -> LineFate {
    if line.ends_with(" are looking for funding")
        || line.ends_with(" is looking for funding")
        || line.ends_with("for details") && line.trim_start() == "run `npm fund` for details"
    {
        return LineFate::Noise("notices");
    }
    match line.strip_prefix(" WARN ") {
        Some(words) => warning(words),
        None => LineFate::Keep,
    }
}

fn yarn(line: &str) -> LineFate {
    let Some(words) = line.strip_prefix("warning ") else { return LineFate::Keep };
    if words.contains(" has unmet peer dependency ") || words.contains(" has incorrect peer dependency ") {
        LineFate::Known("more peer dependency warnings")
    } else if words.contains(" > ") && words.contains('@') && words.contains(": ") {
        LineFate::Known("more deprecation warnings")
    } else {
        LineFate::Keep
    }
}

/// The fate of Yarn's numbered messages.
fn berry(line: &str) -> LineFate {
    let code = line.trim_start_matches("➤ ").get(..6).unwrap_or_default();
    match code {
        "YN0013" | "YN0019" => LineFate::Noise("downloads"),
        "YN0002" | "YN0060" | "YN0086" => LineFate::Known("more peer dependency warnings"),
        "YN0061" => LineFate::Known("more deprecation warnings"),
        _ => LineFate::Keep,
    }
}

//! Matches names against patterns in which `*` matches any text.

/// True when `name` matches `pattern`, in which `*` matches any text.
#[must_use]
pub fn fits_pattern(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(name) = name.strip_prefix(head).and_then(|name| name.strip_suffix(tail)) else { return false };
    // Matching each part as early as possible leaves the most text for the parts after it.
    let mut left = Some(name);
    middle
        .split('*')
        .for_each(|part| left = left.and_then(|left| left.split_once(part)).map(|(_, rest)| rest));
    left.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_part() {
        for (pattern, names) in [
            ("*", " a mcp__x"),
            ("mcp__*", "mcp__ mcp__db__query"),
            ("*_file", "read_file _file"),
            ("a*c", "ac abc accc"),
            ("*b*", "b abc bb"),
            ("a*b*c", "abc aXbYc abbcc"),
            ("a**c", "ac abc"),
            ("read", "read"),
        ] {
            assert!(names.split(' ').all(|name| fits_pattern(pattern, name)), "{pattern}");
        }
        for (pattern, name) in
            [("read", "reads"), ("a*a", "a"), ("a*b*c", "acb"), ("*x*", "abc"), ("ab*ba", "aba"), ("", "x")]
        {
            assert!(!fits_pattern(pattern, name), "{pattern} {name}");
        }
    }
}

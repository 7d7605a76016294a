//! Replaces `${VAR}` and `${VAR:-default}` in a file with environment variables.

use super::env::Environment;

/// The text with every variable replaced; `$${` produces a literal `${`. An empty variable counts as not set.
pub(crate) fn substitute(text: &str, environment: &Environment) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("${") {
        let before = &rest[..at];
        if let Some(before) = before.strip_suffix('$') {
            out.push_str(before);
            out.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        let end = rest[at..].find('}').ok_or("${ is not closed; write $${ for a literal ${")?;
        out.push_str(before);
        out.push_str(&value(&rest[at + 2..at + end], environment)?);
        rest = &rest[at + end + 1..];
    }
    Ok(out + rest)
}

/// The text, if it refers to no variable. A file that the user did not choose may not read the environment.
pub(crate) fn literal(text: &str) -> Result<String, String> {
    let mut pieces = text.split("${").peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_some() && !piece.ends_with('$') {
            let what = "`${...}` is not replaced in a configuration file that was found automatically";
            return Err(format!("{what}; pass the file with --config"));
        }
    }
    Ok(text.replace("$${", "${"))
}

fn value(inside: &str, environment: &Environment) -> Result<String, String> {
    let (name, otherwise) = inside.split_once(":-").map_or((inside, None), |(name, it)| (name, Some(it)));
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(format!("${{{inside}}} is not a variable; write ${{NAME}} or ${{NAME:-default}}"));
    }
    let set = environment.get(name).filter(|value| !value.is_empty()).map(String::as_str);
    let value = set.or(otherwise).map(str::to_owned);
    value.ok_or_else(|| format!("variable {name} is not set; set it, or write ${{{name}:-default}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let environment =
            [("A", "1"), ("EMPTY", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let found = substitute(text, &environment.into());
        match expected {
            Ok(expected) => assert_eq!(found.as_deref(), Ok(expected), "{text}"),
            Err(part) => assert!(found.clone().is_err_and(|what| what.contains(part)), "{text}: {found:?}"),
        }
    }

    /// Behaviour 12.6.
    #[test]
    fn variables_are_replaced() {
        check("x${A}y${A}", Ok("x1y1"));
        check("${B:-two}${EMPTY:-three}${A:-four}", Ok("twothree1"));
        check("${B:-}", Ok(""));
        check("$A $ {A} a$$b", Ok("$A $ {A} a$$b"));
        check("$${A}", Ok("${A}"));
    }

    /// Behaviour 14.10.
    #[test]
    fn a_file_that_was_merely_found_names_no_variable() {
        for text in ["${A}", "x${A:-y}", "$${A}${B}", "${"] {
            assert!(literal(text).is_err(), "{text}");
        }
        for (text, expected) in [("$${A}", "${A}"), ("$A {B} $", "$A {B} $"), ("", "")] {
            assert_eq!(literal(text).as_deref(), Ok(expected), "{text}");
        }
    }

    /// Behaviour 12.7.
    #[test]
    fn what_cannot_be_replaced_is_said() {
        check("${B}", Err("B is not set"));
        check("${EMPTY}", Err("EMPTY is not set"));
        check("${A", Err("is not closed"));
        check("${}", Err("is not a variable"));
        check("${a b}", Err("is not a variable"));
    }
}

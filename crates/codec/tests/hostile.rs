//! Hostile input is normal input: bounded time, bounded memory, a clear answer.
//!
//! The limit is far above what a case takes and far below what one quadratic step would.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::time::{Duration, Instant};

use tersely_codec::{Form, decode, encode, json};

const LIMIT: Duration = Duration::from_mins(1);

/// Encodes and decodes a document in every form.
fn check(text: &str) {
    let start = Instant::now();
    let value = json::decode(text).expect("JSON");
    for form in [Form::Stc, Form::Terse] {
        let written = encode(form, &value).expect("these forms hold every value");
        assert!(decode(form, &written).as_ref() == Ok(&value), "{}", form.name());
    }
    assert!(start.elapsed() < LIMIT, "took {:?} for {} bytes", start.elapsed(), text.len());
}

/// Reads a text that is not a document.
fn refuse(form: Form, text: &str) -> String {
    let start = Instant::now();
    let error = decode(form, text).expect_err("no document").to_string();
    assert!(start.elapsed() < LIMIT, "took {:?} for {} bytes", start.elapsed(), text.len());
    error
}

fn join(open: &str, parts: impl Iterator<Item = String>, close: &str) -> String {
    format!("{open}{}{close}", parts.collect::<Vec<_>>().join(","))
}

/// Three records of 150 fields with nearly the same texts: each field might be made of any other.
fn lookalikes() -> String {
    let record = |n: usize| join("{", (0..150).map(|key| format!("\"k{key}\":\"aaaaaaaa{n}\"")), "}");
    join("[", (0..3).map(record), "]")
}

#[test]
fn a_hundred_megabytes_of_brackets_are_refused_at_once() {
    let brackets = "[".repeat(100_000_000);
    for form in [Form::Json, Form::Stc, Form::Terse] {
        assert!(refuse(form, &brackets).contains("levels"), "{}", form.name());
    }
}

#[test]
fn long_lists_take_linear_time() {
    check(&join("[", (0..100_000).map(|n| format!("{{\"a\":{n},\"b\":\"x{n}\"}}")), "]"));
}

#[test]
fn wide_records_take_linear_time() {
    let record = |n: usize| join("{", (0..390).map(|key| format!("\"k{key}\":\"v{n}-{key}\"")), "}");
    check(&join("[", (0..100).map(record), "]"));
}

#[test]
fn records_without_a_key_in_common_take_linear_time() {
    check(&join("[", (0..50_000).map(|n| format!("{{\"k{n}\":1}}")), "]"));
}

#[test]
fn fields_that_look_alike_take_bounded_time() {
    let part = lookalikes();
    check(&join("[", (0..50).map(|_| part.clone()), "]"));
    check(&join("{", (0..50).map(|n| format!("\"x{n}\":{part}")), "}"));
}

#[test]
fn deep_lists_take_bounded_time() {
    let mut deep = format!("[{{\"a\":1,\"b\":\"{}\"}},{{\"a\":2,\"b\":\"y\"}}]", "x".repeat(200_000));
    (0..60).for_each(|_| deep = format!("[{{\"a\":{deep}}},{{\"a\":1}}]"));
    check(&deep);
}

#[test]
fn lists_inside_records_take_linear_time() {
    let inner = |n: usize| join("[", (0..50).map(|k| format!("{{\"u\":\"x{n}/{k}\",\"k\":{k}}}")), "]");
    check(&join("[", (0..500).map(|n| format!("{{\"id\":{n},\"n\":\"x{n}\",\"l\":{}}}", inner(n))), "]"));
}

#[test]
fn counts_do_not_take_memory() {
    assert!(refuse(Form::Terse, "999999999 rows\na\n1").contains("999999998 more rows"));
    assert!(refuse(Form::Terse, "999999999 items\nitem 1: 1").contains("item 2"));
    refuse(Form::Stc, "{a[999999999]: 1}");
}

#[test]
fn a_line_said_once_cannot_fill_the_memory() {
    let rows = "\n1".repeat(100_000);
    let long = "x".repeat(100_000);
    for fact in
        [format!("every row: b={long}"), format!("b = {long}{{a}}"), format!("unless given: b={long}")]
    {
        let bomb = format!("100000 rows\n{fact}\na{rows}");
        assert!(refuse(Form::Terse, &bomb).contains("less of what is said once"));
    }
}

#[test]
fn many_lists_cannot_either() {
    let list = format!("2 records\nevery record: b={}\n{{}}\n{{}}", "x".repeat(50));
    let lists: Vec<String> = (0..10_000).map(|n| format!("k{n}: {list}")).collect();
    check(&json::encode(&decode(Form::Terse, &lists.join("\n")).expect("a document")));
}

#[test]
fn facts_are_bounded() {
    let many = join("", (0..80_000).map(|n| format!(" a{n}.x=1")), "");
    assert!(
        refuse(Form::Terse, &format!("2 records\nevery record:{many}\n{{b:1}}\n{{b:2}}")).contains("fewer")
    );
    let template = "{b}".repeat(30_000);
    assert!(
        refuse(Form::Terse, &format!("2 records\na = {template}\n{{b:1}}\n{{b:2}}")).contains("64 parts")
    );
    let deep = "a.".repeat(200_000);
    refuse(Form::Terse, &format!("2 records\nfields of {deep}a: x\n{{b:1}}\n{{b:2}}"));
}

#[test]
fn braces_in_a_template_take_linear_time() {
    let start = Instant::now();
    let text = format!("2 records\nb = {}\n{{a:1}}\n{{a:2}}", "{".repeat(1_000_000));
    assert!(decode(Form::Terse, &text).is_ok());
    assert!(start.elapsed() < LIMIT);
}

#[test]
fn small_lists_in_great_number_take_linear_time() {
    let list = "2 records\n {a:1}\n{a:2}".replace("\n ", "\n");
    let text: Vec<String> = (0..40_000).map(|n| format!("k{n}: {list}")).collect();
    let start = Instant::now();
    assert!(decode(Form::Terse, &text.join("\n")).is_ok());
    assert!(start.elapsed() < LIMIT);
}

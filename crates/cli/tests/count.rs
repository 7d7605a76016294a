//! Tests the `tersely count` command.

use tersely_testing::run::BuiltBinary;

const TERSELY: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely"), place: env!("CARGO_TARGET_TMPDIR") };

#[test]
fn one_file_is_one_line() {
    let file = TERSELY.file("count/one.txt", "hello world");
    TERSELY.check(&format!("count {file}"), "", (&format!("2  {file}\n"), 0), &[]);
    TERSELY.check("count", "hello world", ("2  <stdin>\n", 0), &[]);
    TERSELY.check("count -", "", ("0  <stdin>\n", 0), &[]);
}

#[test]
fn several_files_have_a_total() {
    let (small, large) =
        (TERSELY.file("count/small.txt", "hello"), TERSELY.file("count/large.txt", "hello ".repeat(40)));
    let ran = TERSELY.run(&format!("count {small} {large}"), "");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], format!(" 1  {small}"));
    assert_eq!(lines[2], "42  total");
}

#[test]
fn scripts_get_one_object() {
    let file = TERSELY.file("count/script.txt", "hello world");
    let stdout = format!("{{\"files\":[{{\"file\":\"{file}\",\"tokens\":2}}],\"total\":2}}\n");
    TERSELY.check(&format!("count --json {file}"), "", (&stdout, 0), &[]);
}

#[test]
fn what_cannot_be_read_is_said_in_a_line() {
    TERSELY.check("count no-such.txt", "", ("", 2), &["no-such.txt: no such file", "hint: "]);
    TERSELY.check("count", b"\xff", ("", 2), &["<stdin>: not UTF-8", "hint: "]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    use std::process::{Command, Stdio};
    let file = TERSELY.file("count/wide.txt", "hello");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tersely"))
        .args(["encode", "--form", "json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), format!("[\"{file}\"]").as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), String::from_utf8(done.stderr).unwrap()), (Some(0), String::new()));
}

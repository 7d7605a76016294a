//! Output of test runners: failures are shown faithfully, passing runs are short.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fs;

use tersely_core::{Call, O200k, Plan, compress, restore};
use tersely_testing::corpus::project;

/// A runner's command, how its first failure begins and ends, and a verdict when red and when green.
struct Runner {
    name: &'static str,
    command: &'static str,
    failure: (&'static str, &'static str),
    verdicts: (&'static str, &'static str),
}

const fn runner(
    name: &'static str,
    command: &'static str,
    failure: (&'static str, &'static str),
    verdicts: (&'static str, &'static str),
) -> Runner {
    Runner { name, command, failure, verdicts }
}

const RUNNERS: [Runner; 20] = [
    runner(
        "ansible",
        "ansible-playbook site.yml",
        ("TASK [Read the", "\"stdout_lines\": []}"),
        ("failed=1", "failed=0"),
    ),
    runner(
        "cargo-test",
        "cargo test",
        ("---- tests::gives", " right: 130"),
        ("test result: FAILED", "test result: ok. 24 passed"),
    ),
    runner(
        "docker",
        "docker build .",
        ("#7 0.412 cc", "exit code: 2\n"),
        ("ERROR: failed to solve", "#8 DONE"),
    ),
    runner(
        "go-test",
        "go test -v ./...",
        ("=== RUN   TestDiscount", "--- FAIL: TestDiscount"),
        ("FAIL\texample.com/shop/total", "ok  \texample.com/shop/prices"),
    ),
    runner(
        "jest",
        "npx jest",
        ("  ● gives ten", "jest_red.test.js:27"),
        ("2 failed, 24 passed", "24 passed, 24 total"),
    ),
    runner(
        "kubectl",
        "kubectl rollout status deployment/shop",
        ("error: deployment", "deadline"),
        ("exceeded", "successfully rolled out"),
    ),
    runner(
        "make",
        "make",
        ("f3.c: In function", "make: *** [Makefile:5: f3.o] Error 1"),
        ("Error 1", "make: Leaving directory"),
    ),
    runner(
        "maven",
        "mvn test",
        ("[ERROR] com.example.DiscountTest.gives", "Method.java:580)"),
        ("BUILD FAILURE", "BUILD SUCCESS"),
    ),
    runner(
        "minitest",
        "bin/rails test -v",
        ("  1) Failure:", "  Actual: 135"),
        ("1 failures", "24 runs, 24 assertions, 0 failures"),
    ),
    runner("mocha", "npx mocha", ("  1) total", "mocha_red.cjs:28"), ("2 failing", "24 passing")),
    runner(
        "nextest",
        "cargo nextest run",
        ("        FAIL [", " right: 130"),
        ("1 failed", "24 tests run: 24 passed"),
    ),
    runner("node-test", "node --test", ("✖ gives ten", "  }"), ("ℹ fail 2", "ℹ pass 24")),
    runner("npm", "npm install x", ("npm error code", "git url."), ("npm error 404", "added ")),
    runner(
        "pip",
        "pip install x",
        ("ERROR: Could not", "none)"),
        ("No matching distribution", "Successfully installed"),
    ),
    runner(
        "playwright",
        "npx playwright test",
        ("  1) [api]", "basket.spec.ts:103:48"),
        ("2 failed", "24 passed"),
    ),
    runner(
        "psql",
        "psql -f seed.sql",
        ("psql:seed.sql:15: ERROR", "already exists."),
        ("ROLLBACK", "COMMIT"),
    ),
    runner(
        "pytest",
        "pytest -v",
        ("____ test_discount", "prices were read"),
        ("2 failed, 24 passed", "24 passed in"),
    ),
    runner(
        "terraform",
        "terraform apply -auto-approve",
        ("Error: local-exec", "Output:"),
        ("exit status 3", "Apply complete! Resources: 6 added"),
    ),
    runner(
        "unittest",
        "python -m unittest -v",
        ("FAIL: test_discount", "AssertionError: 135 != 130"),
        ("FAILED (failures=1)", "Ran 24 tests"),
    ),
    runner(
        "vitest",
        "npx vitest run",
        ("AssertionError: expected 135", "vitest_red.spec.mjs:27"),
        ("2 failed | 24 passed", "24 passed (24)"),
    ),
];

fn printed(name: &str, colour: &str) -> String {
    let file = format!("crates/core/tests/fixtures/runs/{name}.{colour}.txt");
    fs::read_to_string(project().join(&file)).expect(&file)
}

/// What is shown of a text, read as its lines say, and what it costs.
fn shown(command: &str, text: &str) -> (String, usize) {
    let call = Call { tool: "Bash", command: Some(command), ..Call::default() };
    let outcome = compress(&Plan::default(), call, text);
    (restore(&outcome.text).expect("ours").into_owned(), outcome.ledger.after)
}

/// The lines from the one with the first of two words up to the one with the second.
fn between<'t>(text: &'t str, (first, last): (&str, &str)) -> &'t str {
    let start = text.find(first).expect(first);
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = start + text[start..].find(last).expect(last);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    &text[start..end]
}

/// Behaviour 3.25: the first failure is shown with everything, and so is every verdict.
#[test]
fn a_red_run_reads_red() {
    let mut broken = Vec::new();
    for Runner { name, command, failure, verdicts } in RUNNERS {
        let text = printed(name, "red");
        let (shown, _) = shown(command, &text);
        let whole = between(&text, failure);
        if !shown.contains(whole) || !shown.contains(verdicts.0) {
            broken.push(format!("{name}: {whole}\n{}\nnot in\n{shown}", verdicts.0));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}

/// Behaviour 3.25: a run that passed keeps its verdict and its counts, which are its own.
#[test]
fn a_green_run_is_short() {
    let (mut all, mut sent) = (0, 0);
    let mut broken = Vec::new();
    for Runner { name, command, verdicts, .. } in RUNNERS {
        let text = printed(name, "green");
        let (shown, cost) = shown(command, &text);
        if !shown.contains(verdicts.1) || cost > O200k.count(&text) {
            broken.push(format!("{name}: {}\nnot in\n{shown}", verdicts.1));
        }
        all += O200k.count(&text);
        sent += cost;
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    assert!(sent * 3 < all * 2, "{sent} of {all} tokens");
}

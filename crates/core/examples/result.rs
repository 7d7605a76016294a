//! Compresses one tool result without loss, prints what that saved, and restores it.
//!
//!     cargo run --package tersely-core --example result

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::fmt::Write as _;

use tersely_core::{Call, Loss, Plan, compress, restore};

fn main() {
    let text = issues();
    // `Loss::None`: whatever is sent decodes to what came, byte for byte.
    let plan = Plan { loss: Loss::None, ..Plan::USUAL };
    let call = Call {
        tool: "Bash",
        command: Some("gh issue list --json number,state,title,url"),
        ..Call::default()
    };

    let outcome = compress(&plan, call, &text);
    println!("{}\n", outcome.text);
    for step in &outcome.ledger.steps {
        println!("{}: {} tokens became {}", step.stage, step.before, step.after);
    }
    assert!(outcome.ledger.after < outcome.ledger.before);
    assert_eq!(restore(&outcome.text).as_deref(), Some(text.as_str()));
}

/// Output of a command line tool: JSON with the same values in every row.
fn issues() -> String {
    let mut text = String::from("[\n");
    for number in 640..650 {
        let comma = if number == 649 { "" } else { "," };
        let url = format!("https://github.com/acme/shop/issues/{number}");
        let _ = writeln!(
            text,
            r#"  {{"number": {number}, "state": "open", "title": "Crash in step {number}", "url": "{url}"}}{comma}"#
        );
    }
    text + "]\n"
}

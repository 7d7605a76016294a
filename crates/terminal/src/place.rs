//! A panic hook that prints only the source location, because the message of a panic may contain a user's text.

use std::panic::{self, Location};

use crate::output;

/// Installs the hook.
pub fn only() {
    panic::set_hook(Box::new(|panic| {
        // If stderr is closed, the error cannot be reported.
        let _ = output::note(&words(panic.location()));
    }));
}

fn words(place: Option<&Location<'_>>) -> String {
    let place =
        place.map_or_else(|| "an unknown place".to_owned(), |it| format!("{}:{}", it.file(), it.line()));
    format!("tersely: internal error at {place}; please report it")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// The test below runs this in a separate process, because a panic hook applies to a whole process.
    #[test]
    #[ignore = "panics on purpose"]
    fn panics_with_a_text() {
        super::only();
        let text = String::from("é is what the model wrote");
        let _ = &text[1..];
    }

    #[test]
    fn a_panic_prints_its_place_and_not_its_words() {
        let name = "place::tests::panics_with_a_text";
        let mut test = Command::new(std::env::current_exe().unwrap());
        let output = test.args(["--exact", name, "--ignored", "--nocapture"]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(stderr.contains("tersely: internal error at ") && stderr.contains("place.rs:"), "{stderr}");
        for said in [&stderr, &String::from_utf8(output.stdout).unwrap()] {
            assert!(!said.contains("what the model wrote"), "{said}");
        }
    }
}

//! Says where the program failed, and nothing of what it was looking at: a panic's own words may quote a text.

use std::panic::{self, Location};

use crate::output;

/// From here on a panic prints its place alone.
pub fn only() {
    panic::set_hook(Box::new(|panic| {
        // Who panics cannot be told that stderr is gone.
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

    /// Run by the test below, in a process of its own: a hook is there for the whole process.
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

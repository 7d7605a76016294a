//! Bounds the number of model names per day, because they come from requests and are stored permanently.

use std::collections::HashSet;

/// Maximum number of models per day that one process records by name.
const MAX_MODELS: usize = 64;

/// The name under which all other models are recorded.
const OTHER: &str = "other";

/// The model names of a day.
#[derive(Default)]
pub(crate) struct DayNames {
    day: String,
    known: HashSet<String>,
}

impl DayNames {
    /// The name under which a model is recorded.
    pub(crate) fn of<'n>(&mut self, day: &str, name: &'n str) -> &'n str {
        if self.day != day {
            day.clone_into(&mut self.day);
            self.known.clear();
        }
        if self.known.contains(name) {
            return name;
        }
        if self.known.len() >= MAX_MODELS {
            return OTHER;
        }
        self.known.insert(name.to_owned());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_so_many_names_and_no_more() {
        let mut names = DayNames::default();
        for at in 0..MAX_MODELS {
            let name = format!("m{at}");
            assert_eq!(names.of("a", &name), name);
        }
        assert_eq!(names.of("a", "one more"), OTHER);
        assert_eq!(names.of("a", "m0"), "m0", "those that are known stay");
        assert_eq!(names.of("b", "one more"), "one more", "a new day is a new list");
    }
}

//! Knows which result a name means, after all the results so far.

use std::collections::HashMap;

use tersely_stage::Call;

use crate::session::name::{CommandEnds, ResultNames, given, names};
use crate::session::shown::Shown;

/// The results by what they are called.
#[derive(Default)]
pub(super) struct KnownNames {
    /// The last result of each name; `None` where it cannot be named.
    places: HashMap<String, Option<usize>>,
    /// The commands that go by their ends, and what their results are called.
    ends: Vec<(CommandEnds, ResultNames)>,
}

/// The most commands that go by their ends: each is held against every later one.
const MAX_ENDS: usize = 256;

impl KnownNames {
    /// Where the result stands that a name means.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        *self.places.get(name)?
    }

    /// Takes note of the result at a place.
    pub(super) fn add(&mut self, call: Call<'_>, shown: &Shown, place: usize) {
        self.block_ends(call, Some(&shown.names));
        let place = self.knows_ends(call, &shown.names).then_some(place);
        let ResultNames { last, whole } = &shown.names;
        self.places.insert(last.clone(), place);
        let Some(whole) = whole else { return };
        // A reader may take a result that was cut for a whole one, or not.
        if shown.is_whole {
            self.places.insert(whole.clone(), place.filter(|_| !shown.is_cut()));
        }
    }

    /// Takes note of a result that nothing can name.
    pub(super) fn block(&mut self, call: Call<'_>) {
        self.block_ends(call, None);
        if let Some(names) = names(call) {
            Self::forget(&mut self.places, names);
        }
    }

    /// Nothing is called by the ends of an earlier command that a later one of another name has too.
    fn block_ends(&mut self, call: Call<'_>, own: Option<&ResultNames>) {
        if self.ends.is_empty() {
            return;
        }
        let Some(given) = given(call) else { return };
        for (ends, names) in &self.ends {
            if ends.are_of(&given) && own != Some(names) {
                Self::forget(&mut self.places, names.clone());
            }
        }
    }

    fn forget(places: &mut HashMap<String, Option<usize>>, names: ResultNames) {
        places.insert(names.last, None);
        places.extend(names.whole.map(|whole| (whole, None)));
    }

    /// True when the name of a call's result is its command or its path, or when its ends are known.
    fn knows_ends(&mut self, call: Call<'_>, names: &ResultNames) -> bool {
        let Some(ends) = CommandEnds::of(call) else { return true };
        let known = self.ends.iter().any(|(_, known)| known == names);
        if !known && self.ends.len() < MAX_ENDS {
            self.ends.push((ends, names.clone()));
            return true;
        }
        known
    }
}

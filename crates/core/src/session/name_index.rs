//! Finds the result that a name refers to.

use std::collections::HashMap;

use tersely_stage::Call;

use crate::session::name::{CommandEnds, ResultNames, command_of, names};
use crate::session::shown_result::ShownResult;

/// The results by their names.
#[derive(Default)]
pub(super) struct NameIndex {
    /// The last result with each name; `None` if nothing may refer to it.
    places: HashMap<String, Option<usize>>,
    /// Commands that are identified by their ends, and the names of their results.
    ends: Vec<(CommandEnds, ResultNames)>,
}

/// The maximum number of commands that are named by their ends. Each one is compared with every later command.
const MAX_ENDS: usize = 256;

impl NameIndex {
    /// The index of the result that a name refers to.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        *self.places.get(name)?
    }

    /// Adds the result with index `place`.
    pub(super) fn add(&mut self, call: Call<'_>, shown: &ShownResult, place: usize) {
        self.block_ends(call, Some(&shown.names));
        let place = self.register_ends(call, &shown.names).then_some(place);
        let ResultNames { last, whole } = &shown.names;
        self.places.insert(last.clone(), place);
        let Some(whole) = whole else { return };
        // A reader cannot tell whether a cut result counts as "shown whole", so that name then refers to nothing.
        if shown.is_whole {
            self.places.insert(whole.clone(), place.filter(|_| !shown.is_cut()));
        }
    }

    /// Adds a result that nothing may refer to.
    pub(super) fn block(&mut self, call: Call<'_>) {
        self.block_ends(call, None);
        if let Some(names) = names(call) {
            Self::forget(&mut self.places, names);
        }
    }

    /// Blocks the names of earlier commands whose ends also match this command.
    fn block_ends(&mut self, call: Call<'_>, own: Option<&ResultNames>) {
        if self.ends.is_empty() {
            return;
        }
        let Some(command) = command_of(call) else { return };
        for (ends, names) in &self.ends {
            if ends.matches(&command) && own != Some(names) {
                Self::forget(&mut self.places, names.clone());
            }
        }
    }

    fn forget(places: &mut HashMap<String, Option<usize>>, names: ResultNames) {
        places.insert(names.last, None);
        places.extend(names.whole.map(|whole| (whole, None)));
    }

    /// Registers the ends of a long command. Returns false if the index is full.
    fn register_ends(&mut self, call: Call<'_>, names: &ResultNames) -> bool {
        let Some(ends) = CommandEnds::of(call) else { return true };
        let known = self.ends.iter().any(|(_, known)| known == names);
        if !known && self.ends.len() < MAX_ENDS {
            self.ends.push((ends, names.clone()));
            return true;
        }
        known
    }
}

//! Where requests go under `tersely run`: to where the same program goes by itself, or to a place that its user chose
//! for that provider, and nowhere else.
//!
//! Programs are known here by what they read, and in which order. What they find decides where they go by themselves;
//! what they find under `tersely run` is used, with a key, and whoever gets it takes note.

mod client;
mod library;
mod town;

/// All subsets of so many things, as bits.
fn subsets(of: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1_usize << of).map(move |set| (0..of).map(|bit| set >> bit & 1 == 1).collect())
}

//! Tests where requests go under `tersely run`: where the program sends them by itself, or where its user chose for
//! that provider, and nowhere else.
//!
//! A program is modelled by what it reads, and in which order. That determines where it sends requests by itself. The
//! test then sends a request with a key to the address it finds under `tersely run`, and checks which server receives
//! it.

mod client;
mod library;
mod town;

/// All subsets of `of` things, as bits.
fn subsets(of: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1_usize << of).map(move |set| (0..of).map(|bit| set >> bit & 1 == 1).collect())
}

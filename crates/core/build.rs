//! Writes the vocabulary as tables that are looked up where they lie, so that a program starts at once and stays small.

#![expect(clippy::expect_used, reason = "a build that cannot be done had better say so")]

#[path = "src/tokens/slot.rs"]
mod slot;

use std::env;
use std::fs;
use std::path::Path;

use bpe_openai::o200k_base;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/slot.rs");
    let bpe = &o200k_base().bpe;
    let ids = 0..u32::try_from(bpe.num_tokens()).expect("ids are numbers of 32 bits");
    let tokens: Vec<&[u8]> = ids.map(|id| bpe.token_bytes(id)).collect();
    let folder = env::var("OUT_DIR").expect("cargo names a folder");
    let write = |name: &str, bytes: Vec<u8>| {
        fs::write(Path::new(&folder).join(name), bytes).expect("the folder can be written");
    };
    write("o200k.bytes", tokens.concat());
    write("o200k.starts", words(&starts(&tokens)));
    write("o200k.slots", words(&slots(&tokens)));
}

/// Where each token begins among the bytes of all, and where the last one ends.
fn starts(tokens: &[&[u8]]) -> Vec<u32> {
    let ends = tokens.iter().scan(0, |end, token| {
        *end += u32::try_from(token.len()).expect("tokens are short");
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// A table in which each token stands in the first free slot from its own on.
fn slots(tokens: &[&[u8]]) -> Vec<u32> {
    let mut slots = vec![slot::FREE; slot::SLOTS];
    for (id, token) in (0..).zip(tokens) {
        let hash = slot::hash(token);
        let mut at = slot::first(hash);
        while slots[at] != slot::FREE {
            at = slot::next(at);
        }
        slots[at] = slot::mark(hash) | id;
    }
    slots
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

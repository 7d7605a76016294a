//! Writes the vocabulary as bytes and lengths of its tokens. The program builds its tables from them at the first count.

#![expect(clippy::expect_used, reason = "a build that cannot be done had better say so")]

use std::env;
use std::fs;
use std::path::Path;

use bpe_openai::o200k_base;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let bpe = &o200k_base().bpe;
    let ids = 0..u32::try_from(bpe.num_tokens()).expect("ids are numbers of 32 bits");
    let tokens: Vec<&[u8]> = ids.map(|id| bpe.token_bytes(id)).collect();
    let lengths = tokens.iter().map(|token| u8::try_from(token.len()).expect("tokens are short"));
    let folder = env::var("OUT_DIR").expect("cargo names a folder");
    let write = |name: &str, bytes: Vec<u8>| {
        fs::write(Path::new(&folder).join(name), bytes).expect("the folder can be written");
    };
    write("o200k.lengths", lengths.collect());
    write("o200k.bytes", tokens.concat());
}

//! Answers a call of `expand_context` as a gateway does: the call's arguments as JSON, and a file with the original.
//!
//!     cargo run --package tersely-core --example expand '{"id": "shadow_1", "part": "10-40"}' result.txt

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::{env, fs};

use tersely_core::expand::ExpandRequest;

fn main() -> Result<(), Box<dyn Error>> {
    let [call, file] =
        env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "give a call and a file")?;
    let text = fs::read_to_string(file)?;
    print!("{}", ExpandRequest::read(&call)?.show(&text));
    Ok(())
}

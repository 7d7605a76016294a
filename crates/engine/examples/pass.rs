//! Passes request bodies, one a line, through the engine with a memo, so that instructions can be counted.
//!
//!     valgrind --tool=callgrind target/release/examples/pass read|pass|check FILE [ROUNDS]
//!
//! `read` only reads each body, which is the least that has to be done. `check` prints a digest of all that is sent and
//! reported: a change that only makes this faster leaves it as it is.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a measurement prints, and fails loudly")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::{env, fs};

use bytes::Bytes;
use tersely_engine::{Engine, EngineSettings, Memo, Recall, Request};
use tersely_wire::claimed_provider;

const PATH: &str = "/v1/messages";

fn main() {
    let mut args = env::args().skip(1);
    let what = args.next().expect("read or pass");
    let bodies = Bytes::from(fs::read(args.next().expect("a file")).expect("bodies"));
    let rounds = args.next().map_or(1, |rounds| rounds.parse().expect("a number of rounds"));
    let provider = claimed_provider(PATH).expect("a provider");
    let (engine, memo) = (Engine::new(EngineSettings::default()), Memo::default());
    let (mut digest, mut count, mut length) = (DefaultHasher::new(), 0, 0);
    for _ in 0..rounds {
        for line in bodies.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let body = bodies.slice_ref(line);
            let reading = provider.read(&body);
            (count, length) = (count + 1, length + body.len());
            if what == "read" {
                reading.slots().len().hash(&mut digest);
                continue;
            }
            let recall = Some(Recall { memo: &memo, whose: b"me" });
            let request = Request { memo: recall, shared: Some(&body), ..Request::new(provider, PATH) };
            let passed = engine.pass_reading(&request, &reading).expect("no options");
            if what == "check" {
                (&*passed.body, format!("{:?}", passed.report)).hash(&mut digest);
            }
        }
    }
    println!("{count} bodies, {length} bytes, digest {:016x}", digest.finish());
}

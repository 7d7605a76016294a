//! Compression still produces the bytes of its profile: `profiles/<mode>@<number>.txt` has a hash for every fixture and
//! loss.
//!
//! With `TERSELY_BLESS=1` the hashes are written from the current code.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, READERS, Request};
use tersely_wire::{PROVIDERS, Provider};

const LOSSES: [Loss; 3] = [Loss::None, Loss::Form, Loss::Detail];

/// What to do about other bytes.
const ADVICE: &str = "These texts become other bytes than the profile names. In a running conversation that breaks the \
provider's prompt cache.\nUntil the first release that has the profile, write the hashes anew with\n  \
TERSELY_BLESS=1 cargo test -p tersely-engine --test profile\nand read what changed. From then on it is final \
(docs/deploy.md): undo the change, or keep what the profile does and add one with the next number; write the hashes \
anew only for a fault that broke a law, or for a new fixture, and name the texts in CHANGELOG.md.";

#[test]
fn safe_1_names_the_same_bytes() {
    check("safe@1");
}

#[test]
fn standard_1_names_the_same_bytes() {
    check("standard@1");
}

#[test]
fn aggressive_1_names_the_same_bytes() {
    check("aggressive@1");
}

fn check(profile: &str) {
    let file = root().join("engine/profiles").join(format!("{profile}.txt"));
    let mode = profile.parse().expect("a profile");
    let seen: String = LOSSES
        .into_iter()
        .flat_map(|loss| bodies().into_iter().map(move |body| line(mode, loss, &body)))
        .chain([readers()])
        .collect();
    if env::var_os("TERSELY_BLESS").is_some() {
        fs::write(&file, &seen).expect("the hashes");
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    let other: Vec<&str> = seen.lines().filter(|line| known.lines().all(|known| known != *line)).collect();
    assert!(
        other.is_empty(),
        "{profile}: {} of {} differ\n{}\n\n{ADVICE}",
        other.len(),
        seen.lines().count(),
        other.join("\n")
    );
    assert_eq!(known.lines().count(), seen.lines().count(), "{profile}: a fixture is gone\n\n{ADVICE}");
}

/// A body to compress.
struct Body {
    name: String,
    provider: &'static Provider,
    bytes: Vec<u8>,
}

fn line(mode: Mode, loss: Loss, body: &Body) -> String {
    let plan = Plan { mode, loss, ..Plan::default() };
    let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    let request = Request::new(body.provider, "/");
    let sent = engine.pass(&request, &body.bytes).expect("nothing to refuse").body;
    format!("{} {} {}\n", hash(&sent), loss.name(), body.name)
}

/// The table of readers: who is small decides bytes too.
fn readers() -> String {
    let table = READERS.iter().map(|(pattern, reader)| format!("{pattern} {}\n", reader.name()));
    format!("{} readers\n", hash(table.collect::<String>().as_bytes()))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hash, byte| {
        write!(hash, "{byte:02x}").expect("a text takes more");
        hash
    })
}

/// Every request of the wire's fixtures, every text of the core's in a request, and one request with them all, the
/// first of them said again, and every text of our own corpus; texts for a small model too.
fn bodies() -> Vec<Body> {
    let mut bodies: Vec<Body> = PROVIDERS.into_iter().flat_map(requests).collect();
    let texts = files(&root().join("core/fixtures"), "txt");
    assert!(!bodies.is_empty() && !texts.is_empty(), "fixtures are needed");
    let again = texts.iter().chain(texts.iter().take(8)).cloned().collect::<Vec<_>>();
    for (model, of) in [("m", ""), ("qwen2.5-coder:1.5b", "small/")] {
        let named = |file: &PathBuf| format!("{of}{}", name(file));
        bodies.extend(texts.iter().map(|text| conversation(model, &named(text), std::slice::from_ref(text))));
        bodies.push(conversation(model, &format!("{of}core/all-in-one"), &again));
        bodies.extend(corpus().iter().map(|file| output(model, of, file)));
    }
    bodies
}

/// The outputs of our own corpus.
fn corpus() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("../corpus/outputs")).expect("our own corpus").flatten();
    let mut outputs: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder.path()).expect("a family").flatten())
        .map(|file| file.path())
        .collect();
    outputs.sort();
    outputs
}

/// A request for a model with an output of the corpus, of which nobody says what printed it.
fn output(model: &str, of: &str, file: &Path) -> Body {
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&fs::read(file).expect("an output")).into_owned();
    let call = json!({"type": "tool_use", "id": "t", "name": "run", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": text});
    let messages =
        [json!({"role": "assistant", "content": [call]}), json!({"role": "user", "content": [result]})];
    let bytes = json!({"model": model, "messages": messages}).to_string().into_bytes();
    let family = name(file.parent().expect("a family"));
    Body { name: format!("{of}corpus/{family}/{}", name(file)), provider: PROVIDERS[0], bytes }
}

fn requests(provider: &'static Provider) -> Vec<Body> {
    let files = files(&root().join("wire/fixtures").join(provider.name()), "json");
    files
        .iter()
        .map(|file| Body { name: name(file), provider, bytes: fs::read(file).expect("a body") })
        .collect()
}

/// A request to Messages for a model, with the results in `files`, whose first lines name the tool and what it was given.
fn conversation(model: &str, name: &str, files: &[PathBuf]) -> Body {
    let mut messages = vec![json!({"role": "user", "content": "Look."})];
    for (at, file) in files.iter().enumerate() {
        let text = fs::read_to_string(file).expect("a text");
        let (call, text) = text.split_once('\n').expect("a call and a text");
        let (tool, given) = call.split_once(':').expect("a tool and what it was given");
        let id = format!("t{at}");
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input(tool, given.trim())});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    let bytes = json!({"model": model, "messages": messages}).to_string().into_bytes();
    Body { name: name.to_owned(), provider: PROVIDERS[0], bytes }
}

fn input(tool: &str, given: &str) -> Value {
    match tool {
        "Bash" => json!({"command": given}),
        "Read" => json!({"file_path": given}),
        "Grep" | "Glob" => json!({"pattern": given}),
        "WebFetch" => json!({"url": given}),
        _ => json!({}),
    }
}

/// The folder of all crates.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crate, the folder and the file without its ending.
fn name(file: &Path) -> String {
    let parts: Vec<_> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let from = parts.iter().rposition(|part| part == "fixtures").expect("among fixtures");
    [&parts[from - 1..from], &parts[from + 1..]].concat().join("/")
}

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|its| its == end)).collect();
    files.sort();
    files
}

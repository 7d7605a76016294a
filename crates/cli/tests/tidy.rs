//! Checks the structure of the code: pure crates stay pure, dependencies point down, and nothing grows too big.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use source::{Imports, Source, circles, crates, is_participle, products, root, sources, tracked, words};

/// Crates whose results depend only on their arguments.
const PURE: [&str; 7] = ["account", "json", "codec", "stage", "core", "wire", "proof"];

/// The workspace crates that each crate uses, exactly as in its manifest. A crate comes after those that it uses.
const ARROWS: [(&str, &[&str]); 24] = [
    ("account", &[]),
    ("json", &[]),
    ("codec", &["json"]),
    ("stage", &["codec"]),
    ("core", &["codec", "stage"]),
    ("wire", &["account", "json"]),
    ("store", &[]),
    ("proof", &["account"]),
    ("terminal", &[]),
    ("telemetry", &["account"]),
    ("history", &["account", "proof", "telemetry"]),
    ("engine", &["account", "core", "wire"]),
    ("embed", &["account", "codec", "core", "engine", "json", "wire"]),
    ("python", &["embed"]),
    ("node", &["embed"]),
    ("hook", &["account", "core", "engine", "history", "telemetry", "wire"]),
    ("gateway", &["account", "core", "engine", "history", "store", "telemetry", "wire"]),
    ("testing", &["codec", "core", "stage", "wire"]),
    ("audit", &["account", "core", "engine", "wire"]),
    ("bench", &["account", "audit", "codec", "core", "engine", "terminal", "wire"]),
    ("settings", &["account", "core", "engine", "gateway", "store", "telemetry", "terminal"]),
    ("agents", &["gateway", "settings", "terminal"]),
    ("eval", &["account", "audit", "core", "engine", "gateway", "settings", "terminal", "wire"]),
    (
        "cli",
        &[
            "account",
            "agents",
            "audit",
            "codec",
            "core",
            "embed",
            "engine",
            "eval",
            "gateway",
            "history",
            "hook",
            "proof",
            "settings",
            "store",
            "telemetry",
            "terminal",
            "wire",
        ],
    ),
];

/// Standard library modules with access outside the process, or with hidden state.
const OUTSIDE: [&str; 6] = ["fs", "env", "net", "process", "time", "thread"];

/// Names with the same effect.
const IMPURE: [&str; 9] =
    ["println", "eprintln", "print", "eprint", "Instant", "SystemTime", "rand", "tokio", "tracing"];

/// The page that numbers the behaviours.
const BEHAVIOUR: &str = "spec/behaviour.md";

#[test]
fn pure_crates_do_not_reach_outside() {
    let mut faults = Vec::new();
    for source in pure() {
        for module in OUTSIDE {
            let path = format!("std::{module}");
            let direct = words(&source.code, &path).collect();
            for at in [direct, grouped(&source.code, module)].concat() {
                faults.push(source.fault(at, &format!("a pure crate may not use std::{module}")));
            }
        }
        for name in IMPURE {
            for at in words(&source.code, name).filter(|&at| is_use(&source.code[at + name.len()..], name)) {
                faults.push(source.fault(at, &format!("a pure crate may not use {name}")));
            }
        }
    }
    hold(&faults);
}

/// The crates that an interpreter of another language loads: their macros write `unsafe`, which the workspace forbids.
const BINDINGS: [&str; 2] = ["node", "python"];

#[test]
fn only_macros_of_the_bindings_are_unsafe() {
    let mut faults = Vec::new();
    for (room, manifest) in crates() {
        let is_binding = BINDINGS.contains(&room.as_str());
        let lints = if is_binding { "unsafe_code = \"deny\"" } else { "[lints]\nworkspace = true" };
        if !manifest.contains(lints) {
            faults.push(format!("crates/{room}/Cargo.toml:1: says {lints:?}"));
        }
    }
    for source in products() {
        for at in words(&source.code, "unsafe") {
            faults.push(source.fault(at, "no line of ours is unsafe"));
        }
    }
    hold(&faults);
}

/// Behaviour 2.8.
#[test]
fn whoever_compresses_knows_no_provider() {
    let words =
        ["tool_result", "tool_use", "tool_calls", "functionResponse", "toolResult", "function_call_output"];
    let mut faults = Vec::new();
    for source in
        products().iter().filter(|source| ["codec", "stage", "core"].contains(&source.room.as_str()))
    {
        for word in words {
            let found = source.text.find(word);
            faults.extend(
                found.map(|at| source.fault(at, &format!("{word} is a provider's word, for wire alone"))),
            );
        }
    }
    hold(&faults);
}

#[test]
fn pure_crates_depend_on_nothing_impure() {
    let mut faults = Vec::new();
    for (room, manifest) in crates().iter().filter(|(room, _)| PURE.contains(&room.as_str())) {
        for (line, name) in dependencies(manifest) {
            if ["rand", "tokio", "tracing"].contains(&name) {
                faults.push(format!("crates/{room}/Cargo.toml:{line}: a pure crate may not use {name}"));
            }
        }
    }
    hold(&faults);
}

#[test]
fn arrows_between_crates_are_those_of_the_manifests() {
    let mut faults = Vec::new();
    let mut drawn: BTreeSet<(&str, &str)> =
        ARROWS.iter().flat_map(|(from, to)| to.iter().map(|to| (*from, *to))).collect();
    let crates = crates();
    for (room, manifest) in &crates {
        if !ARROWS.iter().any(|(name, _)| name == room) {
            faults.push(format!("crates/{room}: a crate needs a line in ARROWS that says what it uses"));
        }
        for (line, name) in dependencies(manifest) {
            let Some(other) = name.strip_prefix("tersely-") else { continue };
            if !drawn.remove(&(room, other)) {
                faults.push(format!("crates/{room}/Cargo.toml:{line}: ARROWS has no {room} to {other}"));
            }
        }
    }
    faults.extend(drawn.iter().map(|(from, to)| format!("crates/{from} does not use {to}: ARROWS says so")));
    hold(&faults);
}

/// A package on the registry has the files of its own folder, and no others.
#[test]
fn what_is_published_is_built_of_its_own_files() {
    let published = crates().into_iter().filter(|(_, manifest)| !manifest.contains("publish = false"));
    let reaches = |room: &str| {
        let script =
            fs::read_to_string(root().join("crates").join(room).join("build.rs")).unwrap_or_default();
        script
            .contains("\"../")
            .then(|| format!("crates/{room}/build.rs: reads a file that the package lacks"))
    };
    hold(&published.filter_map(|(room, _)| reaches(&room)).collect::<Vec<_>>());
}

#[test]
fn arrows_between_crates_point_down() {
    let place = |room: &str| ARROWS.iter().position(|(name, _)| *name == room);
    let mut faults = Vec::new();
    for (from, targets) in ARROWS {
        for to in targets.iter().filter(|to| place(to).is_none_or(|at| Some(at) >= place(from))) {
            faults.push(format!("{from} uses {to}, which ARROWS does not list before it"));
        }
    }
    hold(&faults);
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let products = products();
    let arrows = Imports::of(&products).arrows();
    assert!(arrows.values().map(BTreeSet::len).sum::<usize>() > 1_000, "imports are read");
    let faults = circles(&arrows).into_iter().map(|circle| format!("a circle: {}", circle.join(", ")));
    hold(&faults.collect::<Vec<_>>());
}

/// A room is a folder or a file directly in a crate's `src`; `lib.rs` is not one.
#[test]
fn no_rooms_of_a_crate_import_each_other_in_a_circle() {
    let products = products();
    let arrows = Imports::of(&products).arrows();
    let room = |path: &str| {
        path.splitn(5, '/').take(4).map(|part| part.trim_end_matches(".rs")).collect::<Vec<_>>().join("/")
    };
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, targets) in &arrows {
        let others =
            targets.iter().map(|to| room(to)).filter(|to| *to != room(from) && !to.ends_with("/lib"));
        rooms.entry(room(from)).or_default().extend(others);
    }
    let rooms = rooms.iter().filter(|(from, _)| !from.ends_with("/lib") && !from.ends_with("/main"));
    let rooms = rooms.map(|(from, to)| (from.as_str(), to.iter().map(String::as_str).collect())).collect();
    hold(
        &circles(&rooms)
            .into_iter()
            .map(|circle| format!("a circle: {}", circle.join(", ")))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_type_that_others_name_has_a_name_of_its_own() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in products() {
        for kind in source.types().into_iter().filter(|kind| kind.is_shared) {
            places.entry(kind.name).or_default().insert(source.path.clone());
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    let fault = |(name, places): (String, BTreeSet<String>)| {
        format!("{name} is several types: {}", places.into_iter().collect::<Vec<_>>().join(", "))
    };
    hold(&twice.map(fault).collect::<Vec<_>>());
}

/// `impl Stage for DiffStat` has the name `"diff stat"`, and is in `diff_stat.rs` or a folder of that name.
#[test]
fn a_stages_name_type_and_file_are_one_word() {
    let mut stages = 0;
    for source in products().iter().filter(|source| source.room == "stage") {
        for (at, _) in source.code.match_indices("impl Stage for ") {
            let name =
                source.code[at + "impl Stage for ".len()..].split([' ', '<', '{']).next().unwrap_or_default();
            let words = snake(name).replace('_', " ");
            let said = |sign: &str| source.text.contains(&format!("\"{}\"", words.replace(' ', sign)));
            assert!(said(" ") || said("_"), "{}: {name} does not say {words:?}", source.path);
            let mut parts =
                source.path.trim_end_matches(".rs").split('/').rev().filter(|part| *part != "mod");
            let (file, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let snake = snake(name);
            let fits = [file.to_owned(), folder.to_owned(), format!("{folder}_{file}")].contains(&snake)
                || snake.starts_with(&format!("{file}_"));
            assert!(fits, "{}: {name} stands in another file", source.path);
            stages += 1;
        }
    }
    assert!(stages > 30, "only {stages} stages are read");
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[test]
fn every_file_opens_with_its_effect() {
    let bare = products().into_iter().filter(|source| !source.text.starts_with("//! "));
    hold(&bare.map(|source| source.fault(0, "a file opens with one `//!` sentence")).collect::<Vec<_>>());
}

#[test]
fn files_have_at_most_400_lines_without_tests() {
    let long = budgeted().into_iter().filter(|source| source.length() > 400);
    let faults = long.map(|source| source.fault(0, &format!("{} lines; at most 400", source.length())));
    hold(&faults.collect::<Vec<_>>());
}

#[test]
fn functions_have_at_most_60_lines() {
    functions(|it| (it.lines > 60).then(|| format!("{} has {} lines; at most 60", it.name, it.lines)));
}

#[test]
fn functions_have_at_most_5_arguments() {
    functions(|it| {
        (it.arguments > 5).then(|| format!("{} has {} arguments; at most 5", it.name, it.arguments))
    });
}

#[test]
fn function_names_have_at_most_4_words() {
    functions(|it| {
        let words = it.name.split('_').filter(|word| !word.is_empty()).count();
        (words > 4).then(|| format!("the name {} has {words} words; at most 4", it.name))
    });
}

#[test]
fn structs_have_at_most_2_bools() {
    types(|it| (it.bools > 2).then(|| format!("{} has {} bools; at most 2", it.name, it.bools)));
}

#[test]
fn type_names_have_at_most_3_words() {
    types(|it| {
        let starts = it.name.chars().zip(std::iter::once('_').chain(it.name.chars()));
        let words = starts.filter(|(this, before)| this.is_uppercase() && !before.is_uppercase()).count();
        (words > 3).then(|| format!("the name {} has {words} words; at most 3", it.name))
    });
}

/// How many of a thousand type and function names may be a bare participle: `kept` says neither what is kept nor who
/// keeps it.
const MAX_PARTICIPLE_PERMILLE: usize = 15;

#[test]
fn names_are_not_bare_participles() {
    let (mut names, mut faults) = (0, Vec::new());
    for source in products() {
        let functions = source.functions().into_iter().map(|it| (it.name, it.offset));
        let types = source.types().into_iter().map(|it| (it.name, it.offset));
        for (name, offset) in functions.chain(types) {
            names += 1;
            if is_participle(&name) {
                faults.push(source.fault(offset, &format!("{name} is a bare participle")));
            }
        }
    }
    let limit = names * MAX_PARTICIPLE_PERMILLE / 1000;
    assert!(
        faults.len() <= limit,
        "{} of {names} names are bare participles; at most {limit}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn constants_say_what_they_bound() {
    let vague = ["MOST", "LEAST", "LONGEST", "WORTH", "ENOUGH"];
    let mut faults = Vec::new();
    for source in products() {
        for name in vague {
            for at in words(&source.code, name).filter(|&at| source.code[..at].ends_with("const ")) {
                faults.push(source.fault(at, &format!("{name} of what? name its unit: MAX_LINES")));
            }
        }
    }
    hold(&faults);
}

#[test]
fn the_checker_knows_participles() {
    for name in ["kept", "Found", "written", "changed", "Known", "told"] {
        assert!(is_participle(name), "{name}");
    }
    for name in ["read", "set", "put", "cut", "split", "cost", "speed", "is_changed", "KeptOriginal", "bound"]
    {
        assert!(!is_participle(name), "{name}");
    }
}

#[test]
fn files_are_named_by_their_concept() {
    let banned = ["util", "utils", "helper", "helpers", "common", "misc", "manager"];
    let named = tracked().into_iter().filter(|(path, _)| {
        path.split('/').any(|part| banned.contains(&part.split('.').next().unwrap_or_default()))
    });
    hold(&named.map(|(path, _)| format!("{path}:1: name a file by what it holds")).collect::<Vec<_>>());
}

#[test]
fn comments_tell_no_history() {
    let mut faults = Vec::new();
    for source in sources() {
        let comments = source.comments.to_ascii_lowercase();
        for word in ["phase", "phases", "legacy", "todo", "fixme"] {
            let found = words(&comments, word);
            faults.extend(found.map(|at| source.fault(at, &format!("a comment says what is, not {word:?}"))));
        }
    }
    hold(&faults);
}

#[test]
fn no_file_names_a_place_on_a_machine() {
    let homes = [concat!("/", "root/"), concat!("/", "work/"), concat!("/", "home/"), concat!("/", "Users/")];
    let starts_path =
        |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || "._-~}*/".contains(c));
    lines(|line| {
        let found =
            homes.iter().find(|home| line.match_indices(*home).any(|(at, _)| starts_path(&line[..at])));
        found.map(|home| format!("names {home}; a file says nothing about the machine it was made on"))
    });
}

#[test]
fn no_file_names_a_private_registry() {
    let public = ["registry.npmjs.org", "registry.terraform.io", "pypi.org", "test.pypi.org"];
    let signs = ["registry", "artifactory", "jfrog", "nexus", "mirror", "pypi"];
    lines(|line| {
        let hosts = line.split("://").skip(1).map(|rest| rest.split(['/', ':', '"', '\'', ' ']).next());
        let mut private = hosts.flatten().filter(|host| !public.contains(host));
        let host = private.find(|host| signs.iter().any(|sign| host.contains(sign)))?;
        Some(format!("names the registry {host}; a lock file names public ones only"))
    });
}

#[test]
fn every_cited_behaviour_is_written_down() {
    let known = behaviours();
    assert!(known.len() > 100, "{BEHAVIOUR} numbers {} behaviours", known.len());
    lines(|line| {
        let missing = cited(line).into_iter().find(|number| !known.iter().any(|it| it == number))?;
        Some(format!("cites {missing}, which {BEHAVIOUR} does not have"))
    });
}

#[test]
fn every_behaviour_is_cited_by_a_test() {
    let mut cites = Vec::new();
    for source in sources() {
        cites.extend(source.text.lines().flat_map(cited).map(str::to_owned));
    }
    // What takes several machines or minutes is a trial, which the release gate runs.
    for (_, text) in tracked().into_iter().filter(|(path, _)| path.starts_with("trials/")) {
        cites.extend(text.unwrap_or_default().lines().flat_map(cited).map(str::to_owned));
    }
    let bare = behaviours().into_iter().filter(|number| !cites.contains(number));
    hold(&bare.map(|number| format!("{BEHAVIOUR}: no test cites {number}")).collect::<Vec<_>>());
}

#[test]
fn nothing_cites_a_page_that_is_not_here() {
    let word = concat!("con", "tract");
    lines(|line| {
        let line = line.to_ascii_lowercase();
        let cites = words(&line, word).any(|at| {
            let after = &line[at + word.len()..];
            let numbered = after.trim_start().starts_with(|next: char| next.is_ascii_digit());
            numbered || after.starts_with("'s") || line[..at].ends_with("the ")
        });
        cites.then(|| format!("cites a {word}; {BEHAVIOUR} has the numbers"))
    });
}

#[test]
fn the_checker_reads_citations() {
    assert_eq!(cited("/// Behaviour 6.3, 6.5 and 6.7: as said in 1.1."), ["6.3", "6.5", "6.7"]);
    assert_eq!(cited("Once (Behaviour 9.3). Behaviour 9.4."), ["9.3", "9.4"]);
    assert_eq!(cited("/// Behaviour of 6.3"), [""; 0]);
}

#[test]
fn the_checker_reads_code_as_the_compiler_does() {
    let text = concat!(
        "/// fn no(\nfn a<F: Fn(u8) -> u8>(b: Vec<(u8, u8)>, c: &'static str, d: F,) -> [u8; 2] {\n",
        "    let e = (\"}\", r#\"}\"}\"#, '}', b'\\'', '\"'); // }\n}\n",
        "struct HttpJSONBody<'a> {\n    a: bool,\n    b: Option<bool>,\n    c: bool,\n}\n",
        "#[cfg(test)]\nmod tests {\n    fn x() {}\n}\n/* fn y() {} */ fn z();\n",
    );
    let source = Source::new("crates/x/src/y.rs", text);
    let functions = source.functions();
    let seen: Vec<_> = functions.iter().map(|it| (it.name.as_str(), it.lines, it.arguments)).collect();
    assert_eq!(seen, [("a", 3, 3), ("z", 1, 0)]);
    let types: Vec<_> = source.types().into_iter().map(|it| (it.name, it.bools)).collect();
    assert_eq!(types, [("HttpJSONBody".to_owned(), 2)]);
    assert_eq!(source.length(), text.lines().count() - 4);
    assert_eq!(source.fault(text.find("struct").unwrap_or_default(), "here"), "crates/x/src/y.rs:5: here");
}

/// Fails with all faults, one per line.
fn hold(faults: &[String]) {
    assert!(faults.is_empty(), "{} to mend:\n{}", faults.len(), faults.join("\n"));
}

fn pure() -> Vec<Source> {
    products().into_iter().filter(|source| PURE.contains(&source.room.as_str())).collect()
}

fn budgeted() -> Vec<Source> {
    products().into_iter().filter(|source| !source.is_table()).collect()
}

fn functions(fault: impl Fn(&source::Function) -> Option<String>) {
    let mut faults = Vec::new();
    for source in budgeted() {
        for function in source.functions() {
            faults.extend(fault(&function).map(|message| source.fault(function.offset, &message)));
        }
    }
    hold(&faults);
}

fn types(fault: impl Fn(&source::Type) -> Option<String>) {
    let mut faults = Vec::new();
    for source in budgeted() {
        for kind in source.types() {
            faults.extend(fault(&kind).map(|message| source.fault(kind.offset, &message)));
        }
    }
    hold(&faults);
}

/// Checks every line of every tracked text file, except fixtures and vectors, which others wrote.
fn lines(fault: impl Fn(&str) -> Option<String>) {
    let mut faults = Vec::new();
    for (path, text) in tracked() {
        if path.split('/').any(|part| ["fixtures", "vectors", "corpus"].contains(&part)) {
            continue;
        }
        for (number, line) in text.unwrap_or_default().lines().enumerate() {
            faults.extend(fault(line).map(|message| format!("{path}:{}: {message}", number + 1)));
        }
    }
    hold(&faults);
}

/// The numbers of all behaviours.
fn behaviours() -> Vec<String> {
    let page = tracked().into_iter().find(|(path, _)| path == BEHAVIOUR).and_then(|(_, text)| text);
    let page = page.unwrap_or_default();
    let items = page.lines().filter_map(|line| line.strip_prefix("- **")?.split("**").next());
    items.map(str::to_owned).collect()
}

/// The numbers that a line cites: `Behaviour 6.3, 6.5 and 6.7`.
fn cited(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for list in line.split("Behaviour ").skip(1) {
        found.extend(list.split(' ').filter(|word| *word != "and").map_while(number));
    }
    found
}

/// A word as a behaviour number, without trailing punctuation.
fn number(word: &str) -> Option<&str> {
    let word = word.trim_end_matches(|sign: char| !sign.is_ascii_digit());
    let (section, item) = word.split_once('.')?;
    let is_count = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (is_count(section) && is_count(item)).then_some(word)
}

/// The offsets where `use std::{...}` names `module`.
fn grouped(code: &str, module: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("std::{") {
        let end = code[start..].find(';').map_or(code.len(), |length| start + length);
        found.extend(words(&code[start..end], module).map(|at| start + at));
    }
    found
}

/// True if the text after a name makes it a use: `!` for a macro, `::` for a crate, anything for a type.
fn is_use(after: &str, name: &str) -> bool {
    match name {
        "Instant" | "SystemTime" => true,
        "rand" | "tokio" | "tracing" => after.starts_with("::"),
        _ => after.starts_with('!'),
    }
}

/// The names under `[dependencies]` and `[build-dependencies]`, with their lines.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut section = "";
    let mut found = Vec::new();
    for (number, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            section = line.trim();
        } else if section.ends_with("dependencies]") && section != "[dev-dependencies]" {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            found.extend((!name.is_empty() && !name.starts_with('#')).then_some((number + 1, name)));
        }
    }
    found
}

//! Checks the documentation of the workspace against its manifests and files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Minimum lines of tests per hundred lines of source: a change may raise these, never lower them.
const TEST_PERCENT: [(&str, usize); 24] = [
    ("account", 43),
    ("agents", 29),
    ("audit", 32),
    ("bench", 31),
    ("cli", 239),
    ("codec", 29),
    ("core", 75),
    ("embed", 50),
    ("engine", 120),
    ("eval", 17),
    ("gateway", 87),
    ("history", 42),
    ("hook", 60),
    ("json", 52),
    ("node", 0),
    ("proof", 65),
    ("python", 0),
    ("settings", 10),
    ("stage", 35),
    ("store", 90),
    ("telemetry", 37),
    ("terminal", 35),
    ("testing", 4),
    ("wire", 39),
];

#[test]
fn the_architecture_page_shows_the_crates_as_the_manifests_have_them() {
    let path = root().join("ARCHITECTURE.md");
    let page = fs::read_to_string(&path).expect("the page can be read");
    let (start, end) = ("<!-- crates -->\n", "<!-- /crates -->");
    let (head, rest) = page.split_once(start).expect("the page marks where the table begins");
    let (table, tail) = rest.split_once(end).expect("the page marks where the table ends");
    let expected = table_of(&crates().expect("the workspace can be read"));
    if std::env::var_os("TERSELY_BLESS").is_some() {
        fs::write(&path, format!("{head}{start}{expected}{end}{tail}")).expect("the page can be written");
        return;
    }
    assert_eq!(table, expected, "TERSELY_BLESS=1 writes the table anew");
}

#[test]
fn no_crate_loses_tests() {
    let floors = BTreeMap::from(TEST_PERCENT);
    let mut faults = Vec::new();
    for krate in crates().expect("the workspace can be read") {
        let (source, tests) = lines(&krate.folder).expect("the sources can be read");
        let percent = tests * 100 / source.max(1);
        match floors.get(krate.name.as_str()) {
            None => faults.push(format!("(\"{}\", {percent}), // a crate needs its line", krate.name)),
            Some(&floor) if percent < floor => {
                faults.push(format!(
                    "{}: {percent} lines of tests for 100 of source, {floor} before",
                    krate.name
                ));
            }
            Some(_) => {}
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Words that readers of the documents stumbled over, and what to say instead.
const STUMBLING_WORDS: [(&str, &str); 18] = [
    ("after a no", "if you decline"),
    ("answer right", "answer correctly"),
    ("as it came", "unchanged"),
    ("as long as", "while"),
    ("at hand", "available"),
    ("by hand", "manually, or yourself"),
    ("dearest", "most expensive"),
    ("except as below", "with the exceptions below"),
    ("our own tool", "the name of the tool"),
    ("reckon", "count, or estimate"),
    ("such tools", "the name of the kind of tool"),
    ("that of", "the noun itself"),
    ("those that", "the noun itself"),
    ("to the letter", "exactly"),
    ("told apart", "distinguished"),
    ("wherein", "where"),
    ("which one", "which, and the noun"),
    ("who may call it", "who may call, and the noun"),
];

/// The pages include the help of all commands, all settings and all metrics, because these pages are generated.
#[test]
fn words_that_readers_stumbled_over_stay_away() {
    let mut pages = files_of(&root().join("docs"), "md");
    pages.push(root().join("README.md"));
    assert!(pages.len() > 30, "the pages are found");
    let mut faults = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).expect("the page can be read");
        for (line, prose) in prose_lines(&text) {
            let found = STUMBLING_WORDS.iter().filter(|(words, _)| has_words(&prose, words));
            faults
                .extend(found.map(|(words, instead)| {
                    format!("{}:{line}: \"{words}\": say {instead}", page.display())
                }));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The lines of a page with their numbers, in lower case, without code.
fn prose_lines(page: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !line.starts_with("    ") {
            let outside: Vec<&str> = line.split('`').step_by(2).collect();
            lines.push((number, outside.join("`").to_lowercase()));
        }
    }
    lines
}

/// True when `words` are in a line as whole words.
fn has_words(line: &str, words: &str) -> bool {
    line.match_indices(words).any(|(at, _)| {
        let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
        !is_word(line[..at].chars().next_back()) && !is_word(line[at + words.len()..].chars().next())
    })
}

#[test]
fn words_are_found_in_prose_alone() {
    let page = "It comes At Hand.\n`at hand`\n```\nat hand\n```\n    at hand\nthat handle\n";
    let found: Vec<usize> =
        prose_lines(page).iter().filter(|(_, line)| has_words(line, "at hand")).map(|(at, _)| *at).collect();
    assert_eq!(found, [1]);
    assert!(has_words("a reckon", "reckon") && !has_words("reckoned", "reckon"));
}

/// A crate of the workspace.
struct Crate {
    name: String,
    folder: PathBuf,
    charter: String,
    uses: BTreeSet<String>,
}

fn crates() -> io::Result<Vec<Crate>> {
    let folders = fs::read_dir(root().join("crates"))?;
    let mut found = folders.map(|entry| krate(&entry?.path())).collect::<io::Result<Vec<Crate>>>()?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn krate(folder: &Path) -> io::Result<Crate> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = folder.join("src");
    let entry =
        fs::read_to_string(source.join("lib.rs")).or_else(|_| fs::read_to_string(source.join("main.rs")))?;
    let charter = entry.lines().next().unwrap_or_default().trim_start_matches("//! ").to_owned();
    let uses = dependencies(&fs::read_to_string(folder.join("Cargo.toml"))?);
    Ok(Crate { name, folder: folder.to_owned(), charter, uses })
}

/// The workspace crates among a manifest's dependencies, without dev-dependencies.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line.trim();
        } else if section == "[dependencies]" {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            found.extend(name.strip_prefix("tersely-").map(str::to_owned));
        }
    }
    found
}

/// One row per crate, the highest layer first.
fn table_of(crates: &[Crate]) -> String {
    let uses: BTreeMap<&str, &BTreeSet<String>> =
        crates.iter().map(|it| (it.name.as_str(), &it.uses)).collect();
    let mut rows: Vec<(usize, &Crate)> = crates.iter().map(|it| (floor(&it.name, &uses), it)).collect();
    rows.sort_by(|(one, a), (other, b)| other.cmp(one).then_with(|| a.name.cmp(&b.name)));
    let mut table = "\n| floor | crate | what it does | uses |\n|--:|---|---|---|\n".to_owned();
    for (floor, krate) in rows {
        let direct = reduced(&krate.uses, &uses).join(", ");
        let _ =
            writeln!(table, "| {floor} | [{0}](crates/{0}) | {1} | {direct} |", krate.name, krate.charter);
    }
    table + "\n"
}

fn floor(name: &str, uses: &BTreeMap<&str, &BTreeSet<String>>) -> usize {
    uses[name].iter().map(|other| floor(other, uses) + 1).max().unwrap_or_default()
}

/// The direct dependencies of a crate that it does not also reach through another.
fn reduced(direct: &BTreeSet<String>, uses: &BTreeMap<&str, &BTreeSet<String>>) -> Vec<String> {
    let through: BTreeSet<String> = direct.iter().flat_map(|name| reach(name, uses)).collect();
    direct.iter().filter(|name| !through.contains(*name)).cloned().collect()
}

fn reach(name: &str, uses: &BTreeMap<&str, &BTreeSet<String>>) -> BTreeSet<String> {
    uses[name].iter().flat_map(|other| reach(other, uses).into_iter().chain([other.clone()])).collect()
}

/// Lines of source and of tests below a crate's folder.
fn lines(folder: &Path) -> io::Result<(usize, usize)> {
    let (mut source, mut tests) = (0, 0);
    for file in rust_files(&folder.join("src")) {
        let text = fs::read_to_string(file)?;
        let (outer, inline) = text.split_at(text.find("\n#[cfg(test)]\nmod tests").unwrap_or(text.len()));
        source += code_lines(outer);
        tests += code_lines(inline);
    }
    for file in rust_files(&folder.join("tests")) {
        tests += code_lines(&fs::read_to_string(file)?);
    }
    Ok((source, tests))
}

fn code_lines(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files_of(folder, "rs")
}

/// The files below a folder whose name ends like this.
fn files_of(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let below = |path: PathBuf| if path.is_dir() { files_of(&path, extension) } else { vec![path] };
    paths.flat_map(below).filter(|path| path.extension().is_some_and(|it| it == extension)).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

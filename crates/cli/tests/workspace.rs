//! Checks the documentation of the workspace against its manifests and files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Minimum lines of tests per hundred lines of source: a change may raise these, never lower them.
const TEST_PERCENT: [(&str, usize); 20] = [
    ("account", 35),
    ("agents", 25),
    ("audit", 27),
    ("bench", 26),
    ("cli", 78),
    ("codec", 28),
    ("core", 64),
    ("engine", 99),
    ("eval", 15),
    ("gateway", 76),
    ("history", 36),
    ("json", 42),
    ("proof", 55),
    ("settings", 9),
    ("stage", 30),
    ("store", 76),
    ("telemetry", 31),
    ("terminal", 23),
    ("testing", 5),
    ("wire", 34),
];

#[test]
fn the_architecture_page_shows_the_crates_as_the_manifests_have_them() {
    let path = root().join("ARCHITECTURE.md");
    let page = read(&path);
    let (start, end) = ("<!-- crates -->\n", "<!-- /crates -->");
    let (head, rest) = page.split_once(start).expect("the page marks where the table begins");
    let (table, tail) = rest.split_once(end).expect("the page marks where the table ends");
    let expected = table_of(&crates());
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
    for krate in crates() {
        let (source, tests) = lines(&krate.folder);
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

/// A crate of the workspace.
struct Crate {
    name: String,
    folder: PathBuf,
    charter: String,
    uses: BTreeSet<String>,
}

fn crates() -> Vec<Crate> {
    let folders = fs::read_dir(root().join("crates")).expect("the workspace has crates");
    let mut found: Vec<Crate> = folders.map(|entry| krate(&entry.expect("an entry").path())).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn krate(folder: &Path) -> Crate {
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    let entry = ["lib.rs", "main.rs"].map(|file| folder.join("src").join(file));
    let entry = entry.iter().find(|path| path.exists()).expect("a crate has an entry");
    let charter = read(entry).lines().next().unwrap_or_default().trim_start_matches("//! ").to_owned();
    Crate { uses: dependencies(&read(&folder.join("Cargo.toml"))), name, folder: folder.to_owned(), charter }
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

/// Lines of source and of tests in a crate's folder.
fn lines(folder: &Path) -> (usize, usize) {
    let (mut source, mut tests) = (0, 0);
    for file in rust_files(&folder.join("src")) {
        let text = read(&file);
        let inline = text.find("\n#[cfg(test)]\nmod tests").map_or(0, |at| text[at + 1..].lines().count());
        source += text.lines().count() - inline;
        tests += inline;
    }
    tests += rust_files(&folder.join("tests")).iter().map(|file| read(file).lines().count()).sum::<usize>();
    (source, tests)
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| if path.is_dir() { rust_files(&path) } else { vec![path] };
    paths.flat_map(below).filter(|path| path.extension().is_some_and(|it| it == "rs")).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

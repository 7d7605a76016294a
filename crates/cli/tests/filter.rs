//! Tests the `tersely filter` command, and the effect of filters.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A filter that omits lines.
const MINE: &str = "about = 'Mine'\n[match]\ncommand = 'mytool'\n[lines]\ndrop = ['^noise']\n\
                    [[test]]\ncommand = 'mytool'\ninput = \"a\\nb\\n\"\noutput = \"a\\nb\\n\"\n";

/// Its own home and project.
struct World {
    home: PathBuf,
    project: PathBuf,
}

impl World {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("filter-{name}"));
        let _ = fs::remove_dir_all(&root);
        let (home, project) = (root.join("home"), root.join("project/src"));
        fs::create_dir_all(home.join("tersely/filters")).expect("a home");
        fs::create_dir_all(&project).expect("a project");
        Self { home, project }
    }

    fn user(&self, name: &str, text: &str) -> &Self {
        fs::write(self.home.join("tersely/filters").join(name), text).expect("written");
        self
    }

    fn project(&self, name: &str, text: &str) -> &Self {
        let folder = self.project.parent().expect("above").join(".tersely/filters");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), text).expect("written");
        self
    }

    /// Returns the exit code, stdout and stderr.
    fn run(&self, args: &[&str], input: &str) -> (Option<i32>, String, String) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tersely"))
            .args(args)
            .current_dir(&self.project)
            .env("XDG_CONFIG_HOME", &self.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary");
        // A command that does not read its input may have exited already.
        let _ = process.stdin.take().expect("input").write_all(input.as_bytes());
        let ended = process.wait_with_output().expect("an end");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (ended.status.code(), text(ended.stdout), text(ended.stderr))
    }
}

fn output() -> String {
    let noise: Vec<String> = (1..=80).map(|n| format!("noise number {n} that says nothing\n")).collect();
    noise.concat() + "done\n"
}

/// The built-in filters pass their own tests.
#[test]
fn what_is_shipped_passes_its_tests() {
    let world = World::new("shipped");
    let (code, said, _) = world.run(&["filter", "test"], "");
    assert_eq!((code, said.as_str()), (Some(0), "3 filters: 5 passed, 0 failed\n"));
}

#[test]
fn a_users_own_are_listed_tested_and_used() {
    let world = World::new("own");
    world.user("mine.toml", MINE);
    let (_, listed, _) = world.run(&["filter", "list"], "");
    assert!(listed.contains("mine                user     on     Mine\n"), "{listed}");
    let (code, said, _) = world.run(&["filter", "test", "mine"], "");
    assert_eq!((code, said.as_str()), (Some(0), "1 filter: 1 passed, 0 failed\n"));
    for command in [&["filter", "explain"][..], &["compress"]] {
        let args = [command, &["--command", "mytool --all"]].concat();
        let (code, shown, _) = world.run(&args, &output());
        assert_eq!(code, Some(0));
        assert!(shown.ends_with(">>>\n[80 lines left out: by filter mine]\ndone\n"), "{shown}");
    }
    let (code, said, _) = world.run(&["filter", "explain", "--command", "other"], &output());
    assert_eq!((code, said.as_str()), (Some(1), "no filter matches this call\n"));
    fs::write(world.home.join("tersely/tersely.toml"), "[filters]\nenabled = false\n").expect("written");
    let (_, shown, _) = world.run(&["compress", "--command", "mytool"], &output());
    assert!(!shown.contains("by filter mine"), "{shown}");
}

#[test]
fn a_test_that_fails_shows_the_first_line() {
    let world = World::new("fails");
    world.user("mine.toml", &MINE.replace("output = \"a\\nb\\n\"", "output = \"a\\nc\\n\""));
    let (code, said, _) = world.run(&["filter", "test"], "");
    assert_eq!(code, Some(1));
    let shown = "mine, test on line 6: the output differs\n  line 2, expected: c\n  line 2, actual:   b\n";
    assert!(said.starts_with(shown), "{said}");
    world.user("mine.toml", &MINE.replace("command = 'mytool'\ninput", "command = 'other'\ninput"));
    assert!(world.run(&["filter", "test"], "").1.contains("does not match this call"));
}

/// Behaviour 3.21: a downloaded folder does not decide what a model sees.
#[test]
fn a_projects_filters_count_once_they_are_trusted_and_until_they_change() {
    let world = World::new("trust");
    world.project("theirs.toml", &MINE.replace("Mine", "Theirs"));
    let used = || world.run(&["compress", "--command", "mytool"], &output()).1.contains("by filter theirs");
    assert!(!used());
    let (_, listed, said) = world.run(&["filter", "list"], "");
    assert!(listed.contains("theirs              project  not trusted\n"), "{listed}");
    assert!(said.contains("1 filter in ") && said.contains("run `tersely filter trust`"), "{said}");
    let (_, _, said) = world.run(&["config", "check"], "");
    assert!(said.contains("is ignored; read it"), "{said}");
    assert_eq!(world.run(&["filter", "trust"], "").0, Some(0));
    assert!(used());
    world.project("theirs.toml", &MINE.replace("Mine", "Changed"));
    assert!(!used());
    world.run(&["filter", "trust"], "");
    world.project("zebra.toml", MINE);
    assert!(!used());
    world.run(&["filter", "trust"], "");
    assert!(used());
    world.run(&["filter", "trust", "--remove"], "");
    assert!(!used());
}

/// A filter overrides others of the same name, unless it is not trusted.
#[test]
fn of_one_name_the_nearest_counts() {
    let world = World::new("names");
    world.user("ffmpeg.toml", "enabled = false\n").project("ansible.toml", MINE);
    let (_, listed, _) = world.run(&["filter", "list"], "");
    let state = |name: &str, place: &str| {
        let fits = |line: &&str| line.starts_with(name) && line.contains(place);
        listed.lines().find(fits).expect("listed").to_owned()
    };
    assert!(state("ffmpeg", "user").contains(" off"), "{listed}");
    assert!(state("ffmpeg", "shipped").contains(" shadowed "), "{listed}");
    assert!(state("ansible", "shipped").contains(" on "), "{listed}");
}

#[test]
fn a_broken_filter_of_ones_own_stops_and_of_a_project_is_ignored() {
    let world = World::new("broken");
    world.user("mine.toml", "[match]\ncommand = 'x'\n[lines]\ndrop = ['(']\n");
    let (code, _, said) = world.run(&["config", "check"], "");
    assert_eq!(code, Some(2));
    assert!(said.contains("mine.toml:4: drop: \"(\": unclosed group"), "{said}");
    world.user("mine.toml", MINE).project("theirs.toml", "nonsense");
    world.run(&["filter", "trust"], "");
    let (code, _, said) = world.run(&["config", "check"], "");
    assert_eq!(code, Some(0));
    assert!(said.contains("theirs.toml is invalid and ignored"), "{said}");
}

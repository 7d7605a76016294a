//! Models of programs that are not known by name, through the libraries they use.

use std::collections::BTreeMap;

use crate::hosts::subsets;
use crate::hosts::town::{Told, Town};

/// The variables that a library reads, in order, and its default address.
struct Library {
    provider: &'static str,
    reads: &'static [&'static str],
    usual: &'static str,
}

const fn library(provider: &'static str, reads: &'static [&'static str], usual: &'static str) -> Library {
    Library { provider, reads, usual }
}

const OPENAI: &str = "https://api.openai.com/v1";
const ANTHROPIC: &str = "https://api.anthropic.com";
const GEMINI: &str = "https://generativelanguage.googleapis.com";
const OLLAMA: &str = "http://127.0.0.1:11434";

const LIBRARIES: [Library; 20] = [
    library("openai", &["OPENAI_BASE_URL"], OPENAI),
    library("openai", &["OPENAI_API_BASE"], OPENAI),
    library("openai", &["OPENAI_API_BASE", "OPENAI_BASE_URL"], OPENAI),
    library("openai", &["OPENAI_BASE_URL", "OPENAI_API_BASE"], OPENAI),
    library("openai", &["OPENAI_API_BASE_URL", "OPENAI_BASE_URL"], OPENAI),
    library("openai", &["OPENAI_BASE_URL", "OPENAI_API_HOST"], OPENAI),
    library("openai", &["OPENAI_API_BASE", "AZURE_OPENAI_ENDPOINT"], OPENAI),
    library("openai", &["AZURE_OPENAI_ENDPOINT", "OPENAI_BASE_URL"], OPENAI),
    library("anthropic", &["ANTHROPIC_BASE_URL"], ANTHROPIC),
    library("anthropic", &["ANTHROPIC_API_URL", "ANTHROPIC_BASE_URL"], ANTHROPIC),
    library("anthropic", &["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"], ANTHROPIC),
    library("anthropic", &["ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL"], ANTHROPIC),
    library("anthropic", &["ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_BASE_URL"], ANTHROPIC),
    library("google", &["GOOGLE_GEMINI_BASE_URL"], GEMINI),
    library("google", &["GOOGLE_GEMINI_BASE_URL", "GEMINI_API_BASE"], GEMINI),
    library("google", &["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"], GEMINI),
    library("google", &["CODE_ASSIST_ENDPOINT"], "https://cloudcode-pa.googleapis.com"),
    library("ollama", &["OLLAMA_HOST"], OLLAMA),
    library("ollama", &["OLLAMA_HOST", "OLLAMA_API_BASE"], OLLAMA),
    library("ollama", &["OLLAMA_BASE_URL", "OLLAMA_HOST"], OLLAMA),
];

/// The variables of each provider.
const VARIABLES: [(&str, &[&str]); 4] = [
    (
        "openai",
        &[
            "OPENAI_BASE_URL",
            "OPENAI_API_BASE",
            "AZURE_OPENAI_ENDPOINT",
            "OPENAI_API_BASE_URL",
            "OPENAI_API_HOST",
        ],
    ),
    (
        "anthropic",
        &[
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_API_URL",
            "ANTHROPIC_API_BASE",
            "ANTHROPIC_BEDROCK_BASE_URL",
            "ANTHROPIC_VERTEX_BASE_URL",
        ],
    ),
    (
        "google",
        &["GOOGLE_GEMINI_BASE_URL", "CODE_ASSIST_ENDPOINT", "GEMINI_API_BASE", "GOOGLE_VERTEX_BASE_URL"],
    ),
    ("ollama", &["OLLAMA_HOST", "OLLAMA_API_BASE", "OLLAMA_BASE_URL"]),
];

type Set = BTreeMap<String, String>;

impl Library {
    /// The address with these variables, and a file of variables for those that are unset.
    fn goes(&self, vars: &Set, file: &Set) -> String {
        let found = self.reads.iter().find_map(|name| vars.get(*name).or_else(|| file.get(*name)));
        found.cloned().unwrap_or_else(|| self.usual.to_owned())
    }
}

/// Runs a program with these variables, and checks where each library sends its requests.
fn check(town: &mut Town, args: &[&str], vars: &[&str], file: &[&str]) {
    let places = |town: &mut Town, names: &[&str]| -> Set {
        names.iter().map(|name| ((*name).to_owned(), format!("{}/x", town.url(name)))).collect()
    };
    let (vars, file) = (places(town, vars), places(town, file));
    let home = town.home();
    let lines: Vec<_> = file.iter().map(|(name, value)| format!("{name}=\"{value}\"\n")).collect();
    home.write("project/.env", &lines.concat());
    let set: Vec<_> = vars.clone().into_iter().collect();
    town.run(&home, &[args, &["agent"]].concat(), &set, |told: Told| {
        for library in &LIBRARIES {
            let alone = town.lands(&library.goes(&vars, &file));
            let lands = town.lands(&library.goes(&told.vars, &file));
            let (_, own) = VARIABLES.iter().find(|(name, _)| *name == library.provider).expect("a provider");
            let chosen = own.iter().any(|name| *name == lands && vars.contains_key(*name));
            assert!(
                lands == alone || chosen,
                "{} goes to {alone} by itself, and to {lands} under tersely run {args:?}, with {:?} set and {:?} in .env",
                library.reads[0],
                vars.keys(),
                file.keys()
            );
        }
    });
}

/// Subsets of each provider's variables, combined into as many runs as the longest list has subsets.
fn sets() -> Vec<Vec<&'static str>> {
    let longest = VARIABLES.iter().map(|(_, names)| names.len()).max().unwrap_or_default();
    let pick = |bits: Vec<bool>| {
        let set = |names: &'static [&'static str]| {
            names.iter().zip(bits.clone()).filter(|(_, set)| *set).map(|(name, _)| *name)
        };
        VARIABLES.iter().flat_map(|(_, names)| set(names).collect::<Vec<_>>()).collect()
    };
    subsets(longest).map(pick).collect()
}

#[test]
fn a_library_goes_where_it_goes_by_itself_whatever_is_set() {
    let mut town = Town::new("library");
    for set in sets() {
        check(&mut town, &[], &set, &[]);
    }
}

#[test]
fn a_file_of_variables_is_not_overruled() {
    let mut town = Town::new("env-file");
    let longest = VARIABLES.iter().map(|(_, names)| names.len()).max().unwrap_or_default();
    let nth =
        |at: usize| VARIABLES.iter().filter_map(|(_, names)| names.get(at).copied()).collect::<Vec<_>>();
    for written in 0..longest {
        for set in (0..longest).filter(|set| *set != written).map(nth).chain([vec![]]) {
            check(&mut town, &[], &set, &nth(written));
        }
    }
}

/// An upstream given to us replaces a program's own: as a flag always, otherwise only where the program has none.
#[test]
fn what_the_user_names_to_us_is_a_choice_too() {
    let mut town = Town::new("named");
    let (all, own) = (town.url("all"), town.url("own"));
    let (base, place) = ("OPENAI_BASE_URL".to_owned(), town.url("OPENAI_BASE_URL"));
    let set = |name: &str, url: &str| (name.to_owned(), url.to_owned());
    for (args, vars, openai, anthropic, google) in [
        (&["--upstream", &all][..], vec![], "all", "all", "all"),
        (&["--upstream", &all], vec![(base.clone(), place.clone())], "all", "all", "all"),
        (&[], vec![set("TERSELY_UPSTREAM", &all)], "all", "all", "all"),
        (&[], vec![set("TERSELY_UPSTREAM", &all), (base.clone(), place)], "OPENAI_BASE_URL", "all", "all"),
        (
            &[],
            vec![set("TERSELY_UPSTREAMS_OPENAI", &own)],
            "own",
            "api.anthropic.com",
            "cloudcode-pa.googleapis.com",
        ),
    ] {
        town.run(&town.home(), &[args, &["agent"]].concat(), &vars, |told| {
            let lands = |name: &str| town.lands(&told.vars[name]);
            assert_eq!([lands(&base), lands("OPENAI_API_BASE")], [openai, openai], "{args:?} {vars:?}");
            assert_eq!(lands("ANTHROPIC_BASE_URL"), anthropic, "{args:?} {vars:?}");
            assert_eq!(lands("CODE_ASSIST_ENDPOINT"), google, "{args:?} {vars:?}");
        });
    }
}

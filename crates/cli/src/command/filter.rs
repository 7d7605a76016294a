//! `tersely filter`: lists filters, shows what they do, and runs their tests.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;
use tersely_core::{Call, Filter, FilterScope, O200k, Outcome, Plan, compress, compress_filtered};
use tersely_settings::filters::{
    FilterFile, FilterPlace, FilterShelf, FilterState, FilterTest, FoundFilter, Trial, forget, read_file,
    record, try_out,
};
use tersely_settings::{self as settings, Flags, Problem, SettingSources};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::share::Share;
use tersely_terminal::{input, output, table};

const EXAMPLES: &str = "\
Examples:
  tersely filter list
  tersely filter test my-filter.toml
  ansible-playbook site.yml | tersely filter explain --command 'ansible-playbook site.yml'
  tersely filter trust

Filters are TOML files in ~/.config/tersely/filters or in the .tersely/filters folder of a trusted project. To learn how to write a filter, see docs/filters.md.";

/// Omit tool output that you never need
///
/// A filter names a tool or a command, and the lines or JSON fields to omit from its output. The model can still fetch
/// the full output. Lines that report an error are never omitted.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FilterArgs {
    #[command(subcommand)]
    pub question: FilterQuestion,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FilterQuestion {
    List(ListArgs),
    Test(TestArgs),
    Explain(ExplainArgs),
    Trust(TrustArgs),
}

/// List all filters in the order in which Tersely tries them
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
}

/// Run the tests in filter files
#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// The filters to test, as names or as paths of filter files; default: all filters
    pub filters: Vec<String>,
}

/// Show which filter applies to a tool call, and how it changes the output
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The name of the tool that produced the text
    #[arg(long, value_name = "NAME", default_value = "bash")]
    pub tool: String,
    /// The command line that the tool ran
    #[arg(long, value_name = "CMD")]
    pub command: Option<String>,
    /// The file to read; if omitted or `-`, read standard input
    pub file: Option<PathBuf>,
}

/// Trust the current filters of this project
///
/// If one of these filters changes, Tersely ignores all of them until you trust them again.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// Stop trusting the filters of this project
    #[arg(long)]
    pub remove: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &FilterArgs) -> Result<ExitCode, Stop> {
    let sources = SettingSources::new(&Flags::default());
    let shelf = settings::shelf(&sources).map_err(settings::fault)?;
    match &args.question {
        FilterQuestion::List(args) => list(args, &shelf),
        FilterQuestion::Test(args) => test(args, &shelf),
        FilterQuestion::Explain(args) => explain(args, &shelf),
        FilterQuestion::Trust(args) => trust(args, &sources, &shelf),
    }
}

fn list(args: &ListArgs, shelf: &FilterShelf) -> Result<ExitCode, Stop> {
    if args.json {
        let all: Vec<_> = shelf.found.iter().map(entry).collect();
        output::result(&json!(all).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let head = ["filter", "from", "state", "about"].map(str::to_owned).to_vec();
    let rows: Vec<_> = std::iter::once(head).chain(shelf.found.iter().map(row)).collect();
    output::result(&table::align("llll", &rows))?;
    let problems = shelf.found.iter().filter_map(|found| found.file.as_ref().err()).flatten();
    for problem in problems {
        output::note(&problem.to_string())?;
    }
    if let Some(notice) = shelf.notice() {
        output::note(&format!("note: {notice}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn entry(found: &FoundFilter) -> serde_json::Value {
    let file = found.file.as_ref().ok();
    let problems =
        found.file.as_ref().err().map(|all| all.iter().map(Problem::to_string).collect::<Vec<_>>());
    json!({
        "name": found.name, "from": found.place.name(), "state": found.state.name(), "path": found.path,
        "for": file.map(|file| scope(&file.filter)),
        "about": file.map(|file| &file.about), "tests": file.map(|file| file.tests.len()), "problems": problems
    })
}

fn row(found: &FoundFilter) -> Vec<String> {
    let about = match &found.file {
        Ok(file) if file.about.is_empty() => scope(&file.filter),
        Ok(file) => file.about.clone(),
        Err(_) => String::new(),
    };
    [&found.name, found.place.name(), found.state.name(), &about].map(output::visible).to_vec()
}

/// The tools and commands that a filter applies to.
fn scope(filter: &Filter) -> String {
    let one = |scope: &FilterScope| match (scope.tools.join(", "), scope.commands.join(", ")) {
        (tools, commands) if tools.is_empty() => commands,
        (tools, commands) if commands.is_empty() => tools,
        (tools, commands) => format!("{commands} (by {tools})"),
    };
    filter.scopes.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn test(args: &TestArgs, shelf: &FilterShelf) -> Result<ExitCode, Stop> {
    let named = select_filters(args, shelf)?;
    let (mut passed, mut failed) = (0, 0);
    for (name, file) in &named {
        if file.tests.is_empty() {
            output::note(&format!("note: {name} has no tests; add tests under [[test]]"))?;
        }
        for test in &file.tests {
            match report(name, test, &try_out(&file.filter, test)) {
                None => passed += 1,
                Some(said) => {
                    failed += 1;
                    output::result(&said)?;
                }
            }
        }
    }
    let filters = if named.len() == 1 { "1 filter".to_owned() } else { format!("{} filters", named.len()) };
    output::result(&format!("{filters}: {passed} passed, {failed} failed"))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

/// The named filters, or all filters if none is named. A filter that cannot be read ends the command.
fn select_filters(args: &TestArgs, shelf: &FilterShelf) -> Result<Vec<(String, FilterFile)>, Stop> {
    let opened = |name: &str, file: &Result<FilterFile, Vec<Problem>>| match file {
        Ok(file) => Ok((name.to_owned(), file.clone())),
        Err(problems) => Err(Stop::from(settings::fault(problems.clone()))),
    };
    if args.filters.is_empty() {
        let read = shelf.found.iter().filter(|found| found.state != FilterState::Untrusted);
        return read.map(|found| opened(&found.name, &found.file)).collect();
    }
    let one = |wish: &String| match shelf.found.iter().find(|found| found.name == *wish) {
        Some(found) if found.state == FilterState::Untrusted => {
            let hint = "run `tersely filter trust`, or name the file of the filter";
            Err(CommandFault::unable(format!("{wish} is not trusted"), hint).into())
        }
        Some(found) => opened(&found.name, &found.file),
        None if Path::new(wish).extension().is_some_and(|end| end == "toml") => {
            let name = Path::new(wish).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            opened(&name, &read_file(&name, Path::new(wish)))
        }
        None => {
            let hint = "`tersely filter list` lists all filters; the name of a filter file ends in .toml";
            Err(CommandFault::unable(format!("there is no filter named {wish:?}"), hint).into())
        }
    };
    args.filters.iter().map(one).collect()
}

/// Describes a failed test.
fn report(name: &str, test: &FilterTest, trial: &Trial) -> Option<String> {
    let place = format!("{name}, test on line {}", test.line);
    match trial {
        Trial::Passed => None,
        Trial::NotMatched => Some(format!(
            "{place}: the filter does not match this call; give the test a tool or a command that [match] names"
        )),
        Trial::Differs(made) => {
            Some(format!("{place}: the output differs\n{}", difference(&test.output, made)))
        }
    }
}

/// The first line in which two texts differ.
fn difference(expected: &str, made: &str) -> String {
    let (mut one, mut two) = (expected.lines(), made.lines());
    let mut number = 0;
    loop {
        number += 1;
        let (one, two) = (one.next(), two.next());
        if one != two || one.is_none() {
            let show = |line: Option<&str>| line.map_or_else(|| "(end of text)".to_owned(), output::visible);
            return format!(
                "  line {number}, expected: {}\n  line {number}, actual:   {}",
                show(one),
                show(two)
            );
        }
    }
}

fn explain(args: &ExplainArgs, shelf: &FilterShelf) -> Result<ExitCode, Stop> {
    let call = Call { tool: &args.tool, command: args.command.as_deref(), ..Call::default() };
    let fits = |found: &&FoundFilter| found.file.as_ref().is_ok_and(|file| file.filter.is_for(&call));
    let Some(found) = shelf.active().find(fits) else {
        for found in shelf.found.iter().filter(fits) {
            output::note(&format!("note: {} matches, but is {}", found.name, found.state.name()))?;
        }
        output::result("no filter matches this call")?;
        return Ok(ExitCode::from(NO));
    };
    let text = input::read(args.file.as_ref())?.text;
    output::note(&format!("filter: {} ({}, {})", found.name, found.place.name(), found.path.display()))?;
    let filters = shelf.filters();
    let shown = compress_filtered(&Plan::default(), &filters, call, &text);
    output::note(&account(found, &shown, call, &text))?;
    output::bytes(&*shown.text)?;
    Ok(ExitCode::SUCCESS)
}

/// The saving of a filter, or the reason why it is not used.
fn account(found: &FoundFilter, shown: &Outcome<'_>, call: Call<'_>, text: &str) -> String {
    if shown.ledger.steps.iter().any(|step| step.stage == Filter::STAGE) {
        let before = O200k.count(text);
        let without = compress(&Plan::default(), call, text).ledger.after;
        let with = shown.ledger.after;
        let [by, otherwise] = [Share::saved(before, with), Share::saved(before, without)];
        return format!(
            "tokens: {before} before, {with} with the filter (saved {by}), {without} without it (saved {otherwise})"
        );
    }
    let edit = found.file.as_ref().ok().and_then(|file| file.filter.edit(text));
    let why = match edit {
        None => "the filter finds nothing to omit",
        Some(_) if call.is_verbatim(text) => "this is the text of a file that an agent may edit",
        Some(_) => "the filter saves too little to justify a reference to the full text",
    };
    format!("not used: {why}")
}

fn trust(args: &TrustArgs, sources: &SettingSources, shelf: &FilterShelf) -> Result<ExitCode, Stop> {
    let hint = "put filters into .tersely/filters, or run the command in another folder";
    let project =
        shelf.project.as_ref().ok_or_else(|| CommandFault::no("this project has no filters", hint))?;
    let config = settings::user_folder(sources).ok_or_else(|| {
        CommandFault::unable("the configuration folder is unknown", "set HOME or XDG_CONFIG_HOME")
    })?;
    let fault =
        |error| CommandFault::unable(format!("{}: {error}", config.display()), "make the folder writable");
    if args.remove {
        let known = forget(&config, project).map_err(fault)?;
        let said = if known { "no longer trusted" } else { "was not trusted" };
        output::result(&format!("{}: {said}", project.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    record(&config, project).map_err(fault)?;
    let own = shelf.found.iter().filter(|found| found.place == FilterPlace::Project);
    output::result(&format!("trusted until one of the filters changes: {}", project.display()))?;
    for found in own {
        let broken = if found.file.is_err() { " (broken: ignored)" } else { "" };
        output::result(&format!("  {}{broken}", row(found)[0]))?;
    }
    Ok(ExitCode::SUCCESS)
}

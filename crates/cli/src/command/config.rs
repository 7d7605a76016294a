//! `tersely config`: what was typed in, what is meant by it out.

use std::process::ExitCode;

use serde_json::{Value, json};
use tersely_terminal::fault::Stop;
use tersely_terminal::{output, table};

use crate::args::{Config, ConfigCheck, ConfigShow, Question};
use crate::settings::{self, Entry, Flags, Loaded, Order};

/// Answers what was asked about the configuration.
pub(crate) fn run(args: &Config) -> Result<ExitCode, Stop> {
    match &args.question {
        Question::Check(args) => check(args)?,
        Question::Show(args) => show(args)?,
        Question::Schema => output::result(&format!("{:#}", settings::schema()))?,
        Question::Reference => output::bytes(settings::reference())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(args: &ConfigCheck) -> Result<(), Stop> {
    let loaded = load(&Flags { config: args.file.clone(), ..Flags::default() })?;
    let file = loaded.file.map_or_else(|| "no file".to_owned(), |path| path.display().to_string());
    output::result(&format!("ok: {file}"))?;
    Ok(())
}

fn show(args: &ConfigShow) -> Result<(), Stop> {
    let loaded = load(&args.flags)?;
    output::result(&if args.json { report(&loaded) } else { lines(&loaded.entries) })?;
    Ok(())
}

/// Loads, and tells of what has no effect.
fn load(flags: &Flags) -> Result<Loaded, Stop> {
    let loaded = settings::load(&Order::new(flags)).map_err(settings::fault)?;
    for notice in &loaded.notices {
        output::note(&format!("note: {notice}"))?;
    }
    Ok(loaded)
}

fn lines(entries: &[Entry]) -> String {
    let row = |entry: &Entry| vec![entry.name.clone(), spell(&entry.value), entry.origin.to_string()];
    let head = ["setting", "value", "from"].map(str::to_owned).to_vec();
    let rows: Vec<_> = std::iter::once(head).chain(entries.iter().map(row)).collect();
    table::align("lll", &rows)
}

fn spell(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(spell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    if text.is_empty() { "-".to_owned() } else { text }
}

fn report(loaded: &Loaded) -> String {
    let entry = |entry: &Entry| json!({ "setting": entry.name, "value": entry.value, "from": entry.origin.to_string() });
    let settings: Vec<_> = loaded.entries.iter().map(entry).collect();
    json!({ "file": loaded.file, "settings": settings, "notices": loaded.notices }).to_string()
}

//! Asks all questions in every arm, and reports how many answers are still right.

use std::fs;
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tersely_account::PriceTable;
use tersely_engine::reader_of;
use tersely_gateway::Poster;
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::progress::ProgressBar;
use tersely_terminal::{output, progress};
use tersely_wire::Provider;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::api::AskedModel;
use crate::args::EvalArgs;
use crate::arm::{ArmEngines, EvalArm};
use crate::ask::Asker;
use crate::log::RunLog;
use crate::set::{EvalQuestion, digest};
use crate::tally::EvalTally;
use crate::words::EvalWords;
use crate::{json as report_json, page, place, set, spend, text};

/// Runs an evaluation and prints its result.
///
/// # Errors
/// If the questions or the log cannot be read, or the model cannot be asked.
pub fn run(args: &EvalArgs, runtime: Runtime) -> Result<ExitCode, Stop> {
    let all = set::read(args.questions.as_deref())?;
    let ids: Vec<_> = all.iter().map(|it| it.id.as_str()).collect();
    let set = digest(&ids);
    let questions = set::choose(all, args.longest, args.limit);
    if questions.is_empty() {
        return Err(CommandFault::unable("no questions are left to ask", "raise --longest or --limit").into());
    }
    let (asker, settings) = asker(args, &set)?;
    let path = args.out.clone().unwrap_or_else(|| place::file(&args.model));
    let mut log = RunLog::open(&path, &settings, &asker.run)?;
    let asker = Asker { run: log.run.clone(), ..asker };
    let price = PriceTable::known().of(&args.model);
    if log.torn > 0 {
        output::note(&format!(
            "note: {} of {} could not be read and will be asked again",
            log.torn,
            path.display()
        ))?;
    }
    let open = open(&log, &questions);
    if !open.is_empty() && spend::is_refused(args, &asker, &open, price.as_ref())? {
        return Err(CommandFault::unable("no question was sent", "answer y, or add --yes").into());
    }
    answer(usize::from(args.concurrency), asker, open, (&mut log, runtime))?;
    let tally = EvalTally::of(&log, &questions);
    let said = EvalWords { tally: &tally, settings: &settings, price, file: path.display().to_string() };
    if let Some(path) = &args.html {
        fs::write(path, page::page(&said)).map_err(|error| {
            let message = format!("cannot write {}: {error}", path.display());
            CommandFault::unable(message, "name a file that you can write to")
        })?;
    }
    output::result(&if args.json { report_json::object(&said) } else { text::lines(&said) })?;
    exit_code(&tally)
}

/// The exit code of a run.
fn exit_code(tally: &EvalTally) -> Result<ExitCode, Stop> {
    if tally.pairs.iter().any(|pairs| pairs.all() == 0) {
        let why = tally.faults.first().map_or("no answers", |(why, _)| why.as_str());
        let hint = "check --upstream, --model, --api and the key, then run the command again";
        return Err(
            CommandFault::unable(format!("no question was answered in all three ways: {why}"), hint).into()
        );
    }
    Ok(if tally.is_worse() { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

/// The asker, and the settings of the run for its log.
fn asker(args: &EvalArgs, set: &str) -> Result<(Asker, Value), Stop> {
    let meant = settings::load_telling(&SettingSources::new(&Flags::default()))?.settings;
    let place = place::find(args)?;
    let patience = Duration::from_secs(args.timeout);
    let upstream = place.upstream.url();
    let poster = Poster::new(&meant.gateway, place.upstream, patience).map_err(|error| {
        CommandFault::unable(error.to_string(), "check the settings with `tersely doctor`")
    })?;
    let model = AskedModel {
        model: args.model.clone(),
        most: args.max_output,
        temperature: args.temperature,
        is_openai: place.is_openai,
    };
    let provider = place.api.provider().map_or("", Provider::name);
    let reader = reader_of(&meant.engine.readers, provider, Some(&args.model)).name();
    let settings = json!({
        "upstream": upstream, "model": args.model, "api": place.api.name(), "reader": reader, "set": set,
        "max_output": args.max_output, "temperature": args.temperature, "version": env!("CARGO_PKG_VERSION"),
    });
    let engines = ArmEngines::new(&meant.engine);
    let asker = Asker { poster, api: place.api, headers: place.headers, asked: model, engines, run: name() };
    Ok((asker, settings))
}

/// A unique name for a run.
fn name() -> String {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    digest(&[&time.as_nanos().to_string(), &process::id().to_string()])
}

/// The questions that are still to be asked. Each question is asked in all arms before the next one.
fn open(log: &RunLog, questions: &[EvalQuestion]) -> Vec<(EvalArm, EvalQuestion)> {
    let each = questions.iter().flat_map(|question| EvalArm::ALL.map(|arm| (arm, question)));
    each.filter(|(arm, it)| !log.knows(&it.id, *arm)).map(|(arm, it)| (arm, it.clone())).collect()
}

/// A run gives up after this many failures if there has been no answer at all.
const MAX_EARLY_FAILURES: usize = 6;

/// Asks all questions that are still open, and logs each answer when it arrives.
fn answer(
    at_once: usize,
    asker: Asker,
    open: Vec<(EvalArm, EvalQuestion)>,
    (log, runtime): (&mut RunLog, Runtime),
) -> Result<(), Stop> {
    if open.is_empty() {
        return Ok(());
    }
    let bar = progress::counting("asking", open.len());
    let done = runtime.block_on(all(at_once, Arc::new(asker), open, log, &bar));
    runtime.shutdown_background();
    bar.finish_and_clear();
    done
}

async fn all(
    at_once: usize,
    asker: Arc<Asker>,
    open: Vec<(EvalArm, EvalQuestion)>,
    log: &mut RunLog,
    bar: &ProgressBar,
) -> Result<(), Stop> {
    let (mut tasks, mut open) = (JoinSet::new(), open.into_iter());
    let (mut failed, mut answered) = (0, 0);
    loop {
        while tasks.len() < at_once {
            let Some((arm, question)) = open.next() else { break };
            let asker = Arc::clone(&asker);
            tasks.spawn(async move { asker.ask(arm, &question).await });
        }
        let Some(done) = tasks.join_next().await else { return Ok(()) };
        // A task that panicked counts as failed. Its question is not in the log, so it is asked again.
        let Ok(done) = done else { continue };
        *(if done.heard.is_ok() { &mut answered } else { &mut failed }) += 1;
        let why = done.heard.as_ref().err().cloned();
        log.add(done)?;
        bar.inc(1);
        if let Some(why) = why.filter(|_| answered == 0 && failed >= MAX_EARLY_FAILURES) {
            let hint = "check --upstream, --model, --api and the key, then run the command again";
            return Err(
                CommandFault::unable(format!("the first {failed} requests failed: {why}"), hint).into()
            );
        }
    }
}

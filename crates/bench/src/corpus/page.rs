//! Renders the measurements as a page, as a list of files and as JSON.

use serde_json::{Map, Value, json};
use tersely_terminal::table;

use super::CorpusScore;
use super::foreign::VOCABULARIES;
use super::score::{FamilyScore, WAYS};

/// A table of the families, followed by a summary.
pub(super) fn page(score: &CorpusScore) -> String {
    let head =
        ["family", "files", "as sent", "exact", "", "standard", "", "aggressive", "", "in sight", "MB/s"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(score.families.iter().map(|(name, row)| cells(name, row)));
    rows.push(cells("total", &score.total));
    rows.push(cells("reads left out", &score.unedited));
    rows.extend(score.halves.iter().map(|half| cells("a half of them", half)));
    rows.push(cells("without calls", &score.bare));
    let broken: Vec<String> = score.broken().map(|file| format!("\nbroken: {file}")).collect();
    table::align("lrrrrrrrrlr", &rows)
        + "\n\nTokens by o200k, and the percent saved. In sight: questions whose answers the text shows or its"
        + "\nlines spell out; exact/standard/aggressive/asked. MB/s: standard, one thread. Each result comes"
        + "\nwith its tool and command; reads left out: all but what an agent may edit, which stays as it is;"
        + "\nwithout calls: all, with neither tool nor command."
        + &summary(score)
        + &broken.concat()
}

/// The figures that have no column in the table.
fn summary(score: &CorpusScore) -> String {
    let total = &score.total;
    let FamilyScore { questions, errors, .. } = total;
    let [exact, standard, _] = &total.sight;
    let lines = VOCABULARIES.iter().zip(&total.foreign).map(|((name, _), count)| count.line(name));
    let foreign = lines.map(|line| format!("\n{line}")).collect::<Vec<_>>().concat();
    format!(
        "\n\nanswers to the letter           {} exact, {} standard, of {questions}\
         \nanswers after asking for more   {} of {questions}\
         \nerror lines out of sight        {errors} (law: 0); without calls {}\
         \nslowest file                    {:.1} ms{foreign}",
        exact.letter,
        standard.letter,
        standard.expanded,
        score.bare.errors,
        total.slowest.as_secs_f64() * 1e3,
    )
}

fn cells(name: &str, row: &FamilyScore) -> Vec<String> {
    let mut cells = vec![name.to_owned(), row.files.to_string(), row.sent.to_string()];
    for (tokens, saved) in row.tokens.iter().zip(row.saved()) {
        cells.extend([tokens.to_string(), format!("{saved:.1}")]);
    }
    let [exact, standard, aggressive] = &row.sight;
    cells.push(format!("{}/{}/{}/{}", exact.read, standard.read, aggressive.read, row.questions));
    cells.push(format!("{:.1}", row.pace()));
    cells
}

/// A line for each file: its cost in each way, and the stages that were applied.
pub(super) fn listing(score: &CorpusScore) -> String {
    let head = ["file", "as sent", "exact", "by", "standard", "by"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(score.files.iter().map(|(path, row)| {
        let mut cells = vec![path.clone(), row.sent.to_string()];
        let ways = row.tokens.iter().zip(&row.stages).take(2);
        cells.extend(ways.flat_map(|(tokens, stages)| [tokens.to_string(), stages.clone()]));
        cells
    }));
    table::align("lrrlrl", &rows)
}

/// The whole score as one JSON object.
pub(super) fn scripts(score: &CorpusScore) -> String {
    let families: Map<String, Value> =
        score.families.iter().map(|(name, row)| (name.clone(), row.json())).collect();
    let files: Vec<Value> = score.files.iter().map(|(path, row)| file(path, row)).collect();
    let broken: Vec<String> = score.broken().collect();
    json!({
        "families": families, "total": score.total.json(), "reads_left_out": score.unedited.json(),
        "halves": score.halves.each_ref().map(FamilyScore::json),
        "without_calls": score.bare.json(), "files": files, "broken": broken,
    })
    .to_string()
}

fn file(path: &str, row: &FamilyScore) -> Value {
    let mut object = Map::new();
    object.insert("file".into(), json!(path));
    object.insert("sent".into(), json!(row.sent));
    object.insert("questions".into(), json!(row.questions));
    for (way, (name, ..)) in WAYS.into_iter().enumerate() {
        let way = json!({
            "tokens": row.tokens[way], "stages": row.stages[way], "in_sight": row.sight[way].read,
        });
        object.insert(name.into(), way);
    }
    Value::Object(object)
}

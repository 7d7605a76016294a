//! Measures the general form alone over folders of texts.
use std::time::Instant;
use tersely_core::{O200k, Tokens};
use tersely_stage::{Call, Plan, Room, Scene, form_named};

fn walk(path: &std::path::Path, files: &mut Vec<std::path::PathBuf>) {
    if path.is_dir() {
        let mut all: Vec<_> = std::fs::read_dir(path).unwrap().map(|it| it.unwrap().path()).collect();
        all.sort();
        all.iter().for_each(|it| walk(it, files));
    } else {
        files.push(path.to_owned());
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().any(|it| it == "--show");
    let name = args.iter().find_map(|it| it.strip_prefix("--form=")).unwrap_or("general").to_owned();
    let form = form_named(&name).unwrap();
    let mut files = Vec::new();
    args.iter().filter(|it| !it.starts_with("--")).for_each(|it| walk(it.as_ref(), &mut files));
    let plan = Plan::default();
    let (mut before, mut after, mut bytes, mut nanos, mut used, mut count) = (0, 0, 0, 0u128, 0, 0);
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        count += 1;
        let came = O200k.count(&text);
        let start = Instant::now();
        let edit = form.apply(Scene { plan: &plan, call: Call::default() }, &text);
        let took = start.elapsed();
        nanos += took.as_nanos();
        bytes += text.len();
        let mut sent = came;
        if let Some(edit) = edit {
            let back = form.restore(Room::of(&edit.text), &edit.note, &edit.text);
            if back.as_deref() != Some(&*text) {
                println!("BROKEN {}", file.display());
                if show { println!("{}", edit.text); }
            } else {
                let cost = O200k.count(&edit.text) + 6;
                if cost * 10 <= came * 9 && cost + 24 <= came {
                    sent = cost;
                    used += 1;
                }
                if show {
                    println!("{}", edit.text);
                }
            }
        }
        before += came;
        after += sent;
        println!("{:5.1} % {came:7} -> {sent:7} {:6.1} ms {}", 100.0 - 100.0 * sent as f64 / came.max(1) as f64, took.as_secs_f64() * 1e3, file.display());
    }
    println!("TOTAL {:.2} % of {before}, {used} of {count} files, {:.1} MB/s", 100.0 - 100.0 * after as f64 / before as f64, bytes as f64 * 1e3 / nanos as f64);
}

//! Renders an audit as an HTML page.

use std::fmt::Write;

use tersely_audit::{AuditSum, CauseSum, ReducedBill};
use tersely_terminal::number::{grouped, many};
use tersely_terminal::page::{self, document, escape_html, table, tiles};
use tersely_terminal::share::Share;

use super::wording::{AuditWords, better, day, dollars, narrow, percent, share, short, why};

/// The maximum length of a name in a table.
const NAME: usize = 90;

/// The maximum number of days in the chart.
const DAYS: usize = 60;

/// Renders the page.
pub(super) fn page(said: &AuditWords<'_>) -> String {
    let summary = said.summary;
    let sections = [
        lead(said),
        chart(said),
        sums("By client", "Client", &summary.clients),
        sums("By model", "Model", &summary.models),
        sums("By project", "Project", &summary.projects[..summary.projects.len().min(20)]),
        costly(said),
        reads(said),
        cache(said),
        unused(said),
        foot(said),
    ];
    document("Audit of tool results", &sections)
}

fn lead(said: &AuditWords<'_>) -> String {
    let all = &said.summary.all;
    let (saved, mode) = better(all);
    let [came, exact, standard] = all.result_tokens;
    let sent = if mode == "standard" { standard } else { exact };
    let fell = Share::saved(narrow(came), narrow(sent));
    let off =
        said.errors().map_or_else(|| "unknown".to_owned(), |[_, explained]| format!("{explained:+.1} %"));
    let values = [
        ("Paid, as counted by providers", dollars(all.bill.paid)),
        ("Would have been saved", dollars(saved.dollars)),
        ("Fewer tokens in tool results", fell.to_string()),
        ("Requests", grouped(all.requests)),
        ("Error of the estimate", off),
    ];
    let (part, whole) = if all.bill.paid > 0.0 {
        (format!("{:.1} %", share(all, saved)), "this bill")
    } else {
        (fell.to_string(), "the tokens of tool results")
    };
    format!(
        "<h1>Tersely audit</h1>\n<p class=\"lead\"><b>{part}</b> of {whole} would have been saved in {mode} mode.</p>\n\
         <p class=\"note\">{} on this machine replayed offline, request by request, with the state of the \
         prompt cache at the time. Nothing left the machine.</p>\n{}",
        many(all.conversations as u64, "conversation"),
        tiles(&values),
    )
}

/// A chart of the cost of each day, and of the possible saving.
fn chart(said: &AuditWords<'_>) -> String {
    let days: Vec<_> = said.summary.days.iter().rev().take(DAYS).collect();
    let most = days.iter().map(|(_, sum)| sum.bill.paid).fold(0.0, f64::max);
    if days.len() < 2 || most <= 0.0 {
        return String::new();
    }
    let (wide, high) = (1_000.0, 180.0);
    let step = wide / number(days.len());
    let mut bars = String::new();
    for (at, (date, sum)) in days.iter().rev().enumerate() {
        let (x, width) = (number(at) * step, (step * 0.72).min(48.0));
        let (paid, saved) = (sum.bill.paid / most * high, better(sum).0.dollars.max(0.0) / most * high);
        let title = format!(
            "{}: {} paid, {} would have been saved",
            day(**date),
            dollars(sum.bill.paid),
            dollars(better(sum).0.dollars)
        );
        let _ = write!(
            bars,
            "<g><title>{title}</title><rect class=\"paid\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{paid:.1}\" rx=\"2\"/>\
             <rect class=\"saved\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{saved:.1}\" rx=\"2\"/></g>",
            high - paid,
            high - saved,
        );
    }
    let (first, last) = (day(*days[days.len() - 1].0), day(*days[0].0));
    format!(
        "<h2>By day</h2>\n<svg viewBox=\"0 0 {wide} 205\" role=\"img\" aria-label=\"Paid and saved by day\">{bars}\
         <line class=\"axis\" x1=\"0\" x2=\"{wide}\" y1=\"{high}\" y2=\"{high}\"/>\
         <text x=\"0\" y=\"198\">{first}</text><text x=\"{wide}\" y=\"198\" text-anchor=\"end\">{last}</text></svg>\n\
         <p class=\"key\"><span><i style=\"background:var(--paid)\"></i>paid</span>\
         <span><i style=\"background:var(--saved)\"></i>would have been saved</span></p>\n"
    )
}

fn sums(title: &str, name: &str, rows: &[(String, AuditSum)]) -> String {
    let most = rows.iter().map(|(_, sum)| sum.bill.paid).fold(0.0, f64::max);
    let row = |(name, sum): &(String, AuditSum)| {
        let name = if name.is_empty() { "(unknown)" } else { name };
        let saved = |saved: ReducedBill| {
            format!("<td class=\"n\">{}<br>{:.1} %</td>", dollars(saved.dollars), share(sum, saved))
        };
        format!(
            "<tr><td class=\"w\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>{}{}<td>{}</td></tr>\n",
            escape_html(&short(name, NAME)),
            grouped(sum.requests),
            dollars(sum.bill.paid),
            saved(sum.exact),
            saved(sum.standard),
            bar(sum.bill.paid, better(sum).0.dollars, most)
        )
    };
    let rows: String = rows.iter().map(row).collect();
    let heads = [
        (name, false),
        ("Requests", true),
        ("Paid", true),
        ("Exact", true),
        ("Standard", true),
        ("Share", false),
    ];
    table(title, &heads, &rows)
}

fn bar(paid: f64, saved: f64, most: f64) -> String {
    let (paid, saved) = (percent(paid, most), percent(saved.max(0.0), most));
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"paid\" width=\"{paid:.2}\" height=\"10\"/><rect class=\"saved\" width=\"{saved:.2}\" height=\"10\"/></svg>"
    )
}

fn costly(said: &AuditWords<'_>) -> String {
    let row = |it: &tersely_audit::CostlyResult| {
        format!(
            "<tr><td class=\"n\">{}</td><td>{}</td><td class=\"w\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            dollars(it.dollars),
            escape_html(&short(&it.tool, 40)),
            escape_html(&short(&it.about, NAME)),
            grouped(it.tokens),
            grouped(it.requests)
        )
    };
    let rows: String = said.summary.costly.iter().map(row).collect();
    table(
        "The most expensive results",
        &[("Paid", true), ("Tool", false), ("Input", false), ("Tokens", true), ("Requests", true)],
        &rows,
    )
}

fn reads(said: &AuditWords<'_>) -> String {
    let row = |it: &tersely_audit::FileReads| {
        format!(
            "<tr><td class=\"w\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            escape_html(&short(&it.file, NAME)),
            grouped(it.reads),
            grouped(it.tokens)
        )
    };
    let rows: String = said.summary.reads.iter().map(row).collect();
    table("Files read repeatedly", &[("File", false), ("Reads", true), ("Repeated tokens", true)], &rows)
}

fn cache(said: &AuditWords<'_>) -> String {
    let paid = said.summary.all.bill.paid;
    let row = |it: &CauseSum| {
        format!(
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1} %</td></tr>\n",
            escape_html(&why(it)),
            grouped(it.sum.requests),
            grouped(it.sum.tokens),
            dollars(it.sum.dollars),
            percent(it.sum.dollars, paid)
        )
    };
    let rows: Vec<_> = said.summary.causes.iter().map(row).collect();
    let heads = [
        ("Cause of the cache miss", false),
        ("Requests", true),
        ("Tokens", true),
        ("Paid again", true),
        ("Share of the bill", true),
    ];
    table("Cache misses", &heads, &rows.concat())
}

fn unused(said: &AuditWords<'_>) -> String {
    let row = |it: &tersely_audit::UnusedTool| {
        format!(
            "<tr><td class=\"w\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            escape_html(&short(&it.tool, NAME)),
            grouped(it.tokens),
            grouped(it.requests)
        )
    };
    let rows: String = said.summary.unused.iter().map(row).collect();
    table(
        "Tools sent with every request but never called",
        &[("Tool", false), ("Tokens", true), ("Requests", true)],
        &rows,
    )
}

fn foot(said: &AuditWords<'_>) -> String {
    let lines =
        said.limits().into_iter().chain(said.unread().into_iter().map(|it| format!("Not read: {it}.")));
    page::foot(lines)
}

/// Converts a count to a number for the chart.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

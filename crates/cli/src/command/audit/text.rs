//! Renders an audit for the terminal.

use tersely_audit::{AuditSum, CauseSum};
use tersely_terminal::number::{grouped, many};
use tersely_terminal::share::Share;
use tersely_terminal::table;

use super::wording::{AuditWords, better, dollars, narrow, percent, share, short, why};

/// The maximum width of a name, so that a line fits into 80 columns.
const NAME: usize = 36;

/// The whole text.
pub(super) fn lines(said: &AuditWords<'_>) -> String {
    let summary = said.summary;
    let all = &summary.all;
    let mut parts = vec![format!("{}\n{}", head(all), results(all)), sums("client", &summary.clients, all)];
    if summary.models.len() > 1 {
        parts.push(sums("model", &summary.models, all));
    }
    if summary.projects.len() > 1 {
        parts.push(sums("project", &summary.projects[..summary.projects.len().min(8)], all));
    }
    parts.push(off(said));
    parts.extend(dearest(said));
    parts.extend(again(said));
    parts.extend(cache(said));
    parts.extend(unused(said));
    parts.push(said.limits().join("\n"));
    let unread = said.unread();
    if !unread.is_empty() {
        parts.push(format!("Not read: {}.", unread.join("; ")));
    }
    parts.join("\n\n")
}

/// The amount paid and the possible saving, if prices are known.
fn head(all: &AuditSum) -> String {
    let what = format!(
        "{}, {}",
        many(all.conversations as u64, "conversation"),
        many(all.requests as u64, "request")
    );
    if all.bill.paid > 0.0 {
        let saved = share(all, better(all).0);
        return format!(
            "{what}: {} paid, of which {saved:.1} % would have been saved.",
            dollars(all.bill.paid)
        );
    }
    format!("{what}, with models of unknown price.")
}

/// The number of tokens in tool results, before and after compression.
fn results(all: &AuditSum) -> String {
    let [came, exact, standard] = all.result_tokens;
    let fell = |after| Share::saved(narrow(came), narrow(after));
    format!(
        "Tool results, counted once each: {} tokens, {} less in exact mode, {} less in standard mode.",
        grouped(came),
        fell(exact),
        fell(standard)
    )
}

fn sums(name: &str, rows: &[(String, AuditSum)], all: &AuditSum) -> String {
    let head = [name, "requests", "paid", "exact", "", "standard", ""].map(str::to_owned).to_vec();
    let row = |(name, sum): (&str, &AuditSum)| {
        let saved = |saved: tersely_audit::ReducedBill| {
            [dollars(saved.dollars), format!("{:.1} %", share(sum, saved))]
        };
        let name = if name.is_empty() { "(unknown)" } else { name };
        let first = vec![short(name, 24), grouped(sum.requests), dollars(sum.bill.paid)];
        [first, saved(sum.exact).to_vec(), saved(sum.standard).to_vec()].concat()
    };
    let mut lines = vec![head];
    lines.extend(rows.iter().map(|(name, sum)| row((name, sum))));
    if rows.len() > 1 {
        lines.push(row(("all", all)));
    }
    table::align("lrrrrrr", &lines)
}

/// The error margin of the figures.
fn off(said: &AuditWords<'_>) -> String {
    let Some([plain, explained]) = said.errors() else {
        return "No request includes token counts from its provider, so the error of these figures is unknown."
            .to_owned();
    };
    let text = format!("Estimated from timestamps and texts alone, the cost is off by {plain:+.1} %");
    if said.summary.broken.requests == 0 {
        return format!("{text}.");
    }
    format!("{text}\n({explained:+.1} % if the cache breaks that clients caused are included).")
}

fn dearest(said: &AuditWords<'_>) -> Option<String> {
    let rows: Vec<_> = said
        .summary
        .costly
        .iter()
        .map(|it| {
            vec![
                format!("  {}", dollars(it.dollars)),
                short(&it.tool, 12),
                short(&it.about, NAME),
                grouped(it.tokens),
                grouped(it.requests),
            ]
        })
        .collect();
    listed("The most expensive results", "rllrr", ["  paid", "tool", "input", "tokens", "requests"], rows)
}

fn again(said: &AuditWords<'_>) -> Option<String> {
    let rows: Vec<_> = said
        .summary
        .reads
        .iter()
        .map(|it| vec![format!("  {}", grouped(it.reads)), short(&it.file, NAME + 14), grouped(it.tokens)])
        .collect();
    let title = "Files read repeatedly in one conversation";
    listed(title, "rlr", ["  reads", "file", "repeated tokens"], rows)
}

fn cache(said: &AuditWords<'_>) -> Option<String> {
    let paid = said.summary.all.bill.paid;
    let row = |it: &CauseSum| {
        let part = format!("{:.1} %", percent(it.sum.dollars, paid));
        let tokens = grouped(it.sum.tokens);
        vec![format!("  {}", dollars(it.sum.dollars)), part, grouped(it.sum.requests), tokens, why(it)]
    };
    let rows = said.summary.causes.iter().map(row).collect();
    let title = "Paid again because the prompt was no longer in the provider's cache";
    listed(title, "rrrrl", ["  paid", "share", "requests", "tokens", "cause"], rows)
}

fn unused(said: &AuditWords<'_>) -> Option<String> {
    let rows: Vec<_> = said
        .summary
        .unused
        .iter()
        .map(|it| vec![format!("  {}", grouped(it.tokens)), short(&it.tool, NAME), grouped(it.requests)])
        .collect();
    let title = "Tools that were sent with every request but never called";
    listed(title, "rlr", ["  tokens", "tool", "requests"], rows)
}

/// A table with a title and column names; empty if there are no rows.
fn listed<const N: usize>(
    title: &str,
    columns: &str,
    heads: [&str; N],
    rows: Vec<Vec<String>>,
) -> Option<String> {
    let lines = [vec![heads.map(str::to_owned).to_vec()], rows].concat();
    (lines.len() > 1).then(|| format!("{title}\n{}", table::align(columns, &lines)))
}

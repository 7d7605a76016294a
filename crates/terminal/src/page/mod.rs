//! Writes self-contained HTML pages, without scripts and without fonts or images from elsewhere.

const STYLE: &str = include_str!("style.css");

/// A page with a title and these sections.
#[must_use]
pub fn document(title: &str, sections: &[String]) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        sections.concat()
    )
}

/// A row of tiles, each with a name and a value.
#[must_use]
pub fn tiles(tiles: &[(&str, String)]) -> String {
    let tile =
        |(name, value): &(&str, String)| format!("<li><span>{name}</span><b>{}</b></li>", escape_html(value));
    format!("<ul class=\"tiles\">{}</ul>\n", tiles.iter().map(tile).collect::<Vec<_>>().concat())
}

/// A table, or an empty text if there are no rows. Columns of numbers are right-aligned.
#[must_use]
pub fn table(title: &str, heads: &[(&str, bool)], rows: &str) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head = |(name, is_number): &(&str, bool)| {
        let class = if *is_number { " class=\"n\"" } else { "" };
        format!("<th scope=\"col\"{class}>{}</th>", escape_html(name))
    };
    let heads: String = heads.iter().map(head).collect();
    format!(
        "<h2>{title}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// The footer of a page, which explains the limits of its figures.
pub fn foot(lines: impl IntoIterator<Item = String>) -> String {
    let line = |line: String| format!("<p>{}</p>", escape_html(&line).replace('\n', "<br>"));
    format!("<footer>{}</footer>\n", lines.into_iter().map(line).collect::<Vec<_>>().concat())
}

/// Escapes a text, so that it can be placed between tags.
#[must_use]
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{document, foot, table, tiles};

    #[test]
    fn values_are_escaped() {
        let shown = tiles(&[("Tool", "<img src=x> & \"y\"".to_owned())]);
        assert_eq!(
            shown,
            "<ul class=\"tiles\"><li><span>Tool</span><b>&lt;img src=x&gt; &amp; &quot;y&quot;</b></li></ul>\n"
        );
        assert_eq!(foot(["a < b\nc".to_owned()]), "<footer><p>a &lt; b<br>c</p></footer>\n");
    }

    #[test]
    fn a_table_without_rows_is_left_out() {
        assert_eq!(table("Tools", &[("Name", false)], ""), "");
        let shown = table("Tools", &[("<Name>", false), ("Tokens", true)], "<tr></tr>\n");
        assert!(
            shown.contains("<th scope=\"col\">&lt;Name&gt;</th><th scope=\"col\" class=\"n\">Tokens</th>")
        );
    }

    #[test]
    fn a_page_runs_no_script_and_loads_nothing() {
        let page = document("An audit", &["<p>1</p>\n".to_owned()]);
        assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'") && !page.contains("<script"));
        assert!(page.contains("<main>\n<p>1</p>\n</main>"));
    }
}

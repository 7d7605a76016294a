//! Shortens long pages: keeps headings, the beginning of each section, and paragraphs about errors and warnings.

use crate::omit;

/// Shorter pages are shown whole.
const MIN_BYTES: usize = 32_000;

/// Words, in lower case. A paragraph that contains one of them is kept in any section.
const TELLING: [&str; 6] = ["error", "exception", "fail", "warning", "deprecated", "not supported"];

/// Maximum total size of such paragraphs in bytes.
const MAX_TELLING_BYTES: usize = 20_000;

/// The number of lines shown below each heading.
const FIRST_LINES: usize = 3;

/// Description of the omitted lines.
const DESCRIPTION: &str = "text of this section";

/// A run of lines with fewer bytes costs no more than its marker.
const MIN_RUN_BYTES: usize = 200;

/// The text of a page, shortened if it is long and has headings.
pub(super) fn gist(text: String) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if text.len() < MIN_BYTES || !lines.iter().any(|line| is_heading(line)) {
        return text;
    }
    let (mut room, mut left) = (MAX_TELLING_BYTES, usize::MAX);
    let mut kept = Vec::with_capacity(lines.len());
    for line in &lines {
        let is_head = is_heading(line) || omit::is_marker(line);
        if is_head {
            left = FIRST_LINES;
        }
        let tells = line.len() <= room && is_telling(line);
        let keep = is_head || left > 0 || tells;
        if keep && !is_head && left == 0 {
            room -= line.len();
        }
        if !is_head && !line.trim().is_empty() {
            left = left.saturating_sub(1);
        }
        kept.push(keep);
    }
    omit::gaps(&lines, &kept, MIN_RUN_BYTES, |_| DESCRIPTION.into())
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}

fn is_telling(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    TELLING.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(odd: &str) -> String {
        let section = |at: usize| {
            let text =
                format!("A paragraph of section {at} that says one thing after the other.\n\n").repeat(12);
            format!("## Section {at}\n\n{text}{}", if at == 30 { odd } else { "" })
        };
        (0..60).map(section).collect()
    }

    #[test]
    fn long_pages_keep_what_their_sections_begin_with() {
        let out = gist(page(""));
        assert_eq!(out.matches("## Section").count(), 60);
        assert_eq!(out.matches("lines left out: text of this section]").count(), 60);
        assert!(out.len() * 2 < page("").len(), "{}", out.len());
    }

    #[test]
    fn what_can_go_wrong_stays() {
        let odd = "It is an error to do this.\n";
        assert!(gist(page(odd)).contains(odd));
        let many = gist(page(&odd.repeat(2_000)));
        assert!(many.len() < 40_000, "but not without an end");
    }

    #[test]
    fn other_pages_stay_whole() {
        for text in [page("")[..20_000].to_owned(), "A paragraph without a heading.\n".repeat(2_000)] {
            assert_eq!(gist(text.clone()), text);
        }
    }
}

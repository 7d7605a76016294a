//! Decides which links have a target worth showing.

use std::collections::HashSet;

use crate::cut::family::html::token::{HtmlTokens, Token, attribute};

/// The anchors of a page, which are the targets of links within the page.
pub(super) fn anchors(html: &str) -> HashSet<&str> {
    let place = |token| match token {
        Token::Open { attributes, .. } if attributes.len() > 3 => {
            attribute(attributes, "id").or_else(|| attribute(attributes, "name"))
        }
        _ => None,
    };
    HtmlTokens::new(html).filter_map(place).collect()
}

/// The target of a link to another page. The target of a link within the page adds nothing to the link's text.
pub(super) fn target<'a>(attributes: &'a str, anchors: &HashSet<&str>) -> Option<&'a str> {
    let href = attribute(attributes, "href")?.trim();
    let scheme = |name: &str| href.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if href.is_empty() || scheme("javascript:") || scheme("data:") {
        return None;
    }
    let (page, place) = href.split_once('#').unwrap_or((href, ""));
    let here = page.is_empty() || !page.contains('/') && anchors.contains(place);
    (!here).then_some(href)
}

/// True when a link points to an anchor on the same page.
pub(super) fn is_local(attributes: &str) -> bool {
    attribute(attributes, "href").is_some_and(|href| href.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_other_pages_tell() {
        let anchors = anchors("<h2 id=\"one\">x</h2><a name=two></a>");
        for (attributes, target_is) in [
            (" href=\"a.html\"", Some("a.html")),
            (" href=\"#one\"", None),
            (" href=\"here.html#two\"", None),
            (" href=\"other.html#three\"", Some("other.html#three")),
            (" href=\"https://x.test/#one\"", Some("https://x.test/#one")),
            (" href=\"JavaScript:void(0)\"", None),
            (" href=\"\"", None),
            (" class=x", None),
        ] {
            assert_eq!(target(attributes, &anchors), target_is, "{attributes}");
        }
        assert!(is_local(" href='#'"));
    }
}

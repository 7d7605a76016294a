//! Entity tags: a response in another form gets a different tag.

use http::header::{ETAG, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};

use crate::api::form::RequestedForm;

/// Removes our suffix from the tags in a request, so that the upstream recognizes them.
pub(super) fn forget(headers: &mut HeaderMap) {
    for name in [IF_MATCH, IF_NONE_MATCH] {
        change(name, headers, |value| {
            RequestedForm::ALL.iter().fold(value.to_owned(), |value, form| value.replace(&mark(*form), "\""))
        });
    }
}

/// Adds our suffix to the tag of a response that was written in another form.
pub(super) fn rename(form: RequestedForm, headers: &mut HeaderMap) {
    change(ETAG, headers, |value| match value.strip_suffix('"') {
        Some(name) => format!("{name}{}", mark(form)),
        None => value.to_owned(),
    });
}

/// The suffix that marks tags of responses in this form.
fn mark(form: RequestedForm) -> String {
    format!("-tersely-{}\"", form.name())
}

fn change(name: HeaderName, headers: &mut HeaderMap, to: impl Fn(&str) -> String) {
    let changed = headers
        .get(&name)
        .and_then(|value| value.to_str().ok())
        .map(|value| to(value).parse::<HeaderValue>());
    if let Some(Ok(value)) = changed {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_as_the_upstream_gave_it() {
        for (name, ours) in
            [("\"abc\"", "\"abc-tersely-toon\""), ("W/\"\"", "W/\"-tersely-toon\""), ("odd", "odd")]
        {
            let mut headers = HeaderMap::from_iter([(ETAG, name.parse().expect("a value"))]);
            rename(RequestedForm::Toon, &mut headers);
            assert_eq!(headers[ETAG], ours);
            let mut headers =
                HeaderMap::from_iter([(IF_NONE_MATCH, format!("{ours}, \"x\"").parse().expect("a value"))]);
            forget(&mut headers);
            assert_eq!(headers[IF_NONE_MATCH], format!("{name}, \"x\""));
        }
    }
}

//! Scores an answer as right or wrong.

use crate::set::Truth;

/// The maximum number of extra characters in a reply. A reply that repeats the whole text is not an answer.
const CONTEXT_CHARS: usize = 160;

/// True when a reply contains the right answer, and not much else.
pub(super) fn is_right(truth: &Truth, question: &str, reply: &str) -> bool {
    let reply = plain(reply);
    match truth {
        Truth::Exact(answer) => {
            let answer = plain(answer);
            reply.chars().count() <= answer.chars().count() * 3 + CONTEXT_CHARS && stands(&reply, &answer)
        }
        Truth::Number(answer) => {
            let asked = numbers(&plain(question));
            let answer = value(answer);
            let mut said = numbers(&reply);
            // A reply may repeat numbers from the question.
            said.retain(|number| Some(*number) == answer || !asked.contains(number));
            answer.is_some_and(|answer| !said.is_empty() && said.iter().all(|number| same(*number, answer)))
        }
        Truth::Set(answers) => {
            let asked = numbers(&plain(question));
            let answers: Vec<_> = answers.iter().map(|it| plain(it)).collect();
            let length: usize = answers.iter().map(|it| it.chars().count() + 8).sum();
            let known: Vec<_> = answers.iter().filter_map(|it| value(it)).collect();
            // If all answers are numbers, the reply may not contain other numbers.
            let is_more = known.len() == answers.len()
                && numbers(&reply).iter().any(|it| !known.contains(it) && !asked.contains(it));
            reply.chars().count() <= length * 3 + CONTEXT_CHARS
                && !is_more
                && answers.iter().all(|it| stands(&reply, it))
        }
    }
}

/// The text in lower case, without quotes and Markdown markers, and with single spaces.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['`', '*', '"', '“', '”'], "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True when `reply` contains `answer`, and not just as a part of a longer word or number.
fn stands(reply: &str, answer: &str) -> bool {
    if answer.is_empty() {
        return false;
    }
    let joins = |near: Option<char>, next: Option<char>| match near {
        Some(sign) if sign.is_alphanumeric() || sign == '_' => true,
        // A full stop may end a sentence, or may be part of a number or a name.
        Some('.' | '-' | '/' | ':' | ',') => next.is_some_and(char::is_alphanumeric),
        _ => false,
    };
    reply.match_indices(answer).any(|(at, found)| {
        let (before, after) = (&reply[..at], &reply[at + found.len()..]);
        let mut left = before.chars().rev();
        let mut right = after.chars();
        let (first, last) = (answer.chars().next(), answer.chars().next_back());
        let is_word = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
        let is_joined_left = is_word(first) && joins(left.next(), left.next());
        let is_joined_right = is_word(last) && joins(right.next(), right.next());
        !is_joined_left && !is_joined_right
    })
}

/// All numbers in a text that are separate words.
fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().filter_map(value).collect()
}

/// The number in a word. A unit after the number and punctuation around it are ignored.
fn value(word: &str) -> Option<f64> {
    let word = word.trim_start_matches(|sign: char| !sign.is_alphanumeric() && sign != '-');
    let digits = word.strip_prefix('-').unwrap_or(word);
    if !digits.starts_with(|sign: char| sign.is_ascii_digit()) {
        return None;
    }
    word.trim_end_matches(|sign: char| !sign.is_ascii_digit()).replace(',', "").parse().ok()
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * a.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(truth: &Truth, question: &str, reply: &str, expected: bool) {
        assert_eq!(is_right(truth, question, reply), expected, "{truth:?}: {reply}");
    }

    #[test]
    fn words_count_wherever_they_stand_alone() {
        let truth = Truth::Exact("13.9.4".to_owned());
        for (reply, expected) in [
            ("13.9.4", true),
            ("`13.9.4`", true),
            ("The version is **13.9.4**.", true),
            ("rich-13.9.4", false),
            ("13.9.41", false),
            ("113.9.4", false),
            ("13.9.4.1", false),
            ("13.9", false),
            ("", false),
        ] {
            check(&truth, "Which version?", reply, expected);
        }
        check(&Truth::Exact("FAILED".to_owned()), "?", "It failed.", true);
        check(&Truth::Exact("é".to_owned()), "?", "É", true);
        check(&Truth::Exact("101 kB".to_owned()), "?", "101  kB", true);
        check(&Truth::Exact("label".to_owned()), "?", &format!("label {}", "x ".repeat(200)), false);
        check(&Truth::Exact("json::decode".to_owned()), "?", "json::decode::tests", true);
        check(&Truth::Exact("src/a.rs".to_owned()), "?", "crates/src/a.rs", false);
    }

    #[test]
    fn a_number_stands_without_others() {
        let truth = Truth::Number("15844".to_owned());
        for (reply, expected) in [
            ("15844", true),
            ("15,844 lines", true),
            ("The commit 7 added 15844 lines.", true),
            ("15844 or 12", false),
            ("1584", false),
            ("none", false),
            ("(15844)", true),
            ("15844.0", true),
            ("src/a2.rs has 15844", true),
            ("15844ms", true),
        ] {
            check(&truth, "How many lines did commit 7 add?", reply, expected);
        }
        check(&Truth::Number("7".to_owned()), "What has 7?", "7", true);
    }

    #[test]
    fn all_of_a_set_and_nothing_else() {
        let truth = Truth::Set(vec!["39".to_owned(), "58".to_owned()]);
        for (reply, expected) in
            [("39, 58", true), ("58 and 39", true), ("39", false), ("39, 58, 60", false), ("39 58", true)]
        {
            check(&truth, "Which lines?", reply, expected);
        }
    }
}

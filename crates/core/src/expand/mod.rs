//! The `expand_context` tool, with which a model fetches text that was cut: all of an original, or a part of it.

mod part;
mod record;
mod request;

pub(crate) use part::beginning;
pub use request::ExpandRequest;

/// The name of the tool.
pub const NAME: &str = "expand_context";

/// The description of the tool that the model sees. It is part of every prompt, so it must not change within a
/// conversation.
pub const DESCRIPTION: &str = "Shows the original of a result marked <<<SHADOW:id>>>: all, \
    or a part: lines 10-40, a search text, or a JSON path items[0].name.";

/// The schema of the tool's arguments, which the description explains. It is short because every request pays for it.
pub const PARAMETERS: &str = concat!(
    r#"{"type":"object","properties":{"id":{"type":"string"},"part":{"type":"string"}},"#,
    r#""required":["id"]}"#
);

/// The answer for an unknown id. Its wording is final, so that the model does not repeat the call.
#[must_use]
pub fn unknown(id: &str) -> String {
    format!(
        "Nothing is kept under {:?}. Asking again will not help; call the tool again if you need its result.",
        part::beginning(id)
    )
}

/// The answer when the requested part cannot be produced.
pub const FAILED: &str = "This part cannot be shown. Ask for all of it by its id, or call the tool again.";

/// The answer to calls beyond the limit.
pub const TOO_MANY: &str =
    "These are too many calls at once. Ask again for what you still need, in fewer calls.";

/// The answer when the model asks for more of a text than may still be shown.
pub const SHOWN: &str =
    "That is more than is left to show of this result. Ask for lines that were not shown above.";

/// The answer when there is no room for the requested text.
pub const NO_ROOM: &str =
    "There is no room to show this now. Go on without it, or call the tool again for less.";

/// The answer to a repetition of a call that was already answered.
pub const REPEATED: &str = "This was shown above, in answer to the same call.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::O200k;

    fn check(input: &str, expected: &str) {
        let text = "{\"items\":[{\"name\":\"a\"},\n{\"name\":\"b.c\",\"n\":1.10}],\n\"x y\":null}\n";
        let wish = ExpandRequest::read(input).unwrap();
        assert_eq!(wish.show(text), expected, "{input}");
    }

    /// Behaviour 3.23.
    #[test]
    fn lines_are_those_of_the_text_that_json_holds() {
        let inside = (1..=40).map(|at| format!("line {at} of a text\\n")).collect::<Vec<_>>().concat();
        let text = format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{inside}\"}}]}}");
        let wish = ExpandRequest::read(r#"{"id":"shadow_1","lines":"7-8"}"#).unwrap();
        assert_eq!(wish.show(&text), "line 7 of a text\nline 8 of a text\n");
        let part = |part: &str| {
            ExpandRequest::read(&format!("{{\"id\":\"shadow_1\",\"part\":\"{part}\"}}"))
                .unwrap()
                .show(&text)
                .into_owned()
        };
        assert_eq!(part("7-8"), "line 7 of a text\nline 8 of a text\n");
        assert_eq!(
            part("line 40 of"),
            "38: line 38 of a text\n39: line 39 of a text\n40: line 40 of a text\n"
        );
        assert_eq!(part("content[0].type"), "text");
        assert_eq!(part("50-60"), "There are only 40 lines. Ask for some of them, for a word or for a path.");
        let whole = ExpandRequest::read(r#"{"id":"shadow_1"}"#).unwrap();
        assert_eq!(whole.show(&text), text);
    }

    #[test]
    fn without_more_the_text_comes_back_byte_for_byte() {
        for text in ["", "a\r\nb\u{1b}[0m", "{\"a\" : 1}\n\n", "<<<SHADOW:x"] {
            assert_eq!(ExpandRequest::read(r#"{"id":"shadow_1"}"#).unwrap().show(text), text);
        }
    }

    #[test]
    fn parts_are_shown() {
        check(r#"{"id":"x","lines":"2-2"}"#, "{\"name\":\"b.c\",\"n\":1.10}],\n");
        check(r#"{"id":"x","lines":"2"}"#, "{\"name\":\"b.c\",\"n\":1.10}],\n");
        check(r#"{"id":"x","lines":"3-"}"#, "\"x y\":null}\n");
        check(r#"{"id":"x","lines":"2-99"}"#, "{\"name\":\"b.c\",\"n\":1.10}],\n\"x y\":null}\n");
        check(r#"{"id":"x","path":"items[1].n"}"#, "1.10");
        check(r#"{"id":"x","path":"$.items[0]"}"#, r#"{"name":"a"}"#);
        check(r#"{"id":"x","path":"[\"x y\"]"}"#, "null");
        check(r#"{"id":"x","path":"items[1].name"}"#, "b.c");
        check(
            r#"{"id":"x","path":"items","search":"B.C"}"#,
            "1: [{\"name\":\"a\"},{\"name\":\"b.c\",\"n\":1.10}]\n",
        );
    }

    #[test]
    fn one_word_names_any_part() {
        for (part, shown) in [
            ("2-2", "{\"name\":\"b.c\",\"n\":1.10}],\n"),
            ("lines 3-", "\"x y\":null}\n"),
            (" line 3", "\"x y\":null}\n"),
            ("items[1].name", "b.c"),
            ("x y", "null"),
            (
                "X Y",
                "1: {\"items\":[{\"name\":\"a\"},\n2: {\"name\":\"b.c\",\"n\":1.10}],\n3: \"x y\":null}\n",
            ),
            ("B.C", "items[1]: {\"name\":\"b.c\",\"n\":1.10}\n"),
            (
                "items[9]",
                "No line contains \"items[9]\". Ask for lines (1-3), another word, a path or a rule's name.",
            ),
            ("9-12", "There are only 3 lines. Ask for some of them, for a word or for a path."),
            ("5-2", "No line contains \"5-2\". Ask for lines (1-3), another word, a path or a rule's name."),
            ("", "{\"items\":[{\"name\":\"a\"},\n{\"name\":\"b.c\",\"n\":1.10}],\n\"x y\":null}\n"),
        ] {
            check(&format!("{{\"id\":\"x\",\"part\":\"{part}\"}}"), shown);
        }
        check(r#"{"id":"x","part":3}"#, "\"x y\":null}\n");
    }

    #[test]
    fn a_number_may_be_the_name_of_a_record() {
        let text = "[\n{\"code\":\"0062\",\"n\":2},\n{\"code\":\"0063\",\"n\":9}\n]\n";
        let show = |part: &str| {
            ExpandRequest::read(&format!("{{\"id\":\"x\",\"part\":\"{part}\"}}"))
                .unwrap()
                .show(text)
                .into_owned()
        };
        assert_eq!(show("0063"), "[1]: {\"code\":\"0063\",\"n\":9}\n");
        assert_eq!(show("2"), "[0]: {\"code\":\"0062\",\"n\":2}\n");
        assert_eq!(show("line 2"), "{\"code\":\"0062\",\"n\":2},\n");
        assert_eq!(show("3"), "{\"code\":\"0063\",\"n\":9}\n");
        assert!(show("77").starts_with("There are only 4 lines"));
        let log = ExpandRequest::read(r#"{"id":"x","part":"8080"}"#).unwrap();
        assert_eq!(log.show("listens on 8080\n"), "1: listens on 8080\n");
    }

    #[test]
    fn what_is_searched_for_stands_with_its_lines() {
        let text = (1..=20).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
        let wish = ExpandRequest::read(r#"{"id":"x","search":"LINE 10"}"#).unwrap();
        assert_eq!(wish.show(&text), "8: line 8\n9: line 9\n10: line 10\n11: line 11\n12: line 12\n");
        let wish = ExpandRequest::read(r#"{"id":"x","search":"line 1","lines":"1-8"}"#).unwrap();
        assert_eq!(wish.show(&text), "1: line 1\n2: line 2\n3: line 3\n");
        let wish = ExpandRequest::read(r#"{"id":"x","search":"9"}"#).unwrap();
        assert!(wish.show(&text).contains("11: line 11\n--\n17: line 17\n"), "{}", wish.show(&text));
    }

    #[test]
    fn a_rule_is_answered_with_whole_warnings() {
        let warning =
            |rule: &str| format!("{rule} Line too long\n --> a.py:1:9\n  |\n1 | x = 1\n  |     ^\n\n");
        let text = ["head\n\n".to_owned(), warning("E501"), warning("D103"), warning("E501")].concat();
        let shown = ExpandRequest::read(r#"{"id":"x","part":"D103"}"#).unwrap().show(&text).into_owned();
        assert!(shown.contains("9: D103 Line") && shown.contains("13:   |     ^\n"), "{shown}");
    }

    #[test]
    fn what_is_not_there_is_said() {
        check(
            r#"{"id":"x","lines":"9-12"}"#,
            "There are only 3 lines. Ask for some of them, for a word or for a path.",
        );
        check(r#"{"id":"x","lines":"two"}"#, "\"two\" names no lines; say them as 10-40.");
        check(r#"{"id":"x","lines":"5-2"}"#, "\"5-2\" names no lines; say them as 10-40.");
        check(
            r#"{"id":"x","search":"zebra"}"#,
            "No line contains \"zebra\". Ask for lines (1-3), another word, a path or a rule's name.",
        );
        check(
            r#"{"id":"x","path":"items[7]"}"#,
            "Nothing is at \"items[7]\": the list at \"items\" has 2 items.",
        );
        check(r#"{"id":"x","path":"item.name"}"#, "Nothing is at \"item\". There is: items, x y.");
        check(
            r#"{"id":"x","path":"items[0].name.first"}"#,
            "Nothing is at \"items[0].name.first\": \"items[0].name\" holds no parts.",
        );
        check(r#"{"id":"x","path":"a]b"}"#, "Nothing is at \"a]b\". There is: items, x y.");
        let wish = ExpandRequest::read(r#"{"id":"x","path":"a"}"#).unwrap();
        assert_eq!(wish.show("no JSON"), "The text is no JSON; use lines or search.");
    }

    #[test]
    fn a_path_may_begin_with_any_character() {
        let text = "{\"é\":{\"日本.x\":[\"ü\"]},\"😀\":1}";
        for (path, shown) in [
            ("é", "{\"日本.x\":[\"ü\"]}"),
            ("$.é['日本.x'][0]", "ü"),
            ("😀", "1"),
            (".😀", "1"),
            ("ñ", "Nothing is at \"ñ\". There is: é, 😀."),
            ("é.日本", "Nothing is at \"é.日本\". There is: 日本.x."),
            ("😀.é", "Nothing is at \"😀.é\": \"😀\" holds no parts."),
        ] {
            let wish = ExpandRequest::read(&format!("{{\"id\":\"x\",\"path\":\"{path}\"}}")).unwrap();
            assert_eq!(wish.show(text), shown, "{path}");
        }
    }

    #[test]
    fn little_of_a_long_question_is_said_back() {
        let long = "é".repeat(100_000);
        let text = format!("{{\"{}\":1}}", "k".repeat(100_000));
        for part in ["part", "lines", "search", "path"] {
            let wish = ExpandRequest::read(&format!("{{\"id\":\"x\",\"{part}\":\"{long}\"}}")).unwrap();
            assert!(wish.show(&text).len() < 400, "{part}");
        }
        assert!(unknown(&long).len() < 400);
    }

    #[test]
    fn arguments_that_cannot_be_read_are_told() {
        for input in ["", "{", "[]", "{}", r#"{"id":7}"#, "\"shadow_1\""] {
            let error = ExpandRequest::read(input).unwrap_err();
            assert_eq!(
                error, "Give the id as it stands after <<<SHADOW: as in {\"id\": \"shadow_...\"}.",
                "{input}"
            );
        }
        let wish = ExpandRequest::read(r#"{"id":" <<<SHADOW:shadow_1>>>","lines":null,"more":[1]}"#).unwrap();
        assert_eq!(wish.id(), "shadow_1");
    }

    #[test]
    fn the_tool_costs_little() {
        let cost = O200k.count(&format!("{NAME} {DESCRIPTION} {PARAMETERS}"));
        assert!(cost < 75, "{cost}");
    }
}

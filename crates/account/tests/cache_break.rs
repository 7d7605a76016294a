//! Small prompts and what changes between two of them: the first change, the conversation it belongs to, and the break.

#![expect(clippy::many_single_char_names, reason = "messages a to e")]

use std::sync::Arc;

use tersely_account::{
    BreakCause, BreakOwner, CacheRules, ConversationMatch, LineMark, PartMark, PromptBreak, PromptChange,
    PromptMarks, PromptOrder, PromptTurn, ShownName, SystemLineKind, SystemMark, TokenUsage, ToolMark, judge,
    quick_hash,
};

use BreakCause as C;
use BreakOwner as O;

const FIVE_MINUTES_MS: i64 = 5 * 60 * 1_000;

/// A prompt: tools as `name` or `name=definition`, blocks of lines, and messages as `text` or `model: text`. A line that
/// begins with `date` or `git` is of that kind; a message's values are its words in any order.
fn prompt(tools: &[&str], system: &[&[&str]], messages: &[&str]) -> PromptMarks {
    PromptMarks {
        tools: tools.iter().map(|tool| tool_mark(tool)).collect(),
        system: system.iter().map(|lines| block(lines)).collect(),
        messages: messages.iter().map(|message| part(message)).collect(),
        ..PromptMarks::default()
    }
}

fn part(text: &str) -> PartMark {
    let mut words: Vec<_> = text.split(' ').collect();
    words.sort_unstable();
    PartMark {
        raw: quick_hash(text.as_bytes()),
        hash: quick_hash(text.as_bytes()),
        loose: quick_hash(words.concat().as_bytes()),
        bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
        is_model: text.starts_with("model:"),
    }
}

fn tool_mark(tool: &str) -> ToolMark {
    let name = tool.split('=').next().unwrap_or_default();
    ToolMark { part: part(tool), id: quick_hash(name.as_bytes()), name: ShownName::of(name) }
}

fn block(lines: &[&str]) -> SystemMark {
    let kind = |line: &str| match line.split(' ').next() {
        Some("date") => SystemLineKind::Date,
        Some("git") => SystemLineKind::Git,
        _ => SystemLineKind::Plain,
    };
    let mark = |line: &&str| LineMark { hash: quick_hash(line.as_bytes()), kind: kind(line) };
    SystemMark { part: part(&lines.join("\n")), lines: lines.iter().map(mark).collect() }
}

const TOOLS: [&str; 4] = ["bash", "read", "mcp__files__list", "edit"];
const SYSTEM: [&[&str]; 2] = [&["You are an agent.", "date 1", "The end."], &["git main", "git M a", "Ask."]];
const MESSAGES: [&str; 5] = ["go on", "model: a call", "a result", "model: another call", "more results"];

fn sample() -> PromptMarks {
    prompt(&TOOLS, &SYSTEM, &MESSAGES)
}

/// What is found: the cause, the place and the line, both from 1, the name of the tool and the owner.
type Found = (BreakCause, Option<u32>, Option<u32>, Option<String>, BreakOwner);

fn found(it: &PromptBreak) -> Found {
    (it.cause, it.place, it.line, it.tool.as_ref().map(ToString::to_string), it.owner)
}

fn first(before: &PromptMarks, now: &PromptMarks) -> Option<Found> {
    PromptChange::first(before, now).map(|change| found(&change.into_break()))
}

fn check_tools(now: &[&str], expected: (BreakCause, u32, &str, BreakOwner)) {
    let (cause, place, tool, owner) = expected;
    let expected = Some((cause, Some(place), None, Some(tool.to_owned()), owner));
    assert_eq!(first(&sample(), &prompt(now, &SYSTEM, &MESSAGES)), expected, "{now:?}");
}

#[test]
fn the_tool_that_comes_went_or_moved_is_named() {
    check_tools(&["bash", "read", "mcp__files__list", "edit", "new"], (C::ToolAdded, 5, "new", O::Client));
    check_tools(&["new", "bash", "read", "mcp__files__list", "edit"], (C::ToolAdded, 1, "new", O::Client));
    check_tools(&["bash", "read", "mcp__files__list"], (C::ToolRemoved, 4, "edit", O::Client));
    check_tools(&["bash", "read", "edit"], (C::ToolRemoved, 3, "mcp__files__list", O::Mcp));
    check_tools(&["bash=new", "read", "mcp__files__list", "edit"], (C::ToolChanged, 1, "bash", O::Client));
    check_tools(&["read", "mcp__files__list", "edit", "bash"], (C::ToolMoved, 1, "bash", O::Client));
    check_tools(&["edit", "bash", "read", "mcp__files__list"], (C::ToolMoved, 1, "edit", O::Client));
    check_tools(&[], (C::ToolRemoved, 1, "bash", O::Client));
}

#[test]
fn of_two_tools_the_first_is_named() {
    check_tools(&["bash", "read=x", "mcp__files__list=x", "edit"], (C::ToolChanged, 2, "read", O::Client));
    check_tools(
        &["bash=x", "read", "mcp__files__list", "edit", "new"],
        (C::ToolChanged, 1, "bash", O::Client),
    );
    check_tools(&["new", "read", "mcp__files__list", "edit"], (C::ToolRemoved, 1, "bash", O::Client));
    check_tools(&["bash", "mcp__files__list", "edit", "new"], (C::ToolRemoved, 2, "read", O::Client));
    check_tools(&["bash", "read", "mcp__files__stat", "edit", "mcp__files__list"], {
        (C::ToolAdded, 3, "mcp__files__stat", O::Mcp)
    });
    check_tools(&["new", "edit", "bash", "read", "mcp__files__list"], (C::ToolAdded, 1, "new", O::Client));
    check_tools(&["edit", "read", "mcp__files__list", "bash=x"], (C::ToolMoved, 1, "edit", O::Client));
}

#[test]
fn a_server_is_named_by_the_tools_that_clients_name_after_it() {
    let server = |tool: &str| {
        let now = prompt(&[tool], &[], &["go"]);
        PromptChange::first(&prompt(&[], &[], &["go"]), &now)?.into_break().server
    };
    let name = |tool| server(tool).map(|it| it.to_string());
    assert_eq!(name("mcp__files__read").as_deref(), Some("files"));
    assert_eq!(name("mcp__my_files__read__all").as_deref(), Some("my_files"));
    for tool in ["mcp__files", "mcp____read", "mcp_files_read", "read", "mcp"] {
        assert_eq!(name(tool), None, "{tool}");
    }
}

fn check_system(now: &[&[&str]], expected: (BreakCause, u32, Option<u32>)) {
    let (cause, place, line) = expected;
    let expected = Some((cause, Some(place), line, None, O::Client));
    assert_eq!(first(&sample(), &prompt(&TOOLS, now, &MESSAGES)), expected, "{now:?}");
}

#[test]
fn the_line_of_the_system_prompt_is_named() {
    let [one, two] = SYSTEM;
    check_system(&[&["You are an agent.", "date 2", "The end."], two], (C::SystemDate, 1, Some(2)));
    check_system(&[one, &["git main", "git M b", "Ask."]], (C::SystemGit, 2, Some(2)));
    check_system(&[&["You are a robot.", "date 1", "The end."], two], (C::System, 1, Some(1)));
    check_system(&[&["You are an agent.", "The end."], two], (C::SystemDate, 1, Some(2)));
    check_system(&[one, &["git main", "git M a", "Ask.", "More."]], (C::System, 2, Some(4)));
    check_system(&[&["date 1", "The end."], two], (C::System, 1, Some(1)));
    check_system(&[one], (C::System, 2, None));
    check_system(&[one, two, &["A third."]], (C::System, 3, None));
}

#[test]
fn of_two_lines_the_first_is_named() {
    let [one, two] = SYSTEM;
    check_system(&[&["You are a robot.", "date 2", "The end."], two], (C::System, 1, Some(1)));
    check_system(&[&["You are an agent.", "date 2", "The very end."], two], (C::SystemDate, 1, Some(2)));
    check_system(&[one, &["git other", "git M b", "Ask."]], (C::SystemGit, 2, Some(1)));
    check_system(&[one, &["git main", "Ask.", "git M a"]], (C::SystemGit, 2, Some(2)));
    check_system(
        &[&["You are an agent.", "date 2", "The end."], &["git other"]],
        (C::SystemDate, 1, Some(2)),
    );
}

/// A block whose lines are all the same differs in what is not text, such as a link.
#[test]
fn a_block_without_a_changed_line_has_no_line() {
    let (before, mut now) = (sample(), sample());
    now.system[1].part.hash += 1;
    assert_eq!(first(&before, &now), Some((C::System, Some(2), None, None, O::Client)));
}

fn check_messages(now: &[&str], expected: Option<(BreakCause, u32)>) {
    let expected = expected.map(|(cause, place)| (cause, Some(place), None, None, O::Client));
    assert_eq!(first(&sample(), &prompt(&TOOLS, &SYSTEM, now)), expected, "{now:?}");
}

#[test]
fn the_message_is_named_and_what_happened_to_it() {
    let [a, b, c, d, e] = MESSAGES;
    check_messages(&[a, b, c, d, e, "model: done"], None);
    check_messages(&[a, b, "edited", d, e, "model: done"], Some((C::MessageEdited, 3)));
    check_messages(&[a, c, d, e, "model: done"], Some((C::MessageDropped, 2)));
    check_messages(&[a, b, "new", c, d, e], Some((C::MessageInserted, 3)));
    check_messages(&["on go", b, c, d, e, "model: done"], Some((C::MessageRewritten, 1)));
    check_messages(&[a, b, "another way"], None);
    check_messages(&[a, b, c], None);
}

#[test]
fn of_two_messages_the_first_is_named() {
    let [a, b, c, d, e] = MESSAGES;
    check_messages(&[a, "edited", c, "edited too", e, "new"], Some((C::MessageEdited, 2)));
    check_messages(&[a, b, d, "edited", "new"], Some((C::MessageDropped, 3)));
    check_messages(&["new", a, b, "edited", d, e], Some((C::MessageInserted, 1)));
    check_messages(&[a, "edited", d, e, "new"], Some((C::MessageDropped, 2)));
    check_messages(&[a, "new", "edited", c, d, e], Some((C::MessageInserted, 2)));
    check_messages(&[a, "new", c, "edited", e, "more"], Some((C::MessageEdited, 2)));
    check_messages(&[a, c, e, "new", "and more"], Some((C::MessageDropped, 2)));
    check_messages(&["on go", "edited", c, d, e, "new"], Some((C::MessageRewritten, 1)));
}

/// Changes one setting of a prompt.
type SettingPlant = (fn(&mut PromptMarks), BreakCause, BreakOwner);

const SETTINGS: [SettingPlant; 7] = [
    (|it| it.settings.model += 1, C::Model, O::Person),
    (|it| it.settings.betas += 1, C::Betas, O::Client),
    (|it| it.settings.cache_key += 1, C::CacheKey, O::Client),
    (|it| it.settings.effort += 1, C::Effort, O::Person),
    (|it| it.settings.thinking += 1, C::Thinking, O::Person),
    (|it| it.settings.format += 1, C::Format, O::Client),
    (|it| it.settings.tool_choice += 1, C::ToolChoice, O::Client),
];

#[test]
fn settings_are_found_and_the_first_of_two() {
    for (at, (one, cause, owner)) in SETTINGS.iter().enumerate() {
        for (two, ..) in &SETTINGS[at..] {
            let mut now = sample();
            one(&mut now);
            two(&mut now);
            assert_eq!(first(&sample(), &now), Some((*cause, None, None, None, *owner)));
        }
    }
}

/// A model or a key chooses another cache; an effort changes only what follows tools and system prompt.
#[test]
fn the_order_of_the_parts_is_that_of_the_provider() {
    let [plain, other] = [&TOOLS, &["bash"; 4]].map(|tools| prompt(tools, &SYSTEM, &MESSAGES));
    let cause = |order, plants: &[fn(&mut PromptMarks)]| {
        let [mut before, mut now] = [plain.clone(), other.clone()];
        (before.order, now.order) = (order, order);
        for plant in plants {
            plant(&mut now);
        }
        first(&before, &now).map(|it| it.0)
    };
    let system: fn(&mut PromptMarks) = |it| it.system[0] = block(&["Other."]);
    let message: fn(&mut PromptMarks) = |it| it.messages[0] = part("edited");
    let (model, effort) = (SETTINGS[0].0, SETTINGS[3].0);
    assert_eq!(cause(PromptOrder::ToolsFirst, &[system, effort]), Some(C::ToolRemoved));
    assert_eq!(cause(PromptOrder::SystemFirst, &[system, effort]), Some(C::System));
    assert_eq!(cause(PromptOrder::SystemFirst, &[effort, message]), Some(C::ToolRemoved));
    assert_eq!(cause(PromptOrder::ToolsFirst, &[model, system]), Some(C::Model));
    let [mut before, mut now] = [plain.clone(), plain.clone()];
    (before.order, now.order) = (PromptOrder::SystemFirst, PromptOrder::SystemFirst);
    effort(&mut now);
    message(&mut now);
    assert_eq!(first(&before, &now).map(|it| it.0), Some(C::Effort), "before the messages");
}

#[test]
fn a_change_in_front_comes_before_one_that_follows() {
    let change = |now: PromptMarks| PromptChange::first(&sample(), &now).unwrap();
    let [a, b, c, d, e] = MESSAGES;
    let in_order = [
        change({
            let mut now = sample();
            now.settings.model += 1;
            now
        }),
        change(prompt(&["bash=x"], &SYSTEM, &MESSAGES)),
        change(prompt(&["bash", "read=x"], &SYSTEM, &MESSAGES)),
        change(prompt(&TOOLS, &[&["You are a robot."], SYSTEM[1]], &MESSAGES)),
        change(prompt(&TOOLS, &[&["You are an agent.", "date 2"], SYSTEM[1]], &MESSAGES)),
        change(prompt(&TOOLS, &SYSTEM, &["edited", b, c, d, e, "new"])),
        change(prompt(&TOOLS, &SYSTEM, &[a, b, c, "edited", e, "new"])),
    ];
    for (at, one) in in_order.iter().enumerate() {
        for (place, other) in in_order.iter().enumerate() {
            assert_eq!(one.is_before(other), at < place, "{one:?} {other:?}");
        }
    }
}

fn is_one(before: &PromptMarks, now: &PromptMarks) -> bool {
    ConversationMatch::of(before, now).is_some()
}

#[test]
fn a_conversation_goes_on_if_most_of_it_is_there() {
    let before = sample();
    let [a, b, c, d, e] = MESSAGES;
    let with = |messages: &[&str]| prompt(&TOOLS, &SYSTEM, messages);
    for (messages, expected) in [
        (&[a, b, c, d, e, "model: done", "next"][..], true),
        (&[a, b, c, d, e], true),
        (&[a, b, "edited", d, e, "next"], true),
        (&[c, d, e, "model: done"], true),
        // A side branch, another conversation, an earlier state, nothing.
        (&[a, "something else", "entirely"], false),
        (&["a sub-agent's task", "model: call", "result"], false),
        (&[a, b, c], false),
        (&[], false),
    ] {
        assert_eq!(is_one(&before, &with(messages)), expected, "{messages:?}");
    }
    let mut other = with(&[a, b, c, d, e, "next"]);
    other.order = PromptOrder::SystemFirst;
    assert!(!is_one(&before, &other), "another API");
}

#[test]
fn a_request_for_another_purpose_is_another_conversation() {
    let before = sample();
    let mut title = prompt(&[], &SYSTEM, &MESSAGES);
    assert!(is_one(&before, &title), "one thing changed");
    title.settings.model += 1;
    assert!(!is_one(&before, &title), "a title or a summary: another model, no tools, the same messages");
    let elsewhere = prompt(&["search"], &[&["Summarize."]], &[&MESSAGES[..], &["Sum it up."]].concat());
    assert!(!is_one(&before, &elsewhere), "nothing in front is the same");
    let flapping = prompt(&["search"], &SYSTEM, &[&MESSAGES[..], &["next"]].concat());
    assert!(is_one(&before, &flapping), "all tools changed, the system prompt did not");
}

#[test]
fn a_second_turn_may_have_another_first_message() {
    let before = prompt(&TOOLS, &SYSTEM, &["go, at 10:00"]);
    let now = |first, tools: &[&str]| prompt(tools, &SYSTEM, &[first, "model: call", "result"]);
    assert!(is_one(&before, &now("go, at 10:01", &TOOLS)));
    assert!(!is_one(&before, &now("go, at 10:01", &TOOLS[1..])), "two things changed");
    let third = prompt(&TOOLS, &SYSTEM, &["other", "model: call", "result", "model: call", "result"]);
    assert!(!is_one(&before, &third), "two answers later");
}

/// For another model, Claude Code writes what the operator says as a part of the user's messages.
#[test]
fn answers_tell_a_conversation_whose_other_messages_are_written_anew() {
    let before = ["go", "operator", "model: 1", "result", "operator", "model: 2", "result", "operator"];
    let before = prompt(&TOOLS, &SYSTEM, &before);
    let with = |messages: &[&str]| is_one(&before, &prompt(&TOOLS, &SYSTEM, messages));
    assert!(with(&["go operator", "model: 1", "result operator", "model: 2", "more"]));
    assert!(with(&["other", "model: 1", "other", "model: 9", "more"]), "half of them");
    assert!(!with(&["other", "model: 8", "other", "model: 9", "more"]));
    assert!(!with(&["other", "model: 1", "more"]), "a side branch");
}

#[test]
fn the_better_match_is_greater() {
    let [a, b, c, d, e] = MESSAGES;
    let now = prompt(&TOOLS, &SYSTEM, &[a, b, c, d, e, "next"]);
    let fit = |messages: &[&str]| ConversationMatch::of(&prompt(&TOOLS, &SYSTEM, messages), &now);
    let whole = fit(&[a, b, c, d, e]);
    assert!(whole > fit(&[a, b, c]), "more of the same");
    assert!(whole > fit(&[a, b, "edited", d, e]));
    assert!(fit(&[a, b, c]) > fit(&[a, "edited", c, d, e]), "nothing changed in the shorter one");
    let other = ConversationMatch::of(&prompt(&TOOLS[1..], &SYSTEM, &MESSAGES), &now);
    assert!(whole > other && other.is_some());
}

fn turn(marks: PromptMarks, usage: Option<TokenUsage>) -> PromptTurn {
    let came = Arc::new(marks);
    PromptTurn { sent: Arc::clone(&came), came, usage }
}

#[expect(clippy::unnecessary_wraps, reason = "turns may have none")]
fn used(cache_read: u64, cache_write: u64, input: u64) -> Option<TokenUsage> {
    Some(TokenUsage { cache_read, cache_write, input, ..TokenUsage::default() })
}

fn next() -> PromptMarks {
    prompt(&TOOLS, &SYSTEM, &[&MESSAGES[..], &["next"]].concat())
}

fn other_tools() -> PromptMarks {
    prompt(&TOOLS[1..], &SYSTEM, &[&MESSAGES[..], &["next"]].concat())
}

/// The cause and the lost tokens, with marks of the client.
fn verdict(
    before: Option<TokenUsage>,
    now: (PromptMarks, Option<TokenUsage>),
    idle_ms: i64,
) -> Option<(BreakCause, Option<u64>)> {
    let found = judge(CacheRules::of("anthropic", ""), &turn(sample(), before), &turn(now.0, now.1), idle_ms);
    found.map(|it| (it.cause, it.lost))
}

#[test]
fn tokens_lost_are_those_that_the_cache_had() {
    let before = used(40_000, 10_000, 5);
    assert_eq!(verdict(before, (next(), used(50_000, 900, 5)), 10), None);
    let changed = (other_tools(), used(8_000, 43_000, 5));
    assert_eq!(verdict(before, changed, 10), Some((C::ToolRemoved, Some(42_000))));
    assert_eq!(
        verdict(before, (other_tools(), used(50_000, 900, 5)), 10),
        None,
        "a change that costs nothing"
    );
    assert_eq!(verdict(before, (other_tools(), used(49_999, 900, 5)), 10), Some((C::ToolRemoved, Some(1))));
    assert_eq!(verdict(before, (next(), used(47_500, 3_400, 5)), 10), None, "providers round");
    assert_eq!(verdict(before, (next(), used(47_499, 3_400, 5)), 10), Some((C::Nothing, Some(2_501))));
    assert_eq!(verdict(used(0, 0, 900), (other_tools(), used(0, 0, 950)), 10), None, "too short for a cache");
}

#[test]
fn without_counts_a_change_is_a_break_of_unknown_size() {
    let counts = used(40_000, 10_000, 5);
    for (before, now) in [(None, None), (counts, None), (None, counts)] {
        assert_eq!(verdict(before, (other_tools(), now), 10), Some((C::ToolRemoved, None)));
        assert_eq!(verdict(before, (next(), now), 10), None);
        assert_eq!(
            verdict(before, (next(), now), FIVE_MINUTES_MS + 1),
            None,
            "nobody knows what a pause cost"
        );
    }
    assert_eq!(
        verdict(used(0, 0, 9_000), (other_tools(), used(0, 0, 9_500)), 10),
        Some((C::ToolRemoved, None)),
        "a client that caches nothing"
    );
}

#[test]
fn a_pause_is_the_cause_if_it_was_long_enough() {
    let (before, all, some) = (used(40_000, 10_000, 5), used(0, 51_000, 5), used(9_000, 42_000, 5));
    let late = FIVE_MINUTES_MS + 1;
    assert_eq!(verdict(before, (next(), all), FIVE_MINUTES_MS), Some((C::Nothing, Some(50_000))));
    assert_eq!(verdict(before, (next(), all), late), Some((C::Idle, Some(50_000))));
    assert_eq!(verdict(before, (next(), some), late), Some((C::Idle, Some(41_000))));
    assert_eq!(verdict(before, (other_tools(), all), late), Some((C::Idle, Some(50_000))), "gone anyway");
    assert_eq!(verdict(before, (other_tools(), some), late), Some((C::ToolRemoved, Some(41_000))));
    let mut hour = sample();
    hour.is_hour = true;
    let found = judge(CacheRules::of("anthropic", ""), &turn(hour, before), &turn(next(), all), late);
    assert_eq!(found.map(|it| (it.cause, it.owner)), Some((C::Nothing, O::Provider)), "it lives an hour");
}

#[test]
fn a_cache_without_marks_is_read_in_steps() {
    let rules = CacheRules::of("openai", "");
    let lost = |before, now: PromptMarks, usage| {
        judge(rules, &turn(sample(), before), &turn(now, usage), 10).map(|it| (it.cause, it.lost))
    };
    let before = used(0, 0, 20_000);
    assert_eq!(lost(before, other_tools(), used(19_840, 0, 400)), None, "within two steps");
    let missed = lost(before, other_tools(), used(1_024, 0, 19_000));
    assert_eq!(missed, Some((C::ToolRemoved, Some(18_976))), "all that was sent could have been cached");
    let before = used(16_000, 0, 4_000);
    assert_eq!(lost(before, next(), used(15_300, 0, 5_000)), None, "less than one in twenty");
    assert_eq!(lost(before, next(), used(0, 0, 20_300)), Some((C::Nothing, Some(16_000))));
}

#[test]
fn what_was_changed_on_the_way_is_ours() {
    let rules = CacheRules::of("anthropic", "");
    let found = |came: PromptMarks, sent: PromptMarks| {
        let now = PromptTurn { came: Arc::new(came), sent: Arc::new(sent), usage: used(0, 50_000, 5) };
        let before = turn(sample(), used(40_000, 10_000, 5));
        judge(rules, &before, &now, 10).map(|it| (it.cause, it.owner, it.server))
    };
    let extra = prompt(&[&["mcp__own__tool"], &TOOLS[..]].concat(), &SYSTEM, &MESSAGES);
    assert_eq!(found(next(), extra.clone()), Some((C::ToolAdded, O::Us, None)), "not the server's");
    let mut model = next();
    model.settings.model += 1;
    assert_eq!(found(model, extra), Some((C::Model, O::Person, None)), "theirs comes first");
    assert_eq!(found(other_tools(), other_tools()), Some((C::ToolRemoved, O::Client, None)));
}

/// Behaviour 26.9: a clearing after a pause costs nothing; one that was forgotten, and one without a pause, are ours.
#[test]
fn a_clearing_is_told_from_other_changes() {
    let rules = CacheRules::of("anthropic", "");
    let edited = |cleared: usize| {
        let messages = [&["stub"], &MESSAGES[1..], &["next"]].concat();
        PromptMarks { cleared, ..prompt(&TOOLS, &SYSTEM, &messages) }
    };
    let found = |before: usize, now: usize, usage, idle_ms| {
        let turn = |came: PromptMarks, sent: PromptMarks, usage| PromptTurn {
            came: Arc::new(came),
            sent: Arc::new(sent),
            usage,
        };
        let sent = PromptMarks { cleared: before, ..sample() };
        let before = turn(sample(), sent, used(40_000, 10_000, 5));
        let now = turn(next(), edited(now), usage);
        judge(rules, &before, &now, idle_ms).map(|it| (it.cause, it.owner))
    };
    let (all, some, late) = (used(0, 30_000, 5), used(9_000, 21_000, 5), FIVE_MINUTES_MS + 1);
    assert_eq!(found(0, 7, all, late), Some((C::Idle, O::Person)));
    assert_eq!(found(0, 7, some, late), Some((C::Idle, O::Person)), "another conversation has the same head");
    assert_eq!(found(0, 7, some, 10), Some((C::Cleared, O::Us)), "a clock was wrong");
    assert_eq!(found(7, 0, some, 10), Some((C::ClearingLost, O::Us)));
    assert_eq!(found(7, 7, some, 10), Some((C::MessageEdited, O::Us)));
}

/// Anthropic does not count the line, and its cache is read. Another server reads nothing, ever.
#[test]
fn a_line_that_attributes_requests_is_blamed_where_nothing_is_ever_read() {
    let other = || PromptMarks { attribution: 9, ..next() };
    let all = used(0, 51_000, 5);
    assert_eq!(verdict(used(40_000, 10_000, 5), (other(), all), 10), Some((C::Nothing, Some(50_000))));
    assert_eq!(verdict(used(0, 50_000, 5), (other(), all), 10), Some((C::System, Some(50_000))));
    assert_eq!(verdict(used(0, 50_000, 5), (next(), all), 10), Some((C::Nothing, Some(50_000))));
    assert_eq!(PromptChange::first(&sample(), &other()), None);
}

/// What the watch counts against its limit.
#[test]
fn marks_know_how_much_memory_they_take() {
    let (small, large) = (prompt(&[], &[], &["go"]), sample());
    assert!(large.bytes() > small.bytes() + TOOLS.len() * size_of::<ToolMark>());
    let lines: usize = SYSTEM.iter().map(|lines| lines.len() * size_of::<LineMark>()).sum();
    assert!(large.bytes() > small.bytes() + lines);
}

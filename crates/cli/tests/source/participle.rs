//! Recognises names that are a bare past participle: `kept`, `Found`, `written`.

/// Irregular participles. Verbs whose participle is also their present tense or a noun (read, set, put, cut, split,
/// cost, hit, bound) are not listed, because they are good names.
const IRREGULAR: [&str; 66] = [
    "said",
    "told",
    "held",
    "kept",
    "found",
    "sent",
    "seen",
    "spoken",
    "written",
    "known",
    "shown",
    "drawn",
    "left",
    "lost",
    "made",
    "met",
    "spelt",
    "begun",
    "given",
    "gone",
    "taken",
    "thrown",
    "worn",
    "meant",
    "built",
    "spent",
    "learnt",
    "born",
    "broken",
    "chosen",
    "driven",
    "hidden",
    "laid",
    "stood",
    "understood",
    "sold",
    "paid",
    "heard",
    "lit",
    "dealt",
    "fed",
    "caught",
    "bought",
    "brought",
    "fought",
    "sought",
    "thought",
    "woven",
    "frozen",
    "swept",
    "forgotten",
    "gotten",
    "grown",
    "risen",
    "shaken",
    "stolen",
    "sworn",
    "torn",
    "woken",
    "withheld",
    "bitten",
    "eaten",
    "fallen",
    "flown",
    "slept",
    "won",
];

/// Nouns and present-tense verbs that look like a participle.
const LOOKALIKES: [&str; 17] = [
    "need", "speed", "feed", "seed", "bed", "embed", "exceed", "red", "shed", "proceed", "shred", "breed",
    "bleed", "weed", "heed", "succeed", "hundred",
];

/// True if a name is a single word and a past participle.
pub(crate) fn is_participle(name: &str) -> bool {
    let is_word = !name.contains('_') && name.chars().skip(1).all(|letter| letter.is_ascii_lowercase());
    let word = name.to_ascii_lowercase();
    let is_regular = word.ends_with("ed") && !LOOKALIKES.contains(&word.as_str());
    is_word && (is_regular || IRREGULAR.contains(&word.as_str()))
}

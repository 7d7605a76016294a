//! Writes the head of an encoded text, which explains the notation to the reader and configures the decoder.

/// The beginning of the first line.
pub(super) const HEAD: &str = "[Shorter notation.";

/// The end of the first line.
pub(super) const HEAD_END: &str = "]\n";

/// The line above the encoded text.
pub(super) const TEXT: &str = "[The text:]";

const SIGNS: &str = " Signs in the list stand for the words beside them.";
const TEMPLATES: &str =
    " A line that begins with a name such as A is the text after its \" = \", values filled in.";
const DITTO: &str = ": same value as in the row above.";
const RUNS: &str = " \"A ×9:\": the next 9 lines are rows of A.";
const REPEATS: &str = " \"A ×9\": A nine times.";
const PADS: &str = " {x:>8}: blanks before it, up to 8 characters; {x:<8}: behind it.";
const ALARMS: &str = " A name with \"!\" holds an error or a warning.";

const FOLD: &str = " Line ends behind `";
const FOLD_END: &str = "` are ours.";

/// The string after which long lines were broken, according to the head.
pub(super) fn fold(head: &str) -> Option<&str> {
    head.strip_suffix(FOLD_END)?.rsplit_once(FOLD).map(|(_, end)| end)
}

/// The parts of the notation that the first line explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadWord {
    Signs,
    Templates,
    Dittos,
    Runs,
    Repeats,
    Pads,
    Alarms,
}

impl HeadWord {
    /// All parts with their explanations, in the order in which the first line lists them.
    const ALL: [(Self, &str); 7] = [
        (Self::Signs, SIGNS),
        (Self::Templates, TEMPLATES),
        (Self::Dittos, DITTO),
        (Self::Runs, RUNS),
        (Self::Repeats, REPEATS),
        (Self::Pads, PADS),
        (Self::Alarms, ALARMS),
    ];
}

/// The first line of a text that uses these parts of the notation.
pub(super) fn head(words: &[HeadWord], ditto: Option<char>, fold: Option<&str>) -> String {
    let mut head = HEAD.to_owned();
    for (word, said) in HeadWord::ALL.iter().filter(|(word, _)| words.contains(word)) {
        if *word == HeadWord::Dittos {
            head.push(' ');
            head.extend(ditto);
        }
        head.push_str(said);
    }
    if let Some(end) = fold {
        head.extend([FOLD, end, FOLD_END]);
    }
    head + HEAD_END
}

/// The ditto sign, according to the head.
pub(super) fn ditto(head: &str) -> Option<char> {
    let (before, _) = head.split_once(DITTO)?;
    before.chars().next_back()
}

//! Defines readers: how strong the model is that reads the output.

use std::str::FromStr;

/// The two classes of models that notations were tested on, weaker first, and an automatic choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Reader {
    /// A small model, such as one run at home. It gets only the forms that a model with 1.5 billion parameters read
    /// well.
    Small,
    /// A model from a large provider. It gets every form.
    Strong,
    /// Chosen by the model that a request names; `Strong` if the request names none.
    #[default]
    Auto,
}

impl Reader {
    /// The name used in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Strong => "strong",
            Self::Auto => "auto",
        }
    }
}

impl FromStr for Reader {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::Small, Self::Strong, Self::Auto]
            .into_iter()
            .find(|reader| reader.name().eq_ignore_ascii_case(word))
            .ok_or_else(|| format!("unknown reader {word:?}; use auto, small or strong"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for reader in [Reader::Small, Reader::Strong, Reader::Auto] {
            assert_eq!(reader.name().parse(), Ok(reader));
        }
        assert_eq!("SMALL".parse(), Ok(Reader::Small));
        let error = "large".parse::<Reader>().unwrap_err();
        assert_eq!(error, "unknown reader \"large\"; use auto, small or strong");
    }

    /// Every form for small readers is also for strong ones, and an unknown reader gets every form.
    #[test]
    fn the_weaker_comes_first() {
        assert!(Reader::Small < Reader::Strong && Reader::Strong < Reader::Auto);
    }
}

//! What one request asks for, above all settings.

use tersely_core::Plan;

use crate::overrides::change::PlanOverride;
use crate::overrides::error::OptionError;
use crate::overrides::schema_mode::SchemaMode;

/// What a request asks for; what it leaves open is as the settings have it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestOptions {
    /// Nothing is to be done to it.
    pub bypass: bool,
    /// What is otherwise for all its results. A loss said here can only lower what the settings allow.
    pub change: PlanOverride,
    /// Results left as they came, beside those that the settings leave: by tool name or category.
    pub skip_tools: Vec<String>,
    /// What is done with the descriptions of its tools.
    pub schema: Option<SchemaMode>,
    /// The conversation that it belongs to.
    pub session: SessionName,
    /// Words of the client's own, for records: few, short, and plain values only.
    pub debug: Vec<(String, String)>,
}

/// A conversation, as its client names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionName {
    /// Its name.
    pub id: Option<String>,
    /// Whether a result that stands in it already may be named instead of repeated.
    pub dedup: Option<bool>,
    /// Whether what a result became may be remembered.
    pub memo: Option<bool>,
}

impl RequestOptions {
    /// What the headers `x-tersely-mode` and `x-tersely-bypass` ask for.
    ///
    /// # Errors
    /// When one of them says what it cannot say.
    pub fn by_header(mode: Option<&str>, bypass: Option<&str>) -> Result<Self, OptionError> {
        let change = mode.map_or_else(|| Ok(PlanOverride::default()), in_mode)?;
        Ok(Self { bypass: bypass.map_or(Ok(false), is_yes)?, change, ..Self::default() })
    }

    /// The same, with what `x-compression-threshold` asks for: results of at most so many bytes are left alone.
    ///
    /// # Errors
    /// When it is no number of bytes.
    pub fn above(self, threshold: Option<&str>) -> Result<Self, OptionError> {
        let Some(word) = threshold else { return Ok(self) };
        let bytes = threshold_bytes(word).ok_or_else(|| {
            let why = format!("{word:?} is not a number of bytes, such as 4096 or 4k");
            OptionError::at("x-compression-threshold", why)
        })?;
        let least = PlanOverride::of(&["min_bytes"], Plan { min_bytes: bytes, ..Plan::default() });
        Ok(Self { change: self.change.or(&least), ..self })
    }

    /// The same, with what `x-tersely-reader` asks for.
    ///
    /// # Errors
    /// When it names no reader.
    pub fn read_by(self, reader: Option<&str>) -> Result<Self, OptionError> {
        let Some(word) = reader else { return Ok(self) };
        let reader = word.trim().parse().map_err(|why: String| OptionError::at("x-tersely-reader", why))?;
        let reads = PlanOverride::of(&["reader"], Plan { reader, ..Plan::default() });
        Ok(Self { change: self.change.or(&reads), ..self })
    }

    /// What is asked here, and where that is open what is asked there.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let session = SessionName {
            id: self.session.id.or(other.session.id),
            dedup: self.session.dedup.or(other.session.dedup),
            memo: self.session.memo.or(other.session.memo),
        };
        Self {
            bypass: self.bypass || other.bypass,
            change: self.change.or(&other.change),
            skip_tools: [self.skip_tools, other.skip_tools].concat(),
            schema: self.schema.or(other.schema),
            session,
            debug: if self.debug.is_empty() { other.debug } else { self.debug },
        }
    }
}

fn in_mode(word: &str) -> Result<PlanOverride, OptionError> {
    let mode = word.trim().parse().map_err(|why: String| OptionError::at("x-tersely-mode", why))?;
    Ok(PlanOverride::of(&["mode"], Plan { mode, ..Plan::default() }))
}

/// A number, with `k` behind it for 1024 bytes.
fn threshold_bytes(word: &str) -> Option<usize> {
    let word = word.trim();
    let (digits, unit) = word.strip_suffix(['k', 'K']).map_or((word, 1), |digits| (digits, 1024));
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse::<usize>().ok()?.checked_mul(unit))?
}

/// A header that is there says yes unless it says no.
fn is_yes(word: &str) -> Result<bool, OptionError> {
    match word.trim().to_ascii_lowercase().as_str() {
        "" | "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => Err(OptionError::at("x-tersely-bypass", format!("{word:?} is not true or false"))),
    }
}

#[cfg(test)]
mod tests {
    use tersely_core::{Loss, Mode, Reader};

    use super::*;

    fn mode(mode: Mode) -> RequestOptions {
        RequestOptions {
            change: PlanOverride::of(&["mode"], Plan { mode, ..Plan::default() }),
            ..RequestOptions::default()
        }
    }

    /// Behaviour 3.1.
    #[test]
    fn headers_are_read() {
        assert_eq!(RequestOptions::by_header(None, None), Ok(RequestOptions::default()));
        let words =
            [("safe", Mode::Safe), (" OFF ", Mode::Disabled), ("on", Mode::Standard), ("safe@1", Mode::Safe)];
        for (word, expected) in words {
            assert_eq!(RequestOptions::by_header(Some(word), Some("no")), Ok(mode(expected)));
        }
        for word in ["", "1", "True", "yes", "ON"] {
            assert_eq!(
                RequestOptions::by_header(None, Some(word)).map(|asked| asked.bypass),
                Ok(true),
                "{word}"
            );
        }
    }

    /// Behaviour 15.1.
    #[test]
    fn headers_that_make_no_sense_are_refused() {
        let refused = RequestOptions::by_header(Some("more"), None).unwrap_err();
        assert!(
            refused.message.starts_with("x-tersely-mode: unknown mode \"more\"; use disabled, "),
            "{refused}"
        );
        let refused = RequestOptions::by_header(None, Some("maybe")).unwrap_err();
        assert_eq!(refused.message, "x-tersely-bypass: \"maybe\" is not true or false");
    }

    /// Behaviour 8.9.
    #[test]
    fn a_threshold_is_a_number_of_bytes() {
        for (word, bytes) in [("0", 0), ("4096", 4096), (" 4k ", 4096), ("1K", 1024)] {
            let asked = mode(Mode::Safe).above(Some(word)).unwrap();
            let plan = asked.change.on(Plan::default());
            assert_eq!((plan.mode, plan.min_bytes), (Mode::Safe, bytes), "{word}");
        }
        assert_eq!(mode(Mode::Safe).above(None), Ok(mode(Mode::Safe)));
        for word in ["", "k", "-1", "+1", "1.5", "1m", "off", "99999999999999999999", "18446744073709551615k"]
        {
            let refused = RequestOptions::default().above(Some(word)).unwrap_err();
            assert!(refused.message.starts_with("x-compression-threshold: "), "{refused}");
        }
    }

    /// Behaviour 19.3.
    #[test]
    fn a_header_names_a_reader() {
        for (word, reader) in [("small", Reader::Small), (" Strong ", Reader::Strong), ("auto", Reader::Auto)]
        {
            let asked = mode(Mode::Safe).read_by(Some(word)).unwrap();
            assert_eq!(asked.change.on(Plan { reader: Reader::Strong, ..Plan::default() }).reader, reader);
        }
        assert_eq!(mode(Mode::Safe).read_by(None), Ok(mode(Mode::Safe)));
        let refused = RequestOptions::default().read_by(Some("tiny")).unwrap_err();
        assert_eq!(refused.message, "x-tersely-reader: unknown reader \"tiny\"; use auto, small or strong");
    }

    #[test]
    fn what_is_open_here_is_taken_from_there() {
        let there = Plan { mode: Mode::Safe, loss: Loss::None, ..Plan::default() };
        let change = PlanOverride::of(&["mode", "loss"], there);
        let both =
            mode(Mode::Aggressive).or(RequestOptions { change, bypass: true, ..RequestOptions::default() });
        let plan = both.change.on(Plan::default());
        assert_eq!((plan.mode, plan.loss), (Mode::Aggressive, Loss::None));
        assert!(both.bypass);
    }
}

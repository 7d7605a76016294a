//! The options of one request, which override the settings.

use tersely_core::Plan;

use crate::overrides::change::PlanOverride;
use crate::overrides::error::OptionError;
use crate::overrides::schema_mode::SchemaMode;

/// The options of a request. The settings apply where an option is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestOptions {
    /// Whether to forward the request unchanged.
    pub bypass: bool,
    /// Overrides for all results of the request. They can lower the loss that the settings allow, but not raise it.
    pub change: PlanOverride,
    /// Additional tools whose results stay unchanged, by name or category.
    pub skip_tools: Vec<String>,
    /// How the tool descriptions of the request are rewritten.
    pub schema: Option<SchemaMode>,
    /// The session of the request.
    pub session: SessionName,
    /// The client's own debug entries for the records: few, short, and with simple values only.
    pub debug: Vec<(String, String)>,
}

/// The client's options for a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionName {
    /// The name of the session.
    pub id: Option<String>,
    /// Whether results in the session may refer to earlier ones.
    pub dedup: Option<bool>,
    /// Whether the memo may be used for the session.
    pub memo: Option<bool>,
}

impl RequestOptions {
    /// The options in the headers `x-tersely-mode` and `x-tersely-bypass`.
    ///
    /// # Errors
    /// When one of the headers is invalid.
    pub fn by_header(mode: Option<&str>, bypass: Option<&str>) -> Result<Self, OptionError> {
        let change = mode.map_or_else(|| Ok(PlanOverride::default()), in_mode)?;
        Ok(Self { bypass: bypass.map_or(Ok(false), is_yes)?, change, ..Self::default() })
    }

    /// Adds the option in the header `x-compression-threshold`: results of up to this many bytes stay unchanged.
    ///
    /// # Errors
    /// When the header is not a number of bytes.
    pub fn above(self, threshold: Option<&str>) -> Result<Self, OptionError> {
        let Some(word) = threshold else { return Ok(self) };
        let bytes = threshold_bytes(word).ok_or_else(|| {
            let why = format!("{word:?} is not a number of bytes, such as 4096 or 4k");
            OptionError::at("x-compression-threshold", why)
        })?;
        let min_bytes = PlanOverride::of(&["min_bytes"], Plan { min_bytes: bytes, ..Plan::default() });
        Ok(Self { change: self.change.or(&min_bytes), ..self })
    }

    /// Adds the option in the header `x-tersely-reader`.
    ///
    /// # Errors
    /// When the header is not the name of a reader.
    pub fn read_by(self, reader: Option<&str>) -> Result<Self, OptionError> {
        let Some(word) = reader else { return Ok(self) };
        let reader = word.trim().parse().map_err(|why: String| OptionError::at("x-tersely-reader", why))?;
        let reads = PlanOverride::of(&["reader"], Plan { reader, ..Plan::default() });
        Ok(Self { change: self.change.or(&reads), ..self })
    }

    /// These options; where one is absent, the option of `other` applies.
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

/// Parses a number of bytes; a `k` after the number multiplies it by 1024.
fn threshold_bytes(word: &str) -> Option<usize> {
    let word = word.trim();
    let (digits, unit) = word.strip_suffix(['k', 'K']).map_or((word, 1), |digits| (digits, 1024));
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse::<usize>().ok()?.checked_mul(unit))?
}

/// True for a header that is present, unless its value says no.
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

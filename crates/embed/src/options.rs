//! Reads the options of a call: a JSON object, in which an unknown name or a wrong value is an error.

use std::str::FromStr;

use serde_json::{Map, Value};
use tersely_codec::Form;
use tersely_core::{Loss, Mode, Plan, Reader, Redaction};
use tersely_wire::{PROVIDERS, Provider};

use crate::error::EmbedError;

/// The options of a call. An operation ignores those that it has no use for.
#[derive(Clone)]
pub(crate) struct CallOptions {
    pub(crate) mode: Mode,
    pub(crate) loss: Option<Loss>,
    pub(crate) reader: Reader,
    /// Where secrets are masked.
    pub(crate) redact: Redaction,
    pub(crate) switches: Switches,
    pub(crate) names: CallNames,
    pub(crate) provider: Option<&'static Provider>,
    pub(crate) form: Option<Form>,
    /// The number of messages at the start that stay unchanged.
    pub(crate) frozen: usize,
}

/// What a call turns on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Switches {
    /// Everything is measured and nothing changed.
    pub(crate) observe: bool,
    /// Detail may be omitted, because the caller lets its model fetch it back.
    pub(crate) retrieve: bool,
}

/// What a call names.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallNames {
    pub(crate) model: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) command: Option<String>,
    /// The path and query of the request's URL.
    pub(crate) path: Option<String>,
    /// Whose conversation it is: nobody is shown what was omitted from another's.
    pub(crate) owner: Option<String>,
    /// The id of an omitted text, and the part of it to show.
    pub(crate) id: Option<String>,
    pub(crate) part: Option<String>,
}

impl CallOptions {
    /// Reads the options from a JSON object.
    pub(crate) fn read(text: &str) -> Result<Self, EmbedError> {
        let options: Map<String, Value> = serde_json::from_str(if text.is_empty() { "{}" } else { text })
            .map_err(|_| EmbedError::argument("options", "must be a JSON object"))?;
        let mut found = Self::default();
        for (name, value) in options.iter().filter(|(_, value)| !value.is_null()) {
            found.set(name, value)?;
        }
        Ok(found)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), EmbedError> {
        let (switches, names) = (&mut self.switches, &mut self.names);
        match name {
            "mode" => self.mode = word(name, value)?,
            "loss" => self.loss = Some(word(name, value)?),
            "reader" => self.reader = word(name, value)?,
            "redact_secrets" => {
                self.redact = if switch(name, value)? { Redaction::All } else { Redaction::Off };
            }
            "observe" => switches.observe = switch(name, value)?,
            "retrieve" => switches.retrieve = switch(name, value)?,
            "model" => names.model = Some(string(name, value)?),
            "tool" => names.tool = Some(string(name, value)?),
            "command" => names.command = Some(string(name, value)?),
            "path" => names.path = Some(string(name, value)?),
            "owner" => names.owner = Some(string(name, value)?),
            "id" => names.id = Some(string(name, value)?),
            "part" => names.part = Some(string(name, value)?),
            "provider" | "format" => self.provider = Some(provider(name, value)?),
            "form" => self.form = Some(form(name, value)?),
            "frozen" => {
                let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
                self.frozen =
                    count.ok_or_else(|| EmbedError::argument(name, "must be a whole number, 0 or more"))?;
            }
            _ => return Err(EmbedError::argument(name, "there is no such option")),
        }
        Ok(())
    }

    /// The plan for a body, with at most the loss `usual` unless the options say otherwise.
    pub(crate) fn plan(&self, usual: Loss) -> Plan {
        let (mode, redact, reader) = (self.mode, self.redact, self.reader);
        Plan { mode, loss: self.loss.unwrap_or(usual), redact, reader, ..Plan::default() }
    }
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Standard,
            loss: None,
            reader: Reader::Auto,
            redact: Redaction::Off,
            switches: Switches::default(),
            names: CallNames::default(),
            provider: None,
            form: None,
            frozen: 0,
        }
    }
}

fn word<T: FromStr<Err = String>>(name: &str, value: &Value) -> Result<T, EmbedError> {
    string(name, value)?.parse().map_err(|why| EmbedError::argument(name, why))
}

fn string(name: &str, value: &Value) -> Result<String, EmbedError> {
    value.as_str().map(str::to_owned).ok_or_else(|| EmbedError::argument(name, "must be a string"))
}

fn switch(name: &str, value: &Value) -> Result<bool, EmbedError> {
    value.as_bool().ok_or_else(|| EmbedError::argument(name, "must be true or false"))
}

fn provider(name: &str, value: &Value) -> Result<&'static Provider, EmbedError> {
    let wish = string(name, value)?;
    let wish = if wish == "openai" { "chat" } else { wish.as_str() };
    PROVIDERS.into_iter().find(|provider| provider.name() == wish).ok_or_else(|| {
        let known = PROVIDERS.map(Provider::name).join(", ");
        EmbedError::argument(name, format!("{wish:?} is not one of {known}, openai"))
    })
}

fn form(name: &str, value: &Value) -> Result<Form, EmbedError> {
    let wish = string(name, value)?;
    Form::ALL.into_iter().find(|form| form.name() == wish).ok_or_else(|| {
        let known = Form::ALL.map(Form::name).join(", ");
        EmbedError::argument(name, format!("{wish:?} is not one of {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        for (options, said) in [
            ("[]", "options: must be a JSON object"),
            (r#"{"mod":"safe"}"#, "mod: there is no such option"),
            (r#"{"mode":"loud"}"#, "mode: "),
            (r#"{"mode":7}"#, "mode: must be a string"),
            (r#"{"loss":"all"}"#, "loss: "),
            (r#"{"reader":"huge"}"#, "reader: "),
            (r#"{"retrieve":"yes"}"#, "retrieve: must be true or false"),
            (r#"{"provider":"acme"}"#, "provider: \"acme\" is not one of"),
            (r#"{"format":"acme"}"#, "format: \"acme\" is not one of"),
            (r#"{"form":"xml"}"#, "form: \"xml\" is not one of"),
            (r#"{"frozen":-1}"#, "frozen: must be a whole number"),
        ] {
            let message = CallOptions::read(options).map_err(|why| why.to_string()).err().unwrap_or_default();
            assert!(message.starts_with(said), "{options}: {message}");
        }
    }

    #[test]
    fn null_is_the_same_as_nothing() {
        let options = CallOptions::read(r#"{"mode":null,"model":null,"loss":"none"}"#).unwrap_or_default();
        assert_eq!((options.mode, options.loss), (Mode::Standard, Some(Loss::None)));
        assert!(CallOptions::read("").is_ok());
    }
}

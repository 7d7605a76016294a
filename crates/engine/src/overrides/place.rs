//! Accessors for the fields of a plan: they copy a field between plans, and read it from a request's options.

use serde_json::Value;
use tersely_core::{DictionaryMethod, Loss, Mode, Plan, Reader, Redaction};

use crate::overrides::error::OptionError;
use crate::overrides::value::{size, switch, word};

type Place<T> = fn(&mut Plan) -> &mut T;

/// The accessor of a field, by the type of its value.
#[derive(Clone, Copy)]
pub enum PlanPlace {
    /// The mode.
    Mode(Place<Mode>),
    /// The maximum loss allowed.
    Loss(Place<Loss>),
    /// How repeated phrases are found.
    Dictionary(Place<DictionaryMethod>),
    /// The reader.
    Reader(Place<Reader>),
    /// Where secrets are masked.
    Redaction(Place<Redaction>),
    /// A size of at least one byte.
    Bytes(Place<usize>),
    /// A size that may be zero.
    Floor(Place<usize>),
}

impl PlanPlace {
    /// Copies the field from one plan to another.
    pub(crate) fn copy(self, mut from: Plan, to: &mut Plan) {
        match self {
            Self::Mode(place) => *place(to) = *place(&mut from),
            Self::Loss(place) => *place(to) = *place(&mut from),
            Self::Dictionary(place) => *place(to) = *place(&mut from),
            Self::Reader(place) => *place(to) = *place(&mut from),
            Self::Redaction(place) => *place(to) = *place(&mut from),
            Self::Bytes(place) | Self::Floor(place) => *place(to) = *place(&mut from),
        }
    }

    /// Sets the field from a request's option at `at`.
    pub(crate) fn read(self, plan: &mut Plan, at: &str, value: &Value) -> Result<(), OptionError> {
        match self {
            Self::Mode(place) => *place(plan) = word(at, "a mode", value)?,
            Self::Loss(place) => *place(plan) = word(at, "none, form or detail", value)?,
            Self::Dictionary(place) => *place(plan) = word(at, "a method", value)?,
            Self::Reader(place) => *place(plan) = word(at, "auto, small or strong", value)?,
            Self::Redaction(place) => {
                *place(plan) = if switch(at, value)? { Redaction::All } else { Redaction::Off };
            }
            Self::Bytes(place) => *place(plan) = size(at, 1, value)?,
            Self::Floor(place) => *place(plan) = size(at, 0, value)?,
        }
        Ok(())
    }
}

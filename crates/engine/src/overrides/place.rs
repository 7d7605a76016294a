//! Where a part of a plan stands: it is copied from there to another plan, and read there from what a request says.

use serde_json::Value;
use tersely_core::{DictionaryMethod, Loss, Mode, Plan, Reader, Redaction};

use crate::overrides::error::OptionError;
use crate::overrides::value::{size, switch, word};

type Place<T> = fn(&mut Plan) -> &mut T;

/// Where a part of a plan stands; its type says what it takes.
#[derive(Clone, Copy)]
pub enum PlanPlace {
    /// How far to go.
    Mode(Place<Mode>),
    /// The most that may be lost.
    Loss(Place<Loss>),
    /// How repeated phrases are found.
    Dictionary(Place<DictionaryMethod>),
    /// Who reads it.
    Reader(Place<Reader>),
    /// Where secrets are masked.
    Redaction(Place<Redaction>),
    /// At least one byte.
    Bytes(Place<usize>),
    /// Bytes, or none.
    Floor(Place<usize>),
}

impl PlanPlace {
    /// Makes it in one plan what it is in another.
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

    /// Makes it what a request says at `at`.
    pub(crate) fn ask(self, plan: &mut Plan, at: &str, value: &Value) -> Result<(), OptionError> {
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

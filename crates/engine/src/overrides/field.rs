//! Table: every field of a plan that can be set, with its names and its place.
//!
//! Settings, environment variables, rules, requests and the reference pages all use this table, so a new field needs
//! only one line here.

use crate::overrides::place::PlanPlace;

/// A field of a plan that can be set.
pub struct PlanField {
    /// The name of the field in the settings and in a rule.
    pub name: &'static str,
    /// The name of the field in a request; `None` when a request cannot set it.
    pub asked: Option<&'static str>,
    /// The accessor of the field in a plan, which also determines its type.
    pub place: PlanPlace,
    /// The meaning of the field, in a sentence without a full stop.
    pub about: &'static str,
}

/// The fields, in the order of the settings.
pub static FIELDS: &[PlanField] = &[
    PlanField {
        name: "mode",
        asked: Some("mode"),
        place: PlanPlace::Mode(|plan| &mut plan.mode),
        about: "How much to compress tool results",
    },
    PlanField {
        name: "loss",
        asked: Some("loss"),
        place: PlanPlace::Loss(|plan| &mut plan.loss),
        about: "What compression may lose: nothing, layout, or text that the model can fetch back",
    },
    PlanField {
        name: "min_bytes",
        asked: None,
        place: PlanPlace::Floor(|plan| &mut plan.min_bytes),
        about: "Leave results of this many bytes or fewer unchanged",
    },
    PlanField {
        name: "skip_above",
        asked: None,
        place: PlanPlace::Floor(|plan| &mut plan.skip_above),
        about: "Leave results of more than this many bytes unchanged. 0: no limit",
    },
    PlanField {
        name: "max_bytes",
        asked: Some("max_output_bytes"),
        place: PlanPlace::Bytes(|plan| &mut plan.max_bytes),
        about: "Maximum size of a result that Tersely sends, in bytes. File text, error lines and text \
                that the model could not fetch back may exceed this limit",
    },
    PlanField {
        name: "redact_secrets",
        asked: Some("redact_secrets"),
        place: PlanPlace::Redaction(|plan| &mut plan.redact),
        about: "Where to mask secrets. `usual`: in tool results, except text that an agent may edit; \
                `true`: everywhere in a request, and Tersely refuses requests that it cannot search for \
                secrets; `false`: nowhere",
    },
    PlanField {
        name: "dictionary",
        asked: Some("method"),
        place: PlanPlace::Dictionary(|plan| &mut plan.dictionary),
        about: "The algorithm that finds repeated phrases in aggressive mode",
    },
    PlanField {
        name: "reader",
        asked: Some("reader"),
        place: PlanPlace::Reader(|plan| &mut plan.reader),
        about: "The kind of model that reads the results. `small`: Tersely uses only formats that a \
                1.5-billion-parameter model read well in tests; `strong`: Tersely uses all formats; \
                `auto`: Tersely chooses by the model's name",
    },
];

/// Every name that a request can use, for error messages.
pub(crate) const OPTIONS: &str = "mode, loss, method, session_id, dedup, memo, redact_secrets, max_output_bytes, reader, skip_tools, \
                                  tool_output_compression, schema_compression or debug";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn whoever_used_another_name_is_told_all() {
        let told: Vec<&str> = OPTIONS.split(", ").collect();
        for name in FIELDS.iter().filter_map(|field| field.asked) {
            assert!(told.contains(&name), "{name}");
        }
    }

    #[test]
    fn every_part_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), FIELDS.len());
    }
}

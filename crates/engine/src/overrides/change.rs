//! Overrides of single fields of a plan.

use std::collections::BTreeSet;

use tersely_core::Plan;

use crate::overrides::field::{FIELDS, PlanField};

/// An override of some fields of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanOverride {
    /// The values of the overridden fields; all other fields have their default, so that equal overrides compare equal.
    plan: Plan,
    /// The names of the overridden fields.
    names: BTreeSet<&'static str>,
}

impl PlanOverride {
    /// An override of the named fields with the values in `plan`. Unknown names are ignored.
    #[must_use]
    pub fn of(names: &[&str], plan: Plan) -> Self {
        let mut change = Self::default();
        for field in FIELDS.iter().filter(|field| names.contains(&field.name)) {
            field.place.copy(plan, &mut change.plan);
            change.names.insert(field.name);
        }
        change
    }

    /// Overrides one field, which `write` sets in a plan.
    ///
    /// # Errors
    /// When `write` fails; then the override is unchanged.
    pub fn set<E>(
        &mut self,
        field: &PlanField,
        write: impl FnOnce(&mut Plan) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut plan = self.plan;
        write(&mut plan)?;
        self.plan = plan;
        self.names.insert(field.name);
        Ok(())
    }

    /// True when this override sets the field.
    #[must_use]
    pub fn sets(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The plan with these overrides applied.
    #[must_use]
    pub fn on(&self, mut plan: Plan) -> Plan {
        for field in FIELDS.iter().filter(|field| self.sets(field.name)) {
            field.place.copy(self.plan, &mut plan);
        }
        plan
    }

    /// These overrides, combined with those of `other` for the remaining fields.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self { plan: self.on(other.plan), names: &self.names | &other.names }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tersely_core::{Loss, Mode};

    use super::*;

    /// A plan in which every field differs from its default.
    fn unusual() -> Plan {
        let values = [
            json!("safe"),
            json!("none"),
            json!("auto"),
            json!("small"),
            json!(false),
            json!(true),
            json!(7),
        ];
        let mut plan = Plan::default();
        for field in FIELDS {
            let with = |value| {
                let mut plan = plan;
                field.place.read(&mut plan, field.name, value).ok().map(|()| plan)
            };
            plan = values.iter().filter_map(with).find(|with| *with != plan).unwrap_or(plan);
        }
        plan
    }

    #[test]
    fn every_part_can_be_said_and_reaches_the_plan() {
        let (usual, unusual) = (Plan::default(), unusual());
        let mut said = PlanOverride::default();
        for field in FIELDS {
            let one = PlanOverride::of(&[field.name], unusual);
            assert!(one.sets(field.name) && one.on(usual) != usual, "{}", field.name);
            assert_ne!(said.on(usual), one.or(&said).on(usual), "{}", field.name);
            said = said.or(&one);
        }
        assert_eq!(said.on(usual), unusual);
    }

    #[test]
    fn what_is_said_here_is_heard_before_what_is_said_there() {
        let here = PlanOverride::of(&["mode"], unusual());
        let there = PlanOverride::of(&["mode", "loss"], Plan { loss: Loss::Form, ..Plan::default() });
        let both = Plan { loss: Loss::Form, ..unusual() };
        assert_eq!(here.or(&there), PlanOverride::of(&["mode", "loss"], both));
    }

    #[test]
    fn what_fails_is_not_said() {
        let mut change = PlanOverride::default();
        let failed = change.set(&FIELDS[0], |plan| {
            plan.mode = Mode::Safe;
            Err("no")
        });
        assert_eq!((failed, change), (Err("no"), PlanOverride::default()));
    }
}

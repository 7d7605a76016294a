//! Points Factory's droid at a gateway.

use serde_json::{Value, json};
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions, direct};
use crate::clients::door::LocalEndpoints;
use crate::clients::endpoints;
use crate::clients::environment::ClientEnvironment;

/// Factory's droid.
pub(super) struct Droid;

impl Client for Droid {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g droid")
    }

    /// Its own models are behind its makers' service, so only models of the user's can have a door. They are settings, and
    /// an argument names more of those.
    fn point(
        &self,
        world: &ClientEnvironment,
        doors: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let mut models =
            ClientEnvironment::json(&world.home("", ".factory/settings.json"))["customModels"].take();
        let mut found = false;
        for model in models.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            found |= endpoints::lead(doors, "", model, "baseUrl")?;
        }
        if !found {
            return Err(CommandFault::unable(
                "droid's own models are behind Factory's service, which has no setting for another place",
                "add a model of your own to customModels in ~/.factory/settings.json and choose it, or start droid without tersely",
            ));
        }
        let mut told = LaunchOptions { env: direct(world), ..LaunchOptions::default() };
        told.notes.push("only models in customModels lead here: choose one with -m custom:NAME".to_owned());
        let path = told.file("settings.json", &json!({ "customModels": models }).to_string())?;
        told.args = vec!["--settings".to_owned(), path];
        Ok(told)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_the_user_s_own_models_have_doors() {
        let settings =
            r#"{"theme":"x","customModels":[{"model":"m","baseUrl":"http://h/v1","apiKey":"k"}]} // mine"#;
        let (world, home) = ClientEnvironment::with_home("droid", &[(".factory/settings.json", settings)]);
        let mut doors = LocalEndpoints::default();
        let told = Droid.point(&world, &mut doors).expect("doors");
        let text = doors.resolve(&fs::read_to_string(&told.args[1]).expect("a file"));
        assert_eq!(text, r#"{"customModels":[{"model":"m","baseUrl":"http://h/v1","apiKey":"k"}]}"#);
        assert!(Droid.point(&ClientEnvironment::of(&[]), &mut LocalEndpoints::default()).is_err());
        drop(home);
    }
}

//! Points Factory's droid at a gateway.

use serde_json::{Value, json};
use tersely_terminal::fault::CommandFault;

use crate::clients::client::{Client, LaunchOptions, direct};
use crate::clients::default_endpoints;
use crate::clients::environment::ClientEnvironment;
use crate::clients::local_endpoints::LocalEndpoints;

/// Factory's droid.
pub(super) struct Droid;

impl Client for Droid {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g droid")
    }

    /// droid's own models are served by its vendor, so only models that the user added can go through the gateway. They
    /// are part of the settings, and an argument can add another settings file.
    fn point(
        &self,
        environment: &ClientEnvironment,
        endpoints: &mut LocalEndpoints,
    ) -> Result<LaunchOptions, CommandFault> {
        let mut models =
            ClientEnvironment::json(&environment.home("", ".factory/settings.json"))["customModels"].take();
        let mut found = false;
        for model in models.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            found |= default_endpoints::lead(endpoints, "", model, "baseUrl")?;
        }
        if !found {
            return Err(CommandFault::unable(
                "droid reaches its own models through Factory's service, whose address cannot be changed",
                "add a model of your own to customModels in ~/.factory/settings.json and choose it, or start droid without tersely",
            ));
        }
        let mut launch = LaunchOptions { env: direct(environment), ..LaunchOptions::default() };
        launch.notes.push(
            "only models in customModels go through tersely: choose one with -m custom:NAME".to_owned(),
        );
        let path = launch.file("settings.json", &json!({ "customModels": models }).to_string())?;
        launch.args = vec!["--settings".to_owned(), path];
        Ok(launch)
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
        let (environment, home) =
            ClientEnvironment::with_home("droid", &[(".factory/settings.json", settings)]);
        let mut endpoints = LocalEndpoints::default();
        let launch = Droid.point(&environment, &mut endpoints).expect("doors");
        let text = endpoints.resolve(&fs::read_to_string(&launch.args[1]).expect("a file"));
        assert_eq!(text, r#"{"customModels":[{"model":"m","baseUrl":"http://h/v1","apiKey":"k"}]}"#);
        assert!(Droid.point(&ClientEnvironment::of(&[]), &mut LocalEndpoints::default()).is_err());
        drop(home);
    }
}

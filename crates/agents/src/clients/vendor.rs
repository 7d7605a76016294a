//! Providers: their default addresses, and the variables that override them.

use tersely_gateway::Vendor;

use crate::clients::environment::ClientEnvironment;

/// A provider, and the variables that programs read for it.
pub struct VendorVariables {
    /// The provider in our settings, which may contain an upstream for it.
    pub provider: Option<Vendor>,
    /// The default address. Empty if the address depends on the region or the customer. In that case a variable is
    /// replaced only if it is already set, because programs use it to decide which server to use.
    pub usual: &'static str,
    /// The variables that are pointed at a local endpoint. All of them refer to the same server.
    pub names: &'static [&'static str],
    /// Prefixes of all variables of the provider, including those that only some libraries read.
    pub kin: &'static [&'static str],
    /// The variable for an API key. Without a key, requests are signed for the address that they are sent to.
    pub key: Option<&'static str>,
}

const GOOGLE: [&str; 5] = ["GOOGLE_GEMINI_", "GOOGLE_GENAI_", "GOOGLE_VERTEX_", "GEMINI_", "CODE_ASSIST_"];

/// Anthropic.
pub(super) const ANTHROPIC: VendorVariables = VendorVariables {
    provider: Some(Vendor::Anthropic),
    usual: "https://api.anthropic.com",
    names: &["ANTHROPIC_BASE_URL"],
    kin: &["ANTHROPIC_"],
    key: None,
};

/// `OpenAI`.
pub(super) const OPENAI: VendorVariables = VendorVariables {
    provider: Some(Vendor::OpenAi),
    usual: "https://api.openai.com/v1",
    names: &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    kin: &["OPENAI_", "AZURE_OPENAI_", "AZURE_API_"],
    key: None,
};

/// Ollama, on this machine.
pub(super) const OLLAMA: VendorVariables = VendorVariables {
    provider: Some(Vendor::Ollama),
    usual: "http://127.0.0.1:11434",
    names: &["OLLAMA_HOST"],
    kin: &["OLLAMA_"],
    key: None,
};

/// Gemini, with an API key.
pub(super) const GEMINI: VendorVariables = VendorVariables {
    provider: Some(Vendor::Gemini),
    usual: "https://generativelanguage.googleapis.com",
    names: &["GOOGLE_GEMINI_BASE_URL"],
    kin: &GOOGLE,
    key: None,
};

/// Gemini, with a Google login.
pub(super) const CODE_ASSIST: VendorVariables = VendorVariables {
    provider: None,
    usual: "https://cloudcode-pa.googleapis.com",
    names: &["CODE_ASSIST_ENDPOINT"],
    kin: &GOOGLE,
    key: None,
};

/// AWS Bedrock, with the variables that Anthropic's clients read.
pub(super) const BEDROCK: VendorVariables = VendorVariables {
    provider: Some(Vendor::Bedrock),
    usual: "",
    names: &["ANTHROPIC_BEDROCK_BASE_URL"],
    kin: &[],
    key: Some(BEDROCK_KEY),
};

/// The variable for a Bedrock API key.
const BEDROCK_KEY: &str = "AWS_BEARER_TOKEN_BEDROCK";

/// Google's Vertex AI. The address in the variable includes the version path.
pub(super) const VERTEX: VendorVariables = VendorVariables {
    provider: Some(Vendor::Vertex),
    usual: "",
    names: &["ANTHROPIC_VERTEX_BASE_URL"],
    kin: &[],
    key: None,
};

/// All providers.
pub const VENDORS: [VendorVariables; 9] = [
    ANTHROPIC,
    OPENAI,
    GEMINI,
    CODE_ASSIST,
    OLLAMA,
    BEDROCK,
    VendorVariables { names: &["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"], ..BEDROCK },
    VendorVariables {
        provider: Some(Vendor::Azure),
        usual: "",
        names: &["AZURE_OPENAI_ENDPOINT"],
        kin: &[],
        key: None,
    },
    VERTEX,
];

/// Suffixes of variables that contain an address.
const PLACES: [&str; 4] = ["_URL", "_BASE", "_HOST", "_ENDPOINT"];

/// The server that a variable leads to.
#[derive(Debug, PartialEq, Eq)]
pub enum VendorPlace {
    /// The default server of the provider.
    Usual,
    /// A server that the user chose.
    Chosen(String),
    /// Unknown, for the given reason: a server was chosen in a way that the variable might override.
    Open(String),
}

impl VendorVariables {
    /// The server of one of the variables. A variable that is not set leads to the same server as the others, and to
    /// the default only if none is set. Otherwise, a program that reads two of them would send one server's traffic,
    /// and its key, to another.
    #[must_use]
    pub fn place(&self, name: &str, environment: &ClientEnvironment) -> VendorPlace {
        if let (Some(_), Some(key)) =
            (environment.var(name), self.key.filter(|key| environment.var(key).is_none()))
        {
            return VendorPlace::Open(format!("requests are signed for that address when {key} is not set"));
        }
        if let Some(url) = environment.url(name) {
            return VendorPlace::Chosen(url);
        }
        if let Some(rival) =
            environment.vars.keys().find(|it| self.is_rival(it) && environment.var(it).is_some())
        {
            return VendorPlace::Open(format!("{rival} is set"));
        }
        let mut chosen: Vec<_> = self.names.iter().filter_map(|other| environment.url(other)).collect();
        chosen.dedup_by(|a, b| a.trim_end_matches('/') == b.trim_end_matches('/'));
        match (chosen.pop(), chosen.is_empty()) {
            (None, _) => VendorPlace::Usual,
            (Some(url), true) => VendorPlace::Chosen(url),
            (Some(_), false) => VendorPlace::Open("the provider's other variables disagree".to_owned()),
        }
    }

    /// True for a variable that contains an address of this provider.
    #[must_use]
    pub fn is_place(&self, variable: &str) -> bool {
        self.kin.iter().any(|begin| variable.starts_with(begin))
            && PLACES.iter().any(|end| variable.ends_with(end))
    }

    /// True for a variable that contains an address of this provider but is not pointed at a local endpoint.
    fn is_rival(&self, variable: &str) -> bool {
        self.is_place(variable) && !self.names.contains(&variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, vars: &[(&str, &str)]) -> VendorPlace {
        let vendor = VENDORS.iter().find(|vendor| vendor.names.contains(&name)).expect("a vendor");
        vendor.place(name, &ClientEnvironment::of(vars))
    }

    fn choice(url: &str) -> VendorPlace {
        VendorPlace::Chosen(url.to_owned())
    }

    #[test]
    fn names_of_one_provider_mean_one_place() {
        let (base, old) = (("OPENAI_BASE_URL", "http://a/v1"), ("OPENAI_API_BASE", "http://b/v1"));
        assert_eq!(place(base.0, &[]), VendorPlace::Usual);
        assert_eq!(place(old.0, &[base]), choice(base.1));
        assert_eq!(place(base.0, &[old]), choice(old.1));
        assert_eq!(
            (place(base.0, &[base, old]), place(old.0, &[base, old])),
            (choice(base.1), choice(old.1))
        );
        assert_eq!(place(base.0, &[("ANTHROPIC_BASE_URL", "http://a")]), VendorPlace::Usual);
    }

    #[test]
    fn a_place_chosen_by_another_variable_is_not_overruled() {
        for (name, rival) in [
            ("OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"),
            ("OPENAI_API_BASE", "OPENAI_API_HOST"),
            ("ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL"),
            ("CODE_ASSIST_ENDPOINT", "GOOGLE_GEMINI_BASE_URL"),
            ("OLLAMA_HOST", "OLLAMA_API_BASE"),
        ] {
            assert_eq!(place(name, &[(rival, "http://a")]), VendorPlace::Open(format!("{rival} is set")));
            assert_eq!(place(name, &[(rival, "")]), VendorPlace::Usual);
            assert_eq!(place(name, &[(rival, "http://a"), (name, "http://b")]), choice("http://b"));
        }
        assert_eq!(place("OPENAI_BASE_URL", &[("OPENAI_API_KEY", "k")]), VendorPlace::Usual);
    }

    #[test]
    fn a_place_that_requests_are_signed_for_is_left_alone() {
        let base = ("ANTHROPIC_BEDROCK_BASE_URL", "http://a");
        assert!(matches!(place(base.0, &[base]), VendorPlace::Open(_)));
        assert_eq!(place(base.0, &[base, (BEDROCK_KEY, "k")]), choice(base.1));
        assert_eq!(place(base.0, &[(BEDROCK_KEY, "k")]), VendorPlace::Usual);
    }
}

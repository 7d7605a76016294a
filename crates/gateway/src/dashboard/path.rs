//! The paths of the dashboard.

/// A path of the dashboard.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DashboardPath {
    /// Redirects to the page.
    Home,
    /// The page.
    Page,
    /// The figures behind it.
    Stats,
    /// The figures as a stream.
    Live,
    /// The turns of a conversation.
    Session(u64),
    /// Log in with the token.
    Login,
    /// Log out.
    Logout,
    /// The playground.
    Play,
}

impl DashboardPath {
    /// The route of a path, if it is one of the dashboard's.
    pub(crate) fn of(path: &str) -> Option<Self> {
        Some(match path {
            "/" | "/_tersely" => Self::Home,
            "/_tersely/" => Self::Page,
            "/stats" => Self::Stats,
            "/_tersely/live" => Self::Live,
            "/_tersely/login" => Self::Login,
            "/_tersely/logout" => Self::Logout,
            "/_tersely/play" => Self::Play,
            path => Self::Session(u64::from_str_radix(path.strip_prefix("/_tersely/session/")?, 16).ok()?),
        })
    }
}

//! Table: the guards that a request passes, in order, and the listeners that are exempt from a guard.

/// A check that a request must pass before it is answered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Guard {
    /// On a loopback listener, the Host header must name this machine. Otherwise a web page could reach the listener
    /// through a DNS name of its own.
    Host,
    /// On a loopback listener, the authority in the request's target must name this machine; HTTP/2 sends no Host
    /// header.
    Authority,
    /// A web page may send requests only if its origin is allowed.
    Origin,
    /// Health checks are answered here, without authentication.
    Health,
    /// A browser's preflight is answered here, and allowed pages may read the responses.
    Cors,
    /// If tenants are configured, a key or a certificate must identify one of them.
    Authentication,
    /// Limits the requests per second of one client, and of one tenant.
    Rate,
    /// Limits the number of requests in progress.
    Slot,
}

/// All guards, in the order in which they check a request.
pub(super) const ROW: [Guard; 8] = [
    Guard::Host,
    Guard::Authority,
    Guard::Origin,
    Guard::Health,
    Guard::Cors,
    Guard::Authentication,
    Guard::Rate,
    Guard::Slot,
];

/// The kind of requests that a listener serves.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Listener {
    /// Requests to models.
    Llm,
    /// Requests to an API.
    Api,
    /// Requests to MCP servers.
    Mcp,
    /// Requests of operators: metrics, health checks and the dashboard.
    Admin,
    /// Envoy's external processing streams.
    Extproc,
}

impl Listener {
    /// The name in reports of requests that go to no provider.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Api => Some("http"),
            Self::Mcp => Some("mcp"),
            Self::Llm | Self::Admin | Self::Extproc => None,
        }
    }

    /// True if a guard applies at this listener.
    pub(super) fn has(self, guard: Guard) -> bool {
        self.exemptions().iter().all(|(exempt, _)| *exempt != guard)
    }

    /// The guards that do not apply at a listener, each with the reason why.
    const fn exemptions(self) -> &'static [(Guard, &'static str)] {
        match self {
            Self::Llm => &[],
            Self::Api => &[
                (Guard::Health, "every path is the API's, its own health checks too; admin.listen has ours"),
                (Guard::Cors, "the API decides which pages may read its answers"),
            ],
            Self::Mcp => &[(Guard::Cors, "the servers decide which pages may read their answers")],
            Self::Admin => &[
                (Guard::Cors, "the dashboard is the only page that may read the figures"),
                (Guard::Authentication, "admin.token is the key here, and no tenant has it"),
                (Guard::Rate, "connection slots limit it, and a wrong token is answered late"),
                (Guard::Slot, "health and metrics must be readable when the gateway is full"),
            ],
            Self::Extproc => &[
                (
                    Guard::Authority,
                    "Envoy sends the name of a cluster, and no browser sends HTTP/2 in the clear",
                ),
                (Guard::Cors, "no page has a use for it"),
                (Guard::Authentication, "Envoy is the only client, and decides who may call"),
                (Guard::Rate, "Envoy brings the requests of all clients from one address"),
                (
                    Guard::Slot,
                    "taken per stream: health checks need none, and a full processor lets requests pass",
                ),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTENERS: [Listener; 5] =
        [Listener::Llm, Listener::Api, Listener::Mcp, Listener::Admin, Listener::Extproc];

    #[test]
    fn every_exemption_is_of_one_guard_and_has_a_reason() {
        for listener in LISTENERS {
            let mut guards = Vec::new();
            for (guard, reason) in listener.exemptions() {
                assert!(!reason.is_empty() && !guards.contains(guard), "{listener:?}: {guard:?}");
                guards.push(*guard);
            }
        }
    }

    /// A web page in a browser can reach every listener on loopback.
    #[test]
    fn no_listener_is_exempt_from_the_host_and_the_origin() {
        for listener in LISTENERS {
            assert!(listener.has(Guard::Host) && listener.has(Guard::Origin), "{listener:?}");
        }
    }
}

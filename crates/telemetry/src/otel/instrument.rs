//! Table: the exported metrics, with their units and buckets.

/// The name of a metric.
pub(crate) type InstrumentName = &'static str;

/// Tokens counted by the provider.
pub(crate) const USAGE: InstrumentName = "gen_ai.client.token.usage";

/// Duration of model calls.
pub(crate) const DURATION: InstrumentName = "gen_ai.client.operation.duration";

/// Cost of model calls.
pub(crate) const COST: InstrumentName = "tersely.cost";

/// Sums by tenant, key and project.
pub(crate) const TENANT_REQUESTS: InstrumentName = "tersely.tenant.requests";
pub(crate) const TENANT_FAILED: InstrumentName = "tersely.tenant.requests.failed";
pub(crate) const TENANT_BEFORE: InstrumentName = "tersely.tenant.tokens.before";
pub(crate) const TENANT_AFTER: InstrumentName = "tersely.tenant.tokens.after";
pub(crate) const TENANT_FETCHED: InstrumentName = "tersely.tenant.tokens.fetched";
pub(crate) const TENANT_COST: InstrumentName = "tersely.tenant.cost";

/// The definition of a metric.
pub(crate) struct InstrumentShape {
    pub(crate) name: InstrumentName,
    pub(crate) unit: &'static str,
    pub(crate) about: &'static str,
    /// Upper bounds of the buckets; empty if the metric is not a histogram.
    pub(crate) bounds: &'static [f64],
    /// True when the value can decrease.
    pub(crate) falls: bool,
}

impl InstrumentShape {
    /// Finds a metric by name.
    pub(crate) fn named(name: InstrumentName) -> Option<&'static Self> {
        INSTRUMENTS.iter().find(|shape| shape.name == name)
    }

    const fn sum(name: InstrumentName, unit: &'static str, about: &'static str) -> Self {
        Self { name, unit, about, bounds: &[], falls: false }
    }
}

/// Every metric.
pub(crate) static INSTRUMENTS: [InstrumentShape; 19] = [
    InstrumentShape {
        name: USAGE,
        unit: "{token}",
        about: "Tokens in model calls, as counted by the provider",
        bounds: &[
            1.0,
            4.0,
            16.0,
            64.0,
            256.0,
            1_024.0,
            4_096.0,
            16_384.0,
            65_536.0,
            262_144.0,
            1_048_576.0,
            4_194_304.0,
            16_777_216.0,
            67_108_864.0,
        ],
        falls: false,
    },
    InstrumentShape {
        name: DURATION,
        unit: "s",
        about: "Duration of model calls, up to the last byte of the response",
        bounds: &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
        falls: false,
    },
    InstrumentShape::sum("tersely.requests", "{request}", "Requests, by how they ended"),
    InstrumentShape::sum("tersely.request.tokens.before", "{token}", "Tokens in whole requests, as received"),
    InstrumentShape::sum("tersely.request.tokens.after", "{token}", "Tokens in whole requests, as sent"),
    InstrumentShape::sum("tersely.result.tokens.before", "{token}", "Tokens in tool results, as received"),
    InstrumentShape::sum("tersely.result.tokens.after", "{token}", "Tokens in tool results, as sent"),
    InstrumentShape {
        name: "tersely.stage.tokens.saved",
        unit: "{token}",
        about: "Tokens saved by each stage; negative if a stage adds tokens so that others save more",
        bounds: &[],
        falls: true,
    },
    InstrumentShape::sum(
        "tersely.expansions",
        "{call}",
        "How often models fetched text that a stage had omitted",
    ),
    InstrumentShape::sum(
        COST,
        "{USD}",
        "Estimated cost of requests at list prices, as sent and without Tersely",
    ),
    InstrumentShape::sum(
        "tersely.missed",
        "{request}",
        "Requests forwarded unchanged that should have been rewritten",
    ),
    InstrumentShape::sum(
        "tersely.faults",
        "{fault}",
        "Results or requests forwarded unchanged because Tersely failed",
    ),
    InstrumentShape::sum("tersely.secrets.masked", "{secret}", "Secrets masked"),
    InstrumentShape::sum(TENANT_REQUESTS, "{request}", "Requests, by tenant, key and project"),
    InstrumentShape::sum(TENANT_FAILED, "{request}", "Failed requests, by tenant, key and project"),
    InstrumentShape::sum(TENANT_BEFORE, "{token}", "Tokens in whole requests, as received, by tenant"),
    InstrumentShape::sum(TENANT_AFTER, "{token}", "Tokens in whole requests, as sent, by tenant"),
    InstrumentShape::sum(TENANT_FETCHED, "{token}", "Tokens used to fetch omitted text back, by tenant"),
    InstrumentShape::sum(
        TENANT_COST,
        "{USD}",
        "Estimated cost of requests, as sent and without Tersely, by tenant",
    ),
];

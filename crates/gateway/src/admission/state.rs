//! The state of a listener's guards.

use http::StatusCode;
use tokio_util::sync::CancellationToken;

use super::guard_table::Listener;
use super::host_check::Reach;
use super::rate_limit::RateLimiter;
use crate::error::Error;
use crate::http::request_slots::{RequestSlot, RequestSlots};
use crate::settings::GatewaySettings;

/// The guards of one listener, with their counters.
pub(crate) struct Admission {
    pub(super) listener: Listener,
    pub(super) reach: Reach,
    /// Cancelled shortly before the gateway stops accepting requests; readiness checks then report draining.
    pub(super) notice: CancellationToken,
    pub(super) clients: RateLimiter,
    pub(super) tenants: RateLimiter,
    slots: RequestSlots,
}

impl Admission {
    /// Creates the guards of a listener.
    pub(crate) fn new(
        listener: Listener,
        reach: Reach,
        settings: &GatewaySettings,
        notice: CancellationToken,
    ) -> Self {
        let (clients, tenants) = (RateLimiter::default(), RateLimiter::default());
        Self { listener, reach, notice, clients, tenants, slots: RequestSlots::new(settings.limits.requests) }
    }

    /// The name in reports of requests that go to no provider.
    pub(crate) fn name(&self) -> Option<&'static str> {
        self.listener.name()
    }

    /// Who can reach the listener.
    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// Takes a slot for one more request in progress.
    pub(crate) fn slot(&self) -> Result<RequestSlot, Error> {
        let full = || Error::us(StatusCode::SERVICE_UNAVAILABLE, "too many requests in progress; try again");
        self.slots.take().ok_or_else(full)
    }
}

//! What all requests of a gateway share.

use std::sync::Arc;

use http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::bench::WorkBench;
use crate::caller::Reach;
use crate::client::Pools;
use crate::error::Error;
use crate::held::{BodySpace, Held};
use crate::life::GateLife;
use crate::llm::rewrite::Rewrite;
use crate::settings::GatewaySettings;

/// A gateway at work.
pub(crate) struct Gate {
    pub(crate) settings: GatewaySettings,
    pub(crate) reach: Reach,
    pub(crate) pools: Pools,
    pub(crate) rewrite: Arc<dyn Rewrite>,
    pub(crate) bench: Arc<WorkBench>,
    pub(crate) space: BodySpace,
    pub(crate) life: GateLife,
    running: Arc<Semaphore>,
}

impl Gate {
    /// A gateway with nothing to do yet.
    pub(crate) fn new(
        settings: GatewaySettings,
        rewrite: Arc<dyn Rewrite>,
        reach: Reach,
    ) -> Result<Self, Error> {
        Ok(Self {
            reach,
            pools: Pools::new(&settings)?,
            bench: Arc::new(WorkBench::new(&settings)),
            space: BodySpace::new(settings.limits.memory),
            running: Arc::new(Semaphore::new(settings.limits.requests.min(Semaphore::MAX_PERMITS))),
            settings,
            rewrite,
            life: GateLife::default(),
        })
    }

    /// A place for one more request, to be kept until its answer has been sent.
    pub(crate) fn admit(&self) -> Result<OwnedSemaphorePermit, Error> {
        let full = |_| Error::us(StatusCode::SERVICE_UNAVAILABLE, "too many requests in progress; try again");
        Arc::clone(&self.running).try_acquire_owned().map_err(full)
    }

    /// Room for a body, none of it taken yet.
    pub(crate) fn room(&self) -> Held {
        self.space.room()
    }
}

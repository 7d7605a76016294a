//! Settings while they are being read, with a field for every key.

use std::net::SocketAddr;
use std::path::PathBuf;

use tersely_engine::{Discovery, ExpandOffer, Prompts};
use tersely_gateway::{CompressApi, TenantList, TenantSettings, TlsFiles, Upstream, Upstreams, Vendor};

use super::all::AllSettings;
use super::observability::SeenSettings;
use super::otel::OtelSettings;
use super::remote::RemoteSettings;
use super::store::KeptSettings;

/// Values of settings that allow or deny an endpoint.
pub(crate) const DOORS: &[&str] = &["auto", "on", "off"];

/// Settings in which every key has a field of its own.
#[derive(Clone)]
pub(crate) struct Draft {
    pub settings: AllSettings,
    /// Certificate and key files for inbound TLS.
    pub tls: TlsFiles,
    /// The tenants.
    pub tenants: Vec<TenantSettings>,
    /// The URL of the single upstream; empty if there is none.
    pub upstream: String,
    /// The URL of each provider's own upstream; empty if there is none.
    pub upstreams: [String; Vendor::ALL.len()],
    /// Whether clients may use the endpoint that compresses messages without forwarding them: one of [`DOORS`].
    pub compress_api: &'static str,
    /// Whether JSON in the text of users is rewritten in a shorter form.
    pub prompting: bool,
    /// How prompts are rewritten, if they are.
    pub prompts: Prompts,
    /// Whether the model is shown only some of its tools.
    pub discovering: bool,
    /// How tools are chosen, if only some are shown.
    pub discovery: Discovery,
    /// Settings of the store of original texts.
    pub kept: KeptSettings,
    /// Settings of the compressor that leaves details out of results.
    pub remote: RemoteSettings,
    /// Settings of the log, the event file, the history and the prices.
    pub seen: SeenSettings,
    /// Settings of the exporter of spans and metrics.
    pub otel: OtelSettings,
}

impl Default for Draft {
    fn default() -> Self {
        let upstreams = Vendor::ALL.map(|_| String::new());
        let (mut settings, kept, remote) = <(AllSettings, KeptSettings, RemoteSettings)>::default();
        settings.engine.expand = ExpandOffer::Auto;
        Self {
            settings,
            tls: TlsFiles::default(),
            tenants: Vec::new(),
            upstream: String::new(),
            upstreams,
            compress_api: DOORS[0],
            prompting: false,
            prompts: Prompts::default(),
            discovering: false,
            discovery: Discovery::default(),
            kept,
            remote,
            seen: SeenSettings::default(),
            otel: OtelSettings::default(),
        }
    }
}

impl Draft {
    pub(crate) fn listen(&mut self) -> &mut SocketAddr {
        &mut self.settings.gateway.listen
    }

    pub(crate) fn authorities(&mut self) -> &mut Vec<PathBuf> {
        &mut self.settings.gateway.authorities
    }

    pub(crate) fn plan(&mut self) -> &mut tersely_core::Plan {
        &mut self.settings.engine.plan
    }

    pub(crate) fn limits(&mut self) -> &mut tersely_gateway::GatewayLimits {
        &mut self.settings.gateway.limits
    }

    pub(crate) fn timeouts(&mut self) -> &mut tersely_gateway::Timeouts {
        &mut self.settings.gateway.timeouts
    }

    /// The finished settings.
    pub(crate) fn finish(mut self) -> AllSettings {
        self.settings.engine.prompts = self.prompting.then_some(self.prompts);
        self.settings.engine.discovery = self.discovering.then_some(self.discovery.clone());
        self.settings.gateway.compress_api = match self.compress_api {
            "on" => CompressApi::On,
            "off" => CompressApi::Off,
            _ => CompressApi::Auto,
        };
        self.settings.gateway.upstreams = self.reach();
        self.settings.gateway.tenants = TenantList::new(std::mem::take(&mut self.tenants));
        self.settings.tls = (!self.tls.cert.is_empty()).then(|| self.tls.clone());
        // A conversation takes about a megabyte, so a larger memory limit allows more conversations.
        let memo = &mut self.settings.memo;
        memo.conversations = memo.conversations.max(memo.bytes >> 20);
        self.settings.compressor = self.remote.compressor(&self.settings.gateway.upstreams);
        self.settings.engine.strategy = self.remote.strategy(self.settings.compressor.as_ref());
        self.settings.keeping = self.kept.finish();
        self.settings.gateway.tenant_header.clone_from(&self.settings.keeping.header);
        self.settings.seen = self.seen.finish();
        self.settings.collector = self.otel.finish();
        self.settings
    }

    /// The upstreams. Every URL was validated before it was stored here, so none fails to parse.
    fn reach(&self) -> Upstreams {
        let one = self.upstream.parse::<Upstream>().ok();
        let own = Vendor::ALL.into_iter().zip(&self.upstreams);
        let own = own.filter_map(|(provider, url)| Some((provider, url.parse::<Upstream>().ok()?)));
        own.fold(one.map_or_else(Upstreams::default, Upstreams::one), |all, (provider, upstream)| {
            all.with(provider, upstream)
        })
    }
}

//! Local endpoints: listeners on this machine that forward to upstreams, for one command while it runs.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use tersely_gateway::{GatewaySettings, Rewrite, TenantList, Upstream, Upstreams, Vendor, Websockets, serve};
use tersely_terminal::fault::{CommandFault, Stop};

use crate::clients::vendor::VendorPlace;

/// The local endpoints of one command.
#[derive(Default)]
pub struct LocalEndpoints {
    /// The single upstream for all endpoints, if it overrides the command's own addresses.
    instead: Option<String>,
    /// The upstreams of providers for which the command has no address of its own.
    upstreams: Upstreams,
    /// The endpoints of an enclosing `tersely run`, which already compresses and counts the requests they receive.
    outer: Vec<String>,
    open: Vec<LocalEndpoint>,
}

/// A listener, and the upstream that it forwards to.
struct LocalEndpoint {
    origin: String,
    listener: TcpListener,
    upstream: Upstream,
    local: SocketAddr,
}

impl LocalEndpoints {
    /// A set without endpoints.
    pub fn new(instead: Option<&str>, upstreams: &Upstreams) -> Self {
        let instead = instead.map(str::to_owned);
        Self { instead, upstreams: upstreams.clone(), outer: Vec::new(), open: Vec::new() }
    }

    /// Adds the endpoints of an enclosing run.
    #[must_use]
    pub fn inside(self, places: Option<&str>) -> Self {
        let outer = places.unwrap_or_default().split_whitespace().map(|place| format!("http://{place}"));
        Self { outer: outer.collect(), ..self }
    }

    /// The addresses of the endpoints, for a run inside this one.
    pub fn places(&self) -> String {
        self.open.iter().map(|door| door.local.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// True if an enclosing run does all the work.
    pub fn is_nested(&self) -> bool {
        self.open.is_empty() && !self.outer.is_empty()
    }

    /// The local URL that replaces the server in the variable `name`; `None` if the variable has to stay unset.
    ///
    /// # Errors
    /// If the address is invalid, or no port is free.
    pub fn lead(
        &mut self,
        name: &str,
        (provider, usual): (Option<Vendor>, &str),
        place: &VendorPlace,
    ) -> Result<Option<String>, CommandFault> {
        match place {
            VendorPlace::Chosen(url) => self.open(name, url).map(Some),
            VendorPlace::Open(_) if self.instead.is_none() => Ok(None),
            VendorPlace::Open(_) | VendorPlace::Usual => {
                let (origin, path) = split(usual);
                let set = provider.and_then(|it| self.upstreams.of(it)).or_else(|| self.upstreams.rest());
                let origin = set.map_or_else(|| origin.to_owned(), Upstream::url);
                self.at(name, origin, path).map(Some)
            }
        }
    }

    /// The local URL that replaces `url`, the value of the variable `name`.
    ///
    /// The path stays the same, so the command sends the same requests.
    ///
    /// # Errors
    /// If the address is invalid, or no port is free.
    pub fn open(&mut self, name: &str, url: &str) -> Result<String, CommandFault> {
        let (origin, path) = split(url);
        self.at(name, origin.to_owned(), path)
    }

    fn at(&mut self, name: &str, origin: String, path: &str) -> Result<String, CommandFault> {
        let origin = self.instead.clone().unwrap_or(origin);
        if self.outer.contains(&origin) {
            return Ok(format!("{origin}{path}"));
        }
        let known = self.open.iter().find(|door| door.origin == origin).map(|door| door.local);
        let local = known.map_or_else(|| self.add(name, origin), Ok)?;
        Ok(format!("http://{local}{path}"))
    }

    fn add(&mut self, name: &str, origin: String) -> Result<SocketAddr, CommandFault> {
        let upstream = origin.parse().map_err(|error: tersely_gateway::Error| {
            CommandFault::unable(format!("{name} is {origin}: {error}"), format!("fix or unset {name}"))
        })?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let place = listener.and_then(|it| it.set_nonblocking(true).map(|()| it));
        let place = place.and_then(|it| it.local_addr().map(|local| (it, local)));
        let (listener, local) = place.map_err(|error| {
            CommandFault::unable(
                format!("no free port on this machine: {error}"),
                "close other programs first",
            )
        })?;
        self.open.push(LocalEndpoint { origin, listener, upstream, local });
        Ok(local)
    }

    /// Serves every endpoint for as long as the runtime exists.
    ///
    /// Messages over a websocket are not rewritten, so clients are asked not to use one.
    ///
    /// # Errors
    /// If a listener cannot be used.
    pub fn serve(self, settings: &GatewaySettings, rewrite: &Arc<dyn Rewrite>) -> Result<(), Stop> {
        for LocalEndpoint { listener, upstream, local, .. } in self.open {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let settings = GatewaySettings {
                listen: local,
                upstreams: Upstreams::one(upstream),
                websockets: Websockets::Decline,
                // Only the command uses this endpoint, and it has no tenant key.
                tenants: TenantList::default(),
                ..settings.clone()
            };
            tokio::spawn(serve(settings, Arc::clone(rewrite), listener, std::future::pending()));
        }
        Ok(())
    }
}

/// A URL's scheme and host, and its path.
fn split(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let path = url[host..].find('/').map_or(url.len(), |at| host + at);
    (&url[..path], url[path..].trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl LocalEndpoints {
        /// The text with the address of every endpoint replaced by its upstream.
        pub(crate) fn resolve(&self, text: &str) -> String {
            let here = |door: &LocalEndpoint| format!("http://{}", door.local);
            self.open.iter().fold(text.to_owned(), |text, door| text.replace(&here(door), &door.origin))
        }
    }

    #[test]
    fn a_url_has_an_origin_and_a_path() {
        for (url, origin, path) in [
            ("https://api.openai.com/v1/", "https://api.openai.com", "/v1"),
            ("http://127.0.0.1:1", "http://127.0.0.1:1", ""),
            ("http://h/a/b", "http://h", "/a/b"),
        ] {
            assert_eq!(split(url), (origin, path));
        }
    }

    #[test]
    fn one_origin_has_one_door_and_paths_stay() {
        let mut endpoints = LocalEndpoints::default();
        let first = endpoints.open("A", "https://h/v1").ok();
        let other = endpoints.open("B", "https://h/v1beta").ok();
        assert_eq!(endpoints.open.len(), 1);
        assert_eq!(first.map(|url| url.replace("/v1", "")), other.map(|url| url.replace("/v1beta", "")));
        assert!(endpoints.open("C", "ftp://h").is_err());
    }

    /// Behaviour 24.10.
    #[test]
    fn a_door_of_the_run_around_is_used_as_it_is() {
        let mut endpoints = LocalEndpoints::default().inside(Some("127.0.0.1:7 127.0.0.1:8"));
        assert_eq!(
            endpoints.open("A", "http://127.0.0.1:8/v1").ok().as_deref(),
            Some("http://127.0.0.1:8/v1")
        );
        assert!(endpoints.is_nested());
        assert!(endpoints.open("B", "http://127.0.0.1:9").is_ok() && !endpoints.is_nested());
        assert!(!LocalEndpoints::default().inside(None).is_nested());
    }

    #[test]
    fn one_upstream_stands_for_all() {
        let mut endpoints = LocalEndpoints::new(Some("http://h:1/base"), &Upstreams::default());
        assert!(endpoints.open("A", "https://a/v1").is_ok_and(|url| url.ends_with("/v1")));
        assert!(endpoints.open("B", "https://b").is_ok());
        assert_eq!(endpoints.open.len(), 1);
        assert_eq!(endpoints.open[0].upstream.url(), "http://h:1/base");
    }
}

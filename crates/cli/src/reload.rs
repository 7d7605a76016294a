//! Reloads certificates and tenants while a gateway runs.

use std::time::Duration;

use tersely_gateway::{InboundTls, TenantList, TlsFiles};
use tersely_settings::watch::{self, News};
use tersely_settings::{LoadedSettings, SettingSources};
use tersely_terminal::fault::CommandFault;
use tersely_terminal::output;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// How often the files are read. Their content is compared, so that every way of replacing a file is noticed.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The inbound TLS settings, if configured.
pub(crate) fn tls(files: Option<&TlsFiles>) -> Result<Option<InboundTls>, CommandFault> {
    let hint = "fix the file or the setting; `openssl x509 -in FILE -noout -text` shows a certificate";
    let fault = |error: tersely_gateway::Error| CommandFault::unable(error.to_string(), hint);
    files.cloned().map(InboundTls::open).transpose().map_err(fault)
}

/// Reloads the TLS files when they change, and reports each reload.
pub(crate) async fn follow_files(tls: InboundTls) {
    loop {
        sleep(POLL_INTERVAL).await;
        let again = tls.clone();
        let news = match spawn_blocking(move || again.renew()).await {
            Ok(Ok(true)) => {
                "tersely: loaded the new certificate files; they apply to new connections".to_owned()
            }
            Ok(Err(error)) => {
                format!("tersely: cannot use the new certificate files, keeping the old ones: {error}")
            }
            Ok(Ok(false)) | Err(_) => continue,
        };
        // If stderr is closed, nobody reads the message.
        let _ = output::note(&news);
    }
}

/// Applies the new list of tenants. A list that suddenly becomes empty is ignored.
pub(crate) fn adopt(running: &TenantList, new: &TenantList) {
    if !running.adopt(new) {
        let _ = output::note(
            "tersely: the new settings list no tenants; keeping the old tenants until a restart, after which everyone has access",
        );
    }
}

/// Watches only the list of tenants, for servers where all other settings need a restart.
pub(crate) fn follow_tenants(sources: SettingSources, loaded: &LoadedSettings, running: TenantList) {
    let mut changes = watch::watch(sources, loaded, |news| {
        let _ = output::note(&match news {
            News::Changed => {
                "tersely: applied the new tenants; changes to other settings need a restart".to_owned()
            }
            News::Refused(why) => {
                format!("tersely: the new settings are invalid; keeping the old ones\n{why}")
            }
        });
    });
    tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            let new = changes.borrow_and_update().gateway.tenants.clone();
            adopt(&running, &new);
        }
    });
}

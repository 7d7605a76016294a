//! Shortens `kubectl describe`: keeps states, conditions and events, and counts lines that are the same for every
//! pod.

use crate::class::{CutClass, Omission};
use crate::cut::family::sift::{LineFate, sift};
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for descriptions of Kubernetes objects.
pub(super) struct Kubectl;

impl Stage for Kubectl {
    fn name(&self) -> &'static str {
        "kubectl"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &[TOKEN, TOLERATIONS, IDS, NOT_SET])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !is_description(text) {
            return None;
        }
        let mut place = Place::Open;
        sift(scene, text, |line| place.fate(line))
    }
}

const TOKEN: &str = "the pod's own token";
const TOLERATIONS: &str = "usual tolerations";
const IDS: &str = "ids of containers and images";
const NOT_SET: &str = "what is not set";

/// True when a text has an object's name near the top, and a list of events or containers.
fn is_description(text: &str) -> bool {
    let named = text.lines().take(8).any(|line| line.starts_with("Name:  "));
    named && (text.contains("\nEvents:") || text.contains("\nContainers:"))
}

/// The section of a description.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Open,
    /// The volume with the pod's own token.
    Token,
    Tolerations,
    /// The events, of which no line is omitted.
    Events,
}

impl Place {
    fn fate(&mut self, line: &str) -> LineFate {
        *self = self.at(line);
        match self {
            Self::Events => LineFate::Keep,
            Self::Token => LineFate::Noise(TOKEN),
            Self::Tolerations if is_toleration(line) => LineFate::Noise(TOLERATIONS),
            _ if is_token_mount(line) => LineFate::Noise(TOKEN),
            _ if is_id(line) => LineFate::Noise(IDS),
            _ if is_unset(line) => LineFate::Noise(NOT_SET),
            _ => LineFate::Keep,
        }
    }

    /// The section of a line. A section ends at the next line that is indented no further than its heading.
    fn at(self, line: &str) -> Self {
        let indent = line.len() - line.trim_start().len();
        match (self, indent) {
            (_, 0) if line.starts_with("Events:") => Self::Events,
            (_, 0) if line.starts_with("Tolerations:") => Self::Tolerations,
            (_, 0) => Self::Open,
            (Self::Events, _) => Self::Events,
            (_, 2) if line.trim_start().starts_with("kube-api-access-") && line.ends_with(':') => Self::Token,
            (Self::Token, 2) => Self::Open,
            (place, _) => place,
        }
    }
}

/// True for one of the two tolerations that every pod gets.
fn is_toleration(line: &str) -> bool {
    let words = line.trim_start_matches("Tolerations:").trim();
    ["node.kubernetes.io/not-ready:NoExecute op=Exists", "node.kubernetes.io/unreachable:NoExecute op=Exists"]
        .iter()
        .any(|usual| words.starts_with(usual))
}

fn is_token_mount(line: &str) -> bool {
    line.trim_start().starts_with("/var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-")
}

/// True for an id: `Container ID:  containerd://...`.
fn is_id(line: &str) -> bool {
    let words = line.trim_start();
    ["Container ID:", "Image ID:", "Machine ID:", "System UUID:", "Boot ID:"]
        .iter()
        .any(|key| words.starts_with(key))
}

/// Keys that usually have no value.
const UNSET: [&str; 9] = [
    "Labels:",
    "Annotations:",
    "Port:",
    "Host Port:",
    "Environment:",
    "Node-Selectors:",
    "SizeLimit:",
    "AcquireTime:",
    "Taints:",
];

/// True for a key without a value: `Node-Selectors:  <none>`. A bare key is kept, because it may be the heading of
/// the lines after it.
fn is_unset(line: &str) -> bool {
    let words = line.trim();
    let value = UNSET.iter().find_map(|key| words.strip_prefix(key)).map(str::trim);
    matches!(value, Some("<none>" | "<unset>" | "0/TCP")) || words == "Medium:"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{apply, check};

    /// Behaviour 3.15.
    #[test]
    fn a_pod_shows_state_and_events() {
        check(
            &Kubectl,
            "Name:             web\nNamespace:        default\nLabels:           <none>\nAnnotations:      <none>\nStatus:           Pending\nContainers:\n  web:\n\
             \x20   Container ID:  containerd://aa\n    Image:         nginx\n    Image ID:      docker.io/nginx@sha256:bb\n    Host Port:     <none>\n    Environment:\n      KEY:  value\n\
             \x20   State:          Waiting\n      Reason:       CrashLoopBackOff\n      Message:      Error: no such file\n    Mounts:\n\
             \x20     /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-x (ro)\n      /data from data (rw)\nVolumes:\n  kube-api-access-x:\n\
             \x20   Type:                    Projected (a volume)\n    TokenExpirationSeconds:  3607\n  data:\n    Type:  EmptyDir\nQoS Class:       BestEffort\n\
             Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\n                 node.kubernetes.io/unreachable:NoExecute op=Exists for 300s\n\
             Events:\n  Type     Reason   Message\n  Warning  Failed   Error: no such file\n",
            "Name:             web\nNamespace:        default\n[3 lines left out: what is not set, here and below]\nStatus:           Pending\nContainers:\n  web:\n\
             [2 lines left out: ids of containers and images, here and below]\n    Image:         nginx\n    Environment:\n      KEY:  value\n\
             \x20   State:          Waiting\n      Reason:       CrashLoopBackOff\n      Message:      Error: no such file\n    Mounts:\n\
             [4 lines left out: the pod's own token, here and below]\n      /data from data (rw)\nVolumes:\n  data:\n    Type:  EmptyDir\nQoS Class:       BestEffort\n\
             [2 lines left out: usual tolerations]\nEvents:\n  Type     Reason   Message\n  Warning  Failed   Error: no such file\n",
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in ["", "Name:  x\nContainer ID: y\n", "é\nEvents:\n"] {
            assert_eq!(apply(&Kubectl, text), None, "{text}");
        }
    }
}

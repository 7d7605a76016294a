//! Checks that a watch bounds its memory, and that a response too long to hold still ends well.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use tersely_wire::hidden::{HiddenNames, ResponseFraming, ResponseWatch};
use tersely_wire::{HistoryPlace, claimed_provider};

/// More than is held of one turn, in pieces that are each short enough.
const PIECES: usize = 40;

fn watch(target: &str, framing: ResponseFraming) -> Box<dyn ResponseWatch> {
    claimed_provider(target).and_then(|provider| provider.hides(target)).expect("hides").watch(
        HiddenNames::new(&["own"]),
        framing,
        HistoryPlace::Here,
    )
}

/// The client sees all of a long response that ends with a call of the hidden tool, and `ending`.
fn check(target: &str, events: [&str; 3], ending: &str) {
    let [start, piece, end] = events;
    let (long, mut watch) = ("x".repeat(1 << 20), watch(target, ResponseFraming::Events));
    let (piece, mut out) = (piece.replace('~', &long), Vec::new());
    watch.see(start.as_bytes(), &mut out);
    for _ in 0..PIECES {
        out.clear();
        watch.see(piece.as_bytes(), &mut out);
        assert!(out == piece.as_bytes(), "{target}");
    }
    out.clear();
    watch.see(end.as_bytes(), &mut out);
    assert_eq!(watch.end(&mut out), None, "{target}");
    assert_eq!(String::from_utf8_lossy(&out), ending, "{target}");
}

#[test]
fn a_long_stream_ends_as_if_the_model_had_not_asked() {
    check(
        "/v1/messages",
        [
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"~\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"name\":\"own\"}}\n\n\
             data: {\"type\":\"content_block_stop\",\"index\":1}\n\n\
             data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n\
             data: {\"type\":\"message_stop\"}\n\n",
        ],
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
         data: {\"type\":\"message_stop\"}\n\n",
    );
    check(
        "/v1beta/models/g:streamGenerateContent?alt=sse",
        [
            "",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"~\"}]}}]}\n\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"own\"}}]},\"finishReason\":\"STOP\"}]}\n\n",
        ],
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}]}\n\n",
    );
}

#[test]
fn a_long_body_goes_on_as_it_comes() {
    for target in ["/v1/messages", "/v1beta/models/g:generateContent"] {
        let (long, mut watch) = (vec![b'x'; 1 << 20], watch(target, ResponseFraming::Whole));
        let mut out = Vec::new();
        for _ in 0..PIECES {
            watch.see(&long, &mut out);
        }
        assert_eq!(out.len(), PIECES << 20, "{target}");
        assert_eq!(watch.end(&mut out), None, "{target}");
    }
}

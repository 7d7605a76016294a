//! Reads token counts from a response in pieces: one body, lines of JSON, server-sent events, or AWS messages.

use memchr::memchr2;

use serde_json::Value;
use tersely_account::{CacheDiagnosis, TokenUsage};

use crate::protocol::aws_event;
use crate::usage::diagnosis::{DIAGNOSES, cache_diagnosis};
use crate::usage::scan::MemberScan;
use crate::usage::words::{UsageCounts, UsageWords};

/// The maximum length of an AWS message that is read. Messages with counts take less than a kilobyte.
const MAX_MESSAGE_BYTES: usize = 256 << 10;

/// The start of a data line in an event.
const DATA: &[u8] = b"data:";

/// Reads one response. The reader stores no more than a few kilobytes, or one AWS message.
#[derive(Debug)]
pub struct UsageReader {
    words: &'static UsageWords,
    scan: MemberScan,
    counts: UsageCounts,
    diagnosis: Option<CacheDiagnosis>,
    frames: Frames,
}

/// The framing of a response, which its first byte determines.
#[derive(Debug)]
enum Frames {
    /// Nothing has arrived.
    Unknown,
    /// One JSON value, or several.
    Values,
    /// Server-sent events.
    Lines(Line),
    /// AWS messages: the bytes of the current message, and the number of its bytes to skip.
    Messages(Vec<u8>, usize),
    /// The stream is broken.
    Broken,
}

/// The current line of an event.
#[derive(Debug)]
enum Line {
    /// The line may be a data line: the number of bytes that match so far, and whether the previous line ended with
    /// `\r`.
    Start(usize, bool),
    Data,
    Other,
}

impl UsageReader {
    /// Creates a reader for a provider's counts.
    #[must_use]
    pub fn new(words: &'static UsageWords) -> Self {
        let scan = MemberScan::new(words.places);
        Self { words, scan, counts: UsageCounts::default(), diagnosis: None, frames: Frames::Unknown }
    }

    /// Takes bytes of the response, which must not be compressed.
    pub fn see(&mut self, bytes: &[u8]) {
        if let Frames::Unknown = self.frames {
            // A byte order mark may precede the response.
            let is_blank = |byte: &u8| byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(byte);
            self.frames = match bytes.iter().find(|byte| !is_blank(byte)) {
                None => return,
                Some(b'{' | b'[') => Frames::Values,
                Some(0) => Frames::Messages(Vec::new(), 0),
                Some(_) => Frames::Lines(Line::Start(0, false)),
            };
        }
        match self.frames {
            Frames::Values => self.scan(bytes),
            Frames::Lines(_) => self.lines(bytes),
            Frames::Messages(..) => self.messages(bytes),
            Frames::Unknown | Frames::Broken => {}
        }
    }

    /// The counts so far; `None` when the response has none.
    #[must_use]
    pub fn usage(&self) -> Option<TokenUsage> {
        (!self.counts.is_empty()).then(|| (self.words.read)(&self.counts))
    }

    /// What the provider says about its cache, if the client asked it.
    #[must_use]
    pub fn diagnosis(&self) -> Option<&CacheDiagnosis> {
        self.diagnosis.as_ref()
    }

    fn scan(&mut self, bytes: &[u8]) {
        let Self { words, scan, counts, diagnosis, .. } = self;
        scan.see(bytes, |place, member| match place.last() {
            Some(name) if DIAGNOSES.contains(name) => {
                let found = serde_json::from_slice::<Value>(member).ok();
                // An event without an answer does not take one back.
                *diagnosis = found.and_then(|it| cache_diagnosis(name, &it)).or_else(|| diagnosis.take());
            }
            _ => counts.hear(words, place, member),
        });
    }

    fn lines(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let end = memchr2(b'\n', b'\r', bytes);
            let (piece, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.line(piece);
            bytes = match rest.split_first() {
                Some((mark, rest)) => {
                    self.end_line(*mark);
                    rest
                }
                None => rest,
            };
        }
    }

    /// Takes a piece of a line.
    fn line(&mut self, piece: &[u8]) {
        let Frames::Lines(line) = &mut self.frames else { return };
        let said = match *line {
            _ if piece.is_empty() => return,
            Line::Start(fits, _) => {
                let most = piece.len().min(DATA.len() - fits);
                if piece[..most] != DATA[fits..fits + most] {
                    *line = Line::Other;
                    return;
                }
                *line = if fits + most == DATA.len() { Line::Data } else { Line::Start(fits + most, false) };
                &piece[most..]
            }
            Line::Data => piece,
            Line::Other => return,
        };
        self.scan(said);
    }

    /// Ends a line; a blank line ends the event.
    fn end_line(&mut self, mark: u8) {
        let Frames::Lines(line) = &mut self.frames else { return };
        let ended = std::mem::replace(line, Line::Start(0, mark == b'\r'));
        match ended {
            Line::Start(0, true) if mark == b'\n' => {}
            Line::Start(0, _) => self.scan.reset(),
            Line::Start(..) | Line::Data | Line::Other => {}
        }
    }

    fn messages(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let Frames::Messages(held, skip) = &mut self.frames else { return };
            if *skip > 0 {
                let (stepped, rest) = bytes.split_at(bytes.len().min(*skip));
                *skip -= stepped.len();
                bytes = rest;
                continue;
            }
            let want = match aws_event::declared_length(held) {
                Ok(Some(total)) if total > MAX_MESSAGE_BYTES => {
                    (*skip, *held) = (total - held.len(), Vec::new());
                    continue;
                }
                Ok(total) => total.unwrap_or(aws_event::PRELUDE_BYTES),
                Err(_) => {
                    self.frames = Frames::Broken;
                    return;
                }
            };
            let (piece, rest) = bytes.split_at(bytes.len().min(want - held.len()));
            held.extend_from_slice(piece);
            bytes = rest;
            if held.len() == want && want > aws_event::PRELUDE_BYTES {
                let whole = std::mem::take(held);
                self.scan.reset();
                self.scan(&aws_event::unwrap_payload(&whole).unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Provider;
    use crate::providers::claimed_provider;

    fn read(path: &str, answer: &[u8], step: usize) -> Option<TokenUsage> {
        let words = claimed_provider(path).map(Provider::counts).expect("words");
        let mut reader = UsageReader::new(words);
        for piece in answer.chunks(step) {
            reader.see(piece);
        }
        reader.usage()
    }

    /// Checks the counts of input, cache reads, cache writes, output and reasoning, for pieces of several sizes.
    fn check(path: &str, answer: &[u8], expected: Option<[u64; 5]>) {
        for step in [1, 3, 16, 1000, answer.len().max(1)] {
            let usage = read(path, answer, step);
            let counts = usage.map(|it| [it.input, it.cache_read, it.cache_write, it.output, it.reasoning]);
            assert_eq!(counts, expected, "{path} in pieces of {step}: {}", String::from_utf8_lossy(answer));
        }
    }

    const MESSAGES: &str = "/v1/messages";
    const CHAT: &str = "/v1/chat/completions";
    const RESPONSES: &str = "/v1/responses";
    const GEMINI: &str = "/v1beta/models/g:streamGenerateContent";
    const OLLAMA: &str = "/api/chat";
    const CONVERSE: &str = "/model/m/converse";
    const INVOKE: &str = "/model/m/invoke-with-response-stream";

    /// Cache writes for an hour cost more than cache writes for five minutes.
    #[test]
    fn cache_writes_for_an_hour_are_counted_apart() {
        let answer = br#"{"usage":{"input_tokens":1,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20}}}"#;
        let usage = read(MESSAGES, answer, 7).expect("usage");
        assert_eq!((usage.cache_write, usage.cache_write_hour), (30, 20));
    }

    /// Behaviour 13.5.
    #[test]
    fn whole_answers_are_read() {
        check(
            MESSAGES,
            br#"{"id":"msg","content":[{"type":"text","text":"\"usage\":{\"input_tokens\":9}"}],"usage":{"input_tokens":12,"cache_creation_input_tokens":30,"cache_read_input_tokens":400,"cache_creation":{"ephemeral_5m_input_tokens":30},"output_tokens":7,"service_tier":"standard"}}"#,
            Some([12, 400, 30, 7, 0]),
        );
        check(
            CHAT,
            br#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":64,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":40}}}"#,
            Some([36, 64, 0, 50, 40]),
        );
        check(
            CHAT,
            br#"{"usage":{"prompt_tokens":10,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":2,"completion_tokens":1}}"#,
            Some([2, 8, 0, 1, 0]),
        );
        check(
            RESPONSES,
            br#"{"output":[],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"output_tokens":50,"output_tokens_details":{"reasoning_tokens":32},"total_tokens":150}}"#,
            Some([30, 60, 10, 50, 32]),
        );
        check(
            GEMINI,
            br#"{"candidates":[],"usageMetadata":{"promptTokenCount":90,"cachedContentTokenCount":40,"candidatesTokenCount":5,"thoughtsTokenCount":20,"totalTokenCount":115}}"#,
            Some([50, 40, 0, 25, 20]),
        );
        check(
            GEMINI,
            br#"{"response":{"candidates":[],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5}}}"#,
            Some([9, 0, 0, 5, 0]),
        );
        check(
            CONVERSE,
            br#"{"output":{},"usage":{"inputTokens":5,"outputTokens":6,"totalTokens":18,"cacheReadInputTokens":3,"cacheWriteInputTokens":4}}"#,
            Some([5, 3, 4, 6, 0]),
        );
        check(
            OLLAMA,
            br#"{"model":"m","message":{"content":"x"},"done":true,"prompt_eval_count":26,"eval_count":290}"#,
            Some([26, 0, 0, 290, 0]),
        );
    }

    /// Behaviour 13.5.
    #[test]
    fn streams_are_read() {
        check(
            MESSAGES,
            b"event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":12,\"cache_read_input_tokens\":400,\"output_tokens\":1}}}\r\n\r\nevent: ping\r\ndata: {\"type\":\"ping\"}\r\n\r\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":99}}\r\n\r\n",
            Some([12, 400, 0, 99, 0]),
        );
        check(
            CHAT,
            b": hello\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":null}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
            Some([7, 0, 0, 2, 0]),
        );
        check(
            RESPONSES,
            b"event: response.completed\ndata: {\"type\":\"response.completed\",\ndata: \"response\":{\"id\":\"r\",\"usage\":{\"input_tokens\":7,\"output_tokens\":2}}}",
            Some([7, 0, 0, 2, 0]),
        );
        check(
            GEMINI,
            br#"[{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1}},{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5}}]"#,
            Some([9, 0, 0, 5, 0]),
        );
        check(
            OLLAMA,
            b"{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"done\":true,\"prompt_eval_count\":3,\"eval_count\":4}\n",
            Some([3, 0, 0, 4, 0]),
        );
    }

    fn diagnosed(path: &str, answer: &str) -> Option<String> {
        let found = [1, 5, answer.len()].map(|step| {
            let mut reader = UsageReader::new(claimed_provider(path).map(Provider::counts).expect("words"));
            answer.as_bytes().chunks(step).for_each(|piece| reader.see(piece));
            reader.diagnosis().map(|it| format!("{it} {:?}", it.tokens))
        });
        assert!(found.iter().all(|it| *it == found[0]));
        found.into_iter().next().flatten()
    }

    #[test]
    fn the_providers_own_diagnosis_is_read_from_bodies_and_streams() {
        let reason = r#"{"cache_miss_reason":{"type":"system_changed","cache_missed_input_tokens":40}}"#;
        let whole = format!(r#"{{"id":"msg","usage":{{"input_tokens":1}},"diagnostics":{reason}}}"#);
        let expected = Some("system changed Some(40)");
        assert_eq!(diagnosed(MESSAGES, &whole).as_deref(), expected);
        let start = format!(
            r#"{{"type":"message_start","message":{{"diagnostics":{reason},"usage":{{"input_tokens":1}}}}}}"#
        );
        let delta = r#"{"type":"message_delta","diagnostics":null,"usage":{"output_tokens":1}}"#;
        assert_eq!(diagnosed(MESSAGES, &format!("data: {start}\n\ndata: {delta}\n\n")).as_deref(), expected);
        let done = r#"{"type":"response.completed","response":{"prompt_cache_diagnostics":{"type":"cache_miss","reason":"tools_changed","cache_missed_tokens":9}}}"#;
        assert_eq!(
            diagnosed(RESPONSES, &format!("data: {done}\n\n")).as_deref(),
            Some("tools changed Some(9)")
        );
        assert_eq!(
            diagnosed(MESSAGES, r#"{"content":[{"diagnostics":{"cache_miss_reason":{"type":"x"}}}]}"#),
            None
        );
        assert_eq!(diagnosed(CHAT, &whole), None);
    }

    fn frame_all(name: &str, payloads: &[&str]) -> Vec<u8> {
        let mut out = Vec::new();
        for payload in payloads {
            aws_event::write(name, payload, &mut out);
        }
        out
    }

    /// Behaviour 13.5.
    #[test]
    fn messages_of_aws_are_read() {
        let plain = frame_all(
            "metadata",
            &[r#"{"delta":{}}"#, r#"{"usage":{"inputTokens":5,"outputTokens":6},"metrics":{}}"#],
        );
        check(CONVERSE, &plain, Some([5, 0, 0, 6, 0]));
        let start = aws_event::wrap(br#"{"message":{"usage":{"input_tokens":4,"output_tokens":1}}}"#);
        let delta = aws_event::wrap(br#"{"usage":{"output_tokens":8}}"#);
        check(INVOKE, &frame_all("chunk", &[&start, &delta]), Some([4, 0, 0, 8, 0]));
        let long = format!(r#"{{"delta":"{}"}}"#, "x".repeat(MAX_MESSAGE_BYTES));
        let with = frame_all("chunk", &[&long, r#"{"usage":{"inputTokens":5}}"#]);
        assert_eq!(read(CONVERSE, &with, 1000).map(|usage| usage.input), Some(5));
        let mut broken = plain.clone();
        broken[8] ^= 1;
        check(CONVERSE, &broken, None);
    }

    #[test]
    fn where_nothing_is_said_nothing_is_guessed() {
        for path in [MESSAGES, CHAT, RESPONSES, GEMINI, OLLAMA, CONVERSE, INVOKE] {
            for answer in [
                "",
                "  ",
                "{}",
                "not JSON",
                r#"{"usage":null,"usageMetadata":null}"#,
                r#"{"usage":{},"usageMetadata":{}}"#,
                r#"{"usage":{"input_tokens":"7","prompt_tokens":-1,"promptTokenCount":1.5}}"#,
                r#"{"usage":{"input_tokens":7"#,
                "data: {\"choices\":[{\"delta\":{}}]}\n\ndata: [DONE]\n\n",
                "\0\0\0",
            ] {
                check(path, answer.as_bytes(), None);
            }
        }
    }
}

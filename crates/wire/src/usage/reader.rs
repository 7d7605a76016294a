//! Reads what a provider counted from an answer as it passes: one body, lines of JSON, server-sent events, or AWS's messages.

use memchr::memchr2;

use tersely_account::TokenUsage;

use crate::protocol::aws_event;
use crate::usage::scan::MemberScan;
use crate::usage::words::{UsageCounts, UsageWords};

/// The longest of AWS's messages that is looked into. Those with counts take less than a kilobyte.
const LONGEST: usize = 256 << 10;

/// How the line of an event begins that says something.
const DATA: &[u8] = b"data:";

/// Reads one answer. It holds a few kilobytes at the most, and of AWS's messages one.
#[derive(Debug)]
pub struct UsageReader {
    words: &'static UsageWords,
    scan: MemberScan,
    counts: UsageCounts,
    frames: Frames,
}

/// How an answer is framed, by its first byte.
#[derive(Debug)]
enum Frames {
    /// Nothing was said yet.
    Unknown,
    /// One value of JSON, or several.
    Values,
    /// Server-sent events.
    Lines(Line),
    /// Messages of AWS: the one that is being read, and how much of it is still to be stepped over.
    Messages(Vec<u8>, usize),
    /// Nobody can tell.
    Broken,
}

/// The line of an event that is being read.
#[derive(Debug)]
enum Line {
    /// It may yet be one that says something: how much of it fits, and whether the line before ended with `\r`.
    Start(usize, bool),
    Data,
    Other,
}

impl UsageReader {
    /// A reader of an answer in these words.
    #[must_use]
    pub fn new(words: &'static UsageWords) -> Self {
        let scan = MemberScan::new(words.places);
        Self { words, scan, counts: UsageCounts::default(), frames: Frames::Unknown }
    }

    /// Takes bytes of the answer, without a content coding.
    pub fn see(&mut self, bytes: &[u8]) {
        if let Frames::Unknown = self.frames {
            // A mark of the byte order may stand before what is said.
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

    /// What was counted so far; nothing where the answer does not say.
    #[must_use]
    pub fn usage(&self) -> Option<TokenUsage> {
        (!self.counts.is_empty()).then(|| (self.words.read)(&self.counts))
    }

    fn scan(&mut self, bytes: &[u8]) {
        let Self { words, scan, counts, .. } = self;
        scan.see(bytes, |place, member| counts.hear(words, place, member));
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

    /// A line is over; after one with nothing in it comes another event.
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
            let want = match aws_event::announced(held) {
                Ok(Some(total)) if total > LONGEST => {
                    (*skip, *held) = (total - held.len(), Vec::new());
                    continue;
                }
                Ok(total) => total.unwrap_or(aws_event::PRELUDE),
                Err(_) => {
                    self.frames = Frames::Broken;
                    return;
                }
            };
            let (piece, rest) = bytes.split_at(bytes.len().min(want - held.len()));
            held.extend_from_slice(piece);
            bytes = rest;
            if held.len() == want && want > aws_event::PRELUDE {
                let whole = std::mem::take(held);
                self.scan.reset();
                self.scan(&aws_event::wrapped(&whole).unwrap_or_default());
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
        let words = claimed_provider(path).and_then(Provider::counts).expect("words");
        let mut reader = UsageReader::new(words);
        for piece in answer.chunks(step) {
            reader.see(piece);
        }
        reader.usage()
    }

    /// Input, cache read, cache write, output and reasoning, whatever the pieces.
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

    /// They cost more than those for five minutes.
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

    fn framed(name: &str, payloads: &[&str]) -> Vec<u8> {
        let mut out = Vec::new();
        for payload in payloads {
            aws_event::write(name, payload, &mut out);
        }
        out
    }

    /// Behaviour 13.5.
    #[test]
    fn messages_of_aws_are_read() {
        let plain = framed(
            "metadata",
            &[r#"{"delta":{}}"#, r#"{"usage":{"inputTokens":5,"outputTokens":6},"metrics":{}}"#],
        );
        check(CONVERSE, &plain, Some([5, 0, 0, 6, 0]));
        let start = aws_event::wrap(br#"{"message":{"usage":{"input_tokens":4,"output_tokens":1}}}"#);
        let delta = aws_event::wrap(br#"{"usage":{"output_tokens":8}}"#);
        check(INVOKE, &framed("chunk", &[&start, &delta]), Some([4, 0, 0, 8, 0]));
        let long = format!(r#"{{"delta":"{}"}}"#, "x".repeat(LONGEST));
        let with = framed("chunk", &[&long, r#"{"usage":{"inputTokens":5}}"#]);
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

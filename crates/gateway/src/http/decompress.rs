//! Decodes the content coding of a body chunk by chunk, as it arrives.

use std::io::{self, Read, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::StreamingDecoder;

use crate::http::content_encoding::{Coding, CodingFault};

/// The number of encoded bytes to decode at a time. It is small, because the decoded bytes have to fit into memory.
pub(crate) const INPUT_CHUNK_BYTES: usize = 4 << 10;

/// The window that every HTTP decoder must support (RFC 9659); a frame that needs a larger window is refused.
const ZSTD_WINDOW_BYTES: u64 = 8 << 20;

/// The maximum number of bytes by which a frame may exceed its content: a header, and three bytes for each
/// incompressible block.
const ZSTD_OVERHEAD_BYTES: usize = 64 << 10;

/// The number of encoded bytes to decode between two checks of the decoded length: deflate expands them to a megabyte.
const CHECKED_CHUNK_BYTES: usize = 1 << 10;

/// The largest window of a deflate stream, as a power of two.
const DEFLATE_WINDOW_BITS: u8 = 15;

/// The number of decoded bytes to produce at a time.
const OUTPUT_CHUNK_BYTES: usize = 32 << 10;

/// The ratio of decoded to encoded bytes, and the number of decoded bytes, beyond which a body may be a bomb.
const SUSPECT_FACTOR: usize = 16;
const SUSPECT_BYTES: usize = 1 << 20;

impl Coding {
    /// Decodes a body; fails if the result exceeds `limit` bytes. A body that may be a bomb is measured before there is
    /// memory for all of it.
    pub(crate) fn decode(self, limit: usize, body: &[u8]) -> Result<Vec<u8>, CodingFault> {
        match self.decode_within(limit, SUSPECT_FACTOR, body) {
            Err(CodingFault::TooLong) => {
                self.measure(limit, body)?;
                self.decode_within(limit, usize::MAX, body)
            }
            decoded => decoded,
        }
    }

    /// Decodes about the first `most` bytes of a body, or less if the body is garbled.
    pub(crate) fn beginning(self, most: usize, body: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        if self == Self::Zstd {
            if let Ok(frame) = StreamingDecoder::new_with_max_window_size(body, ZSTD_WINDOW_BYTES) {
                let _ = frame.take(u64::try_from(most).unwrap_or(u64::MAX)).read_to_end(&mut text);
            }
            return text;
        }
        let mut decoder = Decompressor::new(self, most);
        let mut pieces = body.chunks(INPUT_CHUNK_BYTES);
        while text.len() < most && pieces.next().is_some_and(|piece| decoder.feed(piece, &mut text).is_ok()) {
        }
        text
    }

    /// Fails if the decoded body exceeds `limit` bytes, without keeping it.
    fn measure(self, limit: usize, body: &[u8]) -> Result<(), CodingFault> {
        if self == Self::Zstd {
            let frame = StreamingDecoder::new_with_max_window_size(body, ZSTD_WINDOW_BYTES);
            let mut frame = frame.map_err(|_| CodingFault::Garbled)?.take(bound(limit));
            let length = io::copy(&mut frame, &mut io::sink()).map_err(|_| CodingFault::Garbled)?;
            return if length < bound(limit) { Ok(()) } else { Err(CodingFault::TooLong) };
        }
        let (mut decoder, mut text, mut length) = (Decompressor::new(self, limit), Vec::new(), 0_usize);
        for piece in body.chunks(CHECKED_CHUNK_BYTES) {
            decoder.feed(piece, &mut text)?;
            length = length.saturating_add(text.len());
            text.clear();
            if length > limit {
                return Err(CodingFault::TooLong);
            }
        }
        Ok(())
    }

    /// Decodes a body; fails once the result exceeds `limit` bytes, or both `SUSPECT_BYTES` and `factor` times the bytes
    /// that were read for it.
    fn decode_within(self, limit: usize, factor: usize, body: &[u8]) -> Result<Vec<u8>, CodingFault> {
        let most = |read: usize| limit.min(read.saturating_mul(factor).max(SUSPECT_BYTES));
        let (mut decoder, mut text) = (Decompressor::new(self, most(body.len())), Vec::new());
        let mut read = 0;
        for piece in body.chunks(CHECKED_CHUNK_BYTES) {
            decoder.feed(piece, &mut text)?;
            read += piece.len();
            if text.len() > most(read) {
                return Err(CodingFault::TooLong);
            }
        }
        decoder.finish(&mut text)?;
        if text.len() > most(read) { Err(CodingFault::TooLong) } else { Ok(text) }
    }
}

/// A decoder in the middle of a body.
pub(crate) struct Decompressor(State);

enum State {
    Plain,
    /// The first byte of a "deflate" body, if it has arrived. Senders use that name for two formats.
    Deflate(Option<u8>),
    Inflate(Inflate),
    Brotli(Box<DecompressorWriter<BoundedOutput>>),
    /// All encoded bytes so far, and the limit for the decoded bytes. The decoder would return nothing until a window
    /// is full, and most bodies are smaller than a window, so bodies are decoded when they are complete.
    Zstd(Vec<u8>, usize),
    Unknown,
}

/// The decoded output of one chunk, with a size limit, because a few encoded bytes can expand to any number.
struct BoundedOutput {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for BoundedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl BoundedOutput {
    fn fault(error: &io::Error) -> CodingFault {
        let is_full = error.kind() == io::ErrorKind::FileTooLarge;
        if is_full { CodingFault::TooLong } else { CodingFault::Garbled }
    }
}

/// Decodes gzip, zlib or a raw deflate stream.
struct Inflate {
    stream: Box<Decompress>,
    /// Creates the decoder for the next stream, for codings that allow several streams in a row.
    again: Option<fn() -> Decompress>,
    is_over: bool,
}

impl Decompressor {
    /// Creates a decoder. `limit` restricts the bytes that are buffered, and the size to which one chunk may expand.
    pub(crate) fn new(coding: Coding, limit: usize) -> Self {
        Self(match coding {
            Coding::Identity => State::Plain,
            Coding::Gzip => State::Inflate(Inflate::new(gzip(), Some(gzip))),
            Coding::Deflate => State::Deflate(None),
            Coding::Brotli => {
                let output =
                    BoundedOutput { bytes: Vec::new(), most: limit.saturating_add(OUTPUT_CHUNK_BYTES) };
                State::Brotli(Box::new(DecompressorWriter::new(output, OUTPUT_CHUNK_BYTES)))
            }
            Coding::Zstd => State::Zstd(Vec::new(), limit),
            Coding::Other => State::Unknown,
        })
    }

    /// Decodes a chunk of the body and appends the result.
    pub(crate) fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), CodingFault> {
        match &mut self.0 {
            State::Plain => out.extend_from_slice(piece),
            &mut State::Deflate(begun) => return self.tell(begun, piece, out),
            State::Inflate(inflate) => inflate.feed(piece, out)?,
            State::Brotli(stream) => {
                stream.write_all(piece).map_err(|error| BoundedOutput::fault(&error))?;
                out.append(&mut stream.get_mut().bytes);
            }
            State::Zstd(all, limit)
                if all.len() + piece.len() > limit.saturating_add(ZSTD_OVERHEAD_BYTES) =>
            {
                return Err(CodingFault::TooLong);
            }
            State::Zstd(all, _) => all.extend_from_slice(piece),
            State::Unknown => return Err(CodingFault::Garbled),
        }
        Ok(())
    }

    /// Ends the body and appends the remaining decoded bytes.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), CodingFault> {
        match &mut self.0 {
            State::Plain => Ok(()),
            State::Inflate(inflate) if inflate.is_over => Ok(()),
            State::Brotli(stream) => {
                let done = stream.close().map_err(|error| BoundedOutput::fault(&error));
                out.append(&mut stream.get_mut().bytes);
                done
            }
            State::Zstd(all, limit) => {
                out.append(&mut zstd(*limit, all)?);
                Ok(())
            }
            State::Deflate(_) | State::Inflate(_) | State::Unknown => Err(CodingFault::Garbled),
        }
    }

    /// Detects a zlib header by its two bytes.
    fn tell(&mut self, begun: Option<u8>, piece: &[u8], out: &mut Vec<u8>) -> Result<(), CodingFault> {
        let start: Vec<u8> = begun.into_iter().chain(piece.iter().copied().take(2)).collect();
        let [first, second, ..] = start[..] else {
            self.0 = State::Deflate(start.first().copied());
            return Ok(());
        };
        let is_zlib = first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)) % 31 == 0;
        let mut inflate = Inflate::new(Decompress::new(is_zlib), None);
        if let Some(byte) = begun {
            inflate.feed(&[byte], out)?;
        }
        let fed = inflate.feed(piece, out);
        self.0 = State::Inflate(inflate);
        fed
    }
}

impl Inflate {
    fn new(stream: Decompress, again: Option<fn() -> Decompress>) -> Self {
        Self { stream: Box::new(stream), again, is_over: false }
    }

    fn feed(&mut self, mut piece: &[u8], out: &mut Vec<u8>) -> Result<(), CodingFault> {
        loop {
            if self.is_over {
                let Some(again) = self.again.filter(|_| !piece.is_empty()) else {
                    return if piece.is_empty() { Ok(()) } else { Err(CodingFault::Garbled) };
                };
                (*self.stream, self.is_over) = (again(), false);
            }
            out.reserve(OUTPUT_CHUNK_BYTES);
            let (room, read) = (out.capacity(), self.stream.total_in());
            let status = self.stream.decompress_vec(piece, out, FlushDecompress::None);
            let status = status.map_err(|_| CodingFault::Garbled)?;
            let read = usize::try_from(self.stream.total_in() - read).unwrap_or(usize::MAX);
            piece = piece.get(read..).unwrap_or_default();
            self.is_over = status == Status::StreamEnd;
            if !self.is_over && piece.is_empty() && out.len() < room {
                return Ok(());
            }
            if read == 0 && out.len() < room && !self.is_over {
                return Err(CodingFault::Garbled);
            }
        }
    }
}

fn gzip() -> Decompress {
    Decompress::new_gzip(DEFLATE_WINDOW_BITS)
}

/// Decodes one frame; fails if anything follows it.
fn zstd(limit: usize, mut body: &[u8]) -> Result<Vec<u8>, CodingFault> {
    let frame = StreamingDecoder::new_with_max_window_size(&mut body, ZSTD_WINDOW_BYTES);
    let text = drain(limit, frame.map_err(|_| CodingFault::Garbled)?)?;
    if body.is_empty() { Ok(text) } else { Err(CodingFault::Garbled) }
}

/// One byte more than the limit.
fn bound(limit: usize) -> u64 {
    u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1)
}

fn drain(limit: usize, decoder: impl Read) -> Result<Vec<u8>, CodingFault> {
    let mut text = Vec::new();
    match decoder.take(bound(limit)).read_to_end(&mut text) {
        Err(_) => Err(CodingFault::Garbled),
        Ok(_) if text.len() > limit => Err(CodingFault::TooLong),
        Ok(_) => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn encode(text: &[u8]) -> Vec<(Coding, Vec<u8>)> {
        let level = Compression::default();
        let (mut gzip, mut zlib) = (GzEncoder::new(Vec::new(), level), ZlibEncoder::new(Vec::new(), level));
        let mut raw = DeflateEncoder::new(Vec::new(), level);
        for sink in [&mut gzip as &mut dyn Write, &mut zlib, &mut raw] {
            sink.write_all(text).unwrap();
        }
        vec![
            (Coding::Identity, text.to_vec()),
            (Coding::Gzip, gzip.finish().unwrap()),
            (Coding::Deflate, zlib.finish().unwrap()),
            (Coding::Deflate, raw.finish().unwrap()),
            (Coding::Brotli, brotli(text)),
            (Coding::Zstd, compress_to_vec(text, CompressionLevel::Fastest)),
        ]
    }

    /// Encodes `text` as a brotli stream of stored blocks.
    fn brotli(text: &[u8]) -> Vec<u8> {
        let stored = text.chunks(1 << 16).enumerate().flat_map(|(at, block)| {
            // In the first block, one bit for the window size precedes the header.
            let shift = if at == 0 { 4 } else { 3 };
            let head = (u32::try_from(block.len() - 1).unwrap() | 1 << 16) << shift;
            [&head.to_le_bytes()[..3], block].concat()
        });
        stored.chain([3]).collect()
    }

    /// A body that expands much is decoded if it is within the limit, and refused before it takes memory if not.
    #[test]
    fn bombs_are_measured_first() {
        let long = vec![b'a'; 6 << 20];
        for (coding, body) in encode(&long) {
            assert_eq!(coding.decode(long.len(), &body).map(|text| text.len()), Ok(long.len()), "{coding:?}");
            assert_eq!(coding.decode(long.len() - 1, &body), Err(CodingFault::TooLong), "{coding:?}");
            let suspect = coding.decode_within(long.len(), SUSPECT_FACTOR, &body).is_err();
            assert_eq!(suspect, body.len() * SUSPECT_FACTOR < long.len(), "{coding:?}");
            assert_eq!(coding.measure(long.len(), &body), Ok(()), "{coding:?}");
            assert_eq!(coding.measure(long.len() - 1, &body), Err(CodingFault::TooLong), "{coding:?}");
        }
    }

    /// What expands much after a long part that does not is found there, not at the end.
    #[test]
    fn a_late_bomb_is_suspect_as_well() {
        let noise: Vec<u8> =
            (0..1_u32 << 18).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let text = [noise, vec![b'a'; 32 << 20]].concat();
        let (coding, body) = encode(&text).swap_remove(1);
        assert_eq!(coding.decode_within(text.len(), SUSPECT_FACTOR, &body), Err(CodingFault::TooLong));
        assert_eq!(coding.decode(text.len(), &body).map(|text| text.len()), Ok(text.len()));
        assert_eq!(coding.decode(text.len() - 1, &body), Err(CodingFault::TooLong));
    }

    #[test]
    fn a_beginning_is_that_of_the_whole() {
        let text: Vec<u8> = (0..200_000_u32).flat_map(|n| n.to_string().into_bytes()).collect();
        for (coding, body) in encode(&text) {
            for most in [0, 1, 1_000, 64 << 10, text.len()] {
                let found = coding.beginning(most, &body);
                assert!(text.starts_with(&found) && found.len() >= most, "{coding:?} {most}");
            }
            let half = coding.beginning(text.len(), &body[..body.len() / 2]);
            assert!(text.starts_with(&half), "{coding:?}");
        }
        assert_eq!(Coding::Gzip.beginning(10, b"no gzip"), b"");
        assert_eq!(Coding::Other.beginning(10, b"text"), b"");
    }

    #[test]
    fn every_coding_is_undone() {
        for (coding, body) in encode(b"one two two two") {
            assert_eq!(coding.decode(15, &body).as_deref(), Ok(&b"one two two two"[..]), "{coding:?}");
        }
    }

    /// Decoded bytes are returned as soon as they arrive, except with zstd.
    #[test]
    fn what_comes_in_pieces_goes_on_in_pieces() {
        for (coding, body) in encode(&b"one two two two".repeat(999)) {
            let (mut decoder, mut text) = (Decompressor::new(coding, 1 << 20), Vec::new());
            for piece in body.chunks(1) {
                decoder.feed(piece, &mut text).unwrap();
            }
            assert_eq!(text.len() < 10_000, coding == Coding::Zstd, "{coding:?}");
            decoder.finish(&mut text).unwrap();
            assert_eq!(text, b"one two two two".repeat(999), "{coding:?}");
        }
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        let (mut decoder, mut text) = (Decompressor::new(Coding::Gzip, 0), Vec::new());
        for said in ["data: 1\n\n", "data: 2\n\n"] {
            gzip.write_all(said.as_bytes()).unwrap();
            gzip.flush().unwrap();
            decoder.feed(&std::mem::take(gzip.get_mut()), &mut text).unwrap();
            assert_eq!(String::from_utf8(std::mem::take(&mut text)).unwrap(), said);
        }
    }

    #[test]
    fn gzip_streams_may_follow_each_other() {
        let body = [encode(b"one ").remove(1).1, encode(b"two").remove(1).1].concat();
        assert_eq!(Coding::Gzip.decode(99, &body).as_deref(), Ok(&b"one two"[..]));
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        for (coding, body) in &encode(&vec![0; 1 << 20])[1..] {
            assert_eq!(coding.decode(1 << 16, body), Err(CodingFault::TooLong), "{coding:?}");
        }
    }

    #[test]
    fn what_is_cut_or_followed_is_garbled() {
        for (coding, body) in &encode(b"one two two two")[1..] {
            assert_eq!(coding.decode(99, &body[..body.len() - 3]), Err(CodingFault::Garbled), "{coding:?}");
        }
        for (coding, mut body) in encode(b"one").into_iter().skip(1) {
            body.push(0);
            assert_eq!(coding.decode(99, &body), Err(CodingFault::Garbled), "{coding:?}");
        }
        assert_eq!(Coding::Other.decode(99, b"x"), Err(CodingFault::Garbled));
    }
}

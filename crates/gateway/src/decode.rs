//! Undoes the content coding of a body, within a limit.

use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use ruzstd::decoding::StreamingDecoder;

/// A window that every decoder of the web must be able to hold (RFC 9659); a frame that asks for more is left alone.
const WINDOW: u64 = 8 << 20;

/// How a body is coded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
    Deflate,
    Zstd,
    /// One that is not known here, or several.
    Other,
}

/// Why there is no decoded body.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    /// It is longer than the limit.
    TooLong,
    /// It is not what its header says.
    Garbled,
}

impl Coding {
    /// The coding that headers name.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(CONTENT_ENCODING).into_iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return if headers.contains_key(CONTENT_ENCODING) { Self::Other } else { Self::Identity };
        };
        match value.to_str().unwrap_or("?").trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Self::Identity,
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            "zstd" => Self::Zstd,
            _ => Self::Other,
        }
    }

    /// The body behind the coding, of at most `limit` bytes.
    pub(crate) fn decode(self, limit: usize, body: &[u8]) -> Result<Vec<u8>, Fault> {
        match self {
            Self::Identity => Ok(body.to_vec()),
            Self::Gzip => drain(limit, MultiGzDecoder::new(body)),
            Self::Deflate if is_zlib(body) => drain(limit, ZlibDecoder::new(body)),
            Self::Deflate => drain(limit, DeflateDecoder::new(body)),
            Self::Zstd => zstd(limit, body),
            Self::Other => Err(Fault::Garbled),
        }
    }
}

/// One frame, and nothing after it.
fn zstd(limit: usize, mut body: &[u8]) -> Result<Vec<u8>, Fault> {
    let frame = StreamingDecoder::new_with_max_window_size(&mut body, WINDOW).map_err(|_| Fault::Garbled)?;
    let text = drain(limit, frame)?;
    if body.is_empty() { Ok(text) } else { Err(Fault::Garbled) }
}

fn drain(limit: usize, decoder: impl Read) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    match decoder.take(bound).read_to_end(&mut text) {
        Err(_) => Err(Fault::Garbled),
        Ok(_) if text.len() > limit => Err(Fault::TooLong),
        Ok(_) => Ok(text),
    }
}

/// Senders disagree on what "deflate" means: a zlib header tells.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..] if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn coded(text: &[u8]) -> Vec<(Coding, Vec<u8>)> {
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
            (Coding::Zstd, compress_to_vec(text, CompressionLevel::Fastest)),
        ]
    }

    #[test]
    fn every_coding_is_undone() {
        for (coding, body) in coded(b"one two two two") {
            assert_eq!(coding.decode(15, &body).as_deref(), Ok(&b"one two two two"[..]), "{coding:?}");
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        for (coding, body) in &coded(&vec![0; 1 << 20])[1..] {
            assert_eq!(coding.decode(1 << 16, body), Err(Fault::TooLong), "{coding:?}");
        }
    }

    #[test]
    fn what_is_cut_or_followed_is_garbled() {
        for (coding, body) in &coded(b"one two two two")[1..] {
            assert_eq!(coding.decode(99, &body[..body.len() - 3]), Err(Fault::Garbled), "{coding:?}");
        }
        let (coding, mut body) = coded(b"one").remove(4);
        body.push(0);
        assert_eq!(coding.decode(99, &body), Err(Fault::Garbled));
        assert_eq!(Coding::Other.decode(99, b"x"), Err(Fault::Garbled));
    }

    #[test]
    fn one_known_coding_is_told_from_others() {
        let cases = [("gzip", Coding::Gzip), (" ZSTD ", Coding::Zstd), ("br", Coding::Other)];
        for (value, coding) in
            [("gzip, zstd", Coding::Other), ("identity", Coding::Identity)].into_iter().chain(cases)
        {
            let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value.parse().unwrap())]);
            assert_eq!(Coding::of(&headers), coding, "{value}");
        }
        assert_eq!(Coding::of(&HeaderMap::new()), Coding::Identity);
    }
}

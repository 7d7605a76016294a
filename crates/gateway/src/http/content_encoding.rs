//! The content coding of a body, as its header declares it.

use http::HeaderMap;
use http::header::CONTENT_ENCODING;

/// A content coding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
    /// An unknown coding, or several codings.
    Other,
}

/// Why a body cannot be decoded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CodingFault {
    /// The decoded body is longer than the limit.
    TooLong,
    /// The body is not in the coding that its header declares.
    Garbled,
}

/// The assumed ratio of decoded to encoded size, as long as the real ratio is unknown.
const DECODED_FACTOR: usize = 8;

impl Coding {
    /// Estimates the number of decoded bytes, to which the work on a body is proportional.
    pub(crate) fn weight(self, limit: usize, bytes: usize) -> usize {
        if self == Self::Identity { bytes } else { limit.min(bytes.saturating_mul(DECODED_FACTOR)) }
    }

    /// The coding that the headers declare.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(CONTENT_ENCODING).into_iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return if headers.contains_key(CONTENT_ENCODING) { Self::Other } else { Self::Identity };
        };
        match value.to_str().unwrap_or("?").trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Self::Identity,
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            "br" => Self::Brotli,
            "zstd" => Self::Zstd,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_known_coding_is_told_from_others() {
        for (value, coding) in [
            ("gzip", Coding::Gzip),
            (" ZSTD ", Coding::Zstd),
            ("br", Coding::Brotli),
            ("gzip, zstd", Coding::Other),
            ("compress", Coding::Other),
            ("identity", Coding::Identity),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value.parse().unwrap())]);
            assert_eq!(Coding::of(&headers), coding, "{value}");
        }
        assert_eq!(Coding::of(&HeaderMap::new()), Coding::Identity);
    }
}

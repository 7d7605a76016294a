//! Names the content coding of a body.

use http::HeaderMap;
use http::header::CONTENT_ENCODING;

/// How a body is coded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
    /// One that is not known here, or several.
    Other,
}

/// Why there is no decoded body.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CodingFault {
    /// It is longer than the limit.
    TooLong,
    /// It is not what its header says.
    Garbled,
}

/// How much longer a coded body is taken to be once it is decoded, before that is known.
const DECODED_FACTOR: usize = 8;

impl Coding {
    /// About how many bytes work on so many of them takes, decoded.
    pub(crate) fn weight(self, limit: usize, bytes: usize) -> usize {
        if self == Self::Identity { bytes } else { limit.min(bytes.saturating_mul(DECODED_FACTOR)) }
    }

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

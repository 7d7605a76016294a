//! Parses W3C trace context: the trace that a request belongs to.

/// A request's position in a trace.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TraceContext {
    /// The trace id.
    pub trace: u128,
    /// The id of the parent span.
    pub parent: u64,
    /// True when the caller records the trace.
    pub is_sampled: bool,
}

impl TraceContext {
    /// Parses a `traceparent` header: `00-<32 digits>-<16 digits>-<2 digits>`. Later versions may append more fields.
    #[must_use]
    pub fn read(header: &str) -> Option<Self> {
        let (version, rest) = header.split_once('-')?;
        let (trace, rest) = rest.split_once('-')?;
        let (parent, flags) = rest.split_once('-')?;
        let (flags, more) = flags.split_once('-').map_or((flags, false), |(flags, _)| (flags, true));
        let is_known = digits(version, 2)? != 0xff && !(version == "00" && more);
        let trace = digits(trace, 32).filter(|trace| *trace != 0)?;
        let parent = u64::try_from(digits(parent, 16)?).ok().filter(|parent| *parent != 0)?;
        let is_sampled = digits(flags, 2)? & 1 == 1;
        is_known.then_some(Self { trace, parent, is_sampled })
    }
}

/// Parses a hexadecimal number of exactly `count` lower-case digits.
fn digits(text: &str, count: usize) -> Option<u128> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let fits = text.len() == count && text.bytes().all(is_digit);
    fits.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_is_read_as_the_standard_says() {
        let context = TraceContext::read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").unwrap();
        assert_eq!(context.trace, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!((context.parent, context.is_sampled), (0x00f0_67aa_0ba9_02b7, true));
        let later = "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-what";
        assert!(TraceContext::read(later).is_some_and(|context| !context.is_sampled));
        for wrong in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(TraceContext::read(wrong), None, "{wrong}");
        }
    }
}

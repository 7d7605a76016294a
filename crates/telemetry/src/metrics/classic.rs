//! Converts `OpenMetrics` text to the older Prometheus text format, which all tools can read.

/// Converts to the older format: a counter's metadata uses the name of its samples, and there is no end marker.
pub(crate) fn classic(open: &str) -> String {
    let mut text = String::with_capacity(open.len());
    let mut lines = open.lines().peekable();
    while let Some(line) = lines.next() {
        let is_counter = match line.strip_prefix("# HELP ") {
            // The next line has the type.
            Some(_) => lines.peek().is_some_and(|next| next.ends_with(" counter")),
            None => line.starts_with("# TYPE ") && line.ends_with(" counter"),
        };
        if line == "# EOF" || line.starts_with("# UNIT ") {
            continue;
        }
        match line.splitn(4, ' ').collect::<Vec<_>>()[..] {
            ["#", what, name, rest] if is_counter => {
                text.extend(["# ", what, " ", name, "_total ", rest]);
            }
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_called_what_their_samples_are() {
        let open = "# HELP a What a is counter\n# TYPE a counter\na_total{x=\"y\"} 1\n\
                    # HELP b_seconds About b\n# TYPE b_seconds histogram\n# UNIT b_seconds seconds\nb_seconds_sum 1\n\
                    # HELP c About counter\n# TYPE c gauge\nc 1\n# EOF\n";
        let expected = "# HELP a_total What a is counter\n# TYPE a_total counter\na_total{x=\"y\"} 1\n\
                        # HELP b_seconds About b\n# TYPE b_seconds histogram\nb_seconds_sum 1\n\
                        # HELP c About counter\n# TYPE c gauge\nc 1\n";
        assert_eq!(classic(open), expected);
    }
}

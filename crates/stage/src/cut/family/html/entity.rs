//! Table: named character references, and a decoder for references such as `&mdash;` and `&#8212;`.

/// Decodes the reference at the start of `text`, which begins with `&`. Returns its length and its character.
///
/// An unknown name is not a reference, and is left unchanged.
pub(super) fn decode(text: &str) -> Option<(usize, char)> {
    let end = text.bytes().take(MAX_REFERENCE_BYTES).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let sign = match name.strip_prefix('#') {
        Some(number) => numeric_reference(number)?,
        None => NAMES[NAMES.binary_search_by_key(&name, |entry| entry.0).ok()?].1,
    };
    Some((end + 1, sign))
}

/// Appends `text` to `out`, and decodes the references in it.
pub(super) fn push(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (length, sign) = decode(&rest[at..]).unwrap_or((1, '&'));
        out.push(sign);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
}

/// Maximum number of bytes in a reference.
const MAX_REFERENCE_BYTES: usize = 12;

fn numeric_reference(number: &str) -> Option<char> {
    let hex = number.strip_prefix(['x', 'X']);
    let digits = hex.unwrap_or(number);
    let code = u32::from_str_radix(digits, if hex.is_some() { 16 } else { 10 }).ok()?;
    char::from_u32(code).filter(|sign| !sign.is_control() || sign.is_ascii_whitespace())
}

/// The named references, sorted by name.
#[rustfmt::skip]
const NAMES: [(&str, char); 247] = [
    ("AElig", 'Æ'), ("Aacute", 'Á'), ("Acirc", 'Â'), ("Agrave", 'À'), ("Alpha", 'Α'), ("Aring", 'Å'),
    ("Atilde", 'Ã'), ("Auml", 'Ä'), ("Beta", 'Β'), ("Ccedil", 'Ç'), ("Dagger", '‡'), ("Delta", 'Δ'),
    ("ETH", 'Ð'), ("Eacute", 'É'), ("Ecirc", 'Ê'), ("Egrave", 'È'), ("Euml", 'Ë'), ("Gamma", 'Γ'),
    ("Hat", '^'), ("Iacute", 'Í'), ("Icirc", 'Î'), ("Igrave", 'Ì'), ("Iuml", 'Ï'), ("Lambda", 'Λ'),
    ("NewLine", '\n'), ("Ntilde", 'Ñ'), ("OElig", 'Œ'), ("Oacute", 'Ó'), ("Ocirc", 'Ô'), ("Ograve", 'Ò'),
    ("Omega", 'Ω'), ("Oslash", 'Ø'), ("Otilde", 'Õ'), ("Ouml", 'Ö'), ("Phi", 'Φ'), ("Pi", 'Π'),
    ("Prime", '″'), ("Psi", 'Ψ'), ("Scaron", 'Š'), ("Sigma", 'Σ'), ("THORN", 'Þ'), ("Tab", '\t'),
    ("Theta", 'Θ'), ("Uacute", 'Ú'), ("Ucirc", 'Û'), ("Ugrave", 'Ù'), ("Uuml", 'Ü'), ("Yacute", 'Ý'),
    ("Yuml", 'Ÿ'), ("aacute", 'á'), ("acirc", 'â'), ("acute", '´'), ("aelig", 'æ'), ("agrave", 'à'),
    ("alpha", 'α'), ("amp", '&'), ("and", '∧'), ("ang", '∠'), ("apos", '\''), ("aring", 'å'), ("ast", '*'),
    ("asymp", '≈'), ("atilde", 'ã'), ("auml", 'ä'), ("bdquo", '„'), ("beta", 'β'), ("brvbar", '¦'),
    ("bsol", '\\'), ("bull", '•'), ("cap", '∩'), ("ccedil", 'ç'), ("cedil", '¸'), ("cent", '¢'),
    ("check", '✓'), ("chi", 'χ'), ("circ", 'ˆ'), ("clubs", '♣'), ("colon", ':'), ("comma", ','),
    ("commat", '@'), ("cong", '≅'), ("copy", '©'), ("cross", '✗'), ("cup", '∪'), ("curren", '¤'),
    ("dagger", '†'), ("darr", '↓'), ("deg", '°'), ("delta", 'δ'), ("diams", '♦'), ("divide", '÷'),
    ("dollar", '$'), ("eacute", 'é'), ("ecirc", 'ê'), ("egrave", 'è'), ("empty", '∅'), ("emsp", '\u{2003}'),
    ("ensp", '\u{2002}'), ("epsilon", 'ε'), ("equals", '='), ("equiv", '≡'), ("eta", 'η'), ("eth", 'ð'),
    ("euml", 'ë'), ("euro", '€'), ("exist", '∃'), ("fnof", 'ƒ'), ("forall", '∀'), ("frac12", '½'),
    ("frac14", '¼'), ("frac34", '¾'), ("gamma", 'γ'), ("ge", '≥'), ("grave", '`'), ("gt", '>'),
    ("hArr", '⇔'), ("harr", '↔'), ("hearts", '♥'), ("hellip", '…'), ("iacute", 'í'), ("icirc", 'î'),
    ("iexcl", '¡'), ("igrave", 'ì'), ("infin", '∞'), ("int", '∫'), ("iota", 'ι'), ("iquest", '¿'),
    ("isin", '∈'), ("iuml", 'ï'), ("kappa", 'κ'), ("lArr", '⇐'), ("lambda", 'λ'), ("laquo", '«'),
    ("larr", '←'), ("lbrace", '{'), ("lbrack", '['), ("lcub", '{'), ("ldquo", '“'), ("le", '≤'),
    ("lowast", '∗'), ("lowbar", '_'), ("loz", '◊'), ("lpar", '('), ("lsaquo", '‹'), ("lsqb", '['),
    ("lsquo", '‘'), ("lt", '<'), ("macr", '¯'), ("mdash", '—'), ("micro", 'µ'), ("middot", '·'),
    ("minus", '−'), ("mu", 'μ'), ("nabla", '∇'), ("nbsp", '\u{a0}'), ("ndash", '–'), ("ne", '≠'),
    ("ni", '∋'), ("not", '¬'), ("notin", '∉'), ("ntilde", 'ñ'), ("nu", 'ν'), ("num", '#'), ("oacute", 'ó'),
    ("ocirc", 'ô'), ("oelig", 'œ'), ("ograve", 'ò'), ("omega", 'ω'), ("or", '∨'), ("ordf", 'ª'),
    ("ordm", 'º'), ("oslash", 'ø'), ("otilde", 'õ'), ("ouml", 'ö'), ("para", '¶'), ("part", '∂'),
    ("percnt", '%'), ("period", '.'), ("permil", '‰'), ("phi", 'φ'), ("pi", 'π'), ("plus", '+'),
    ("plusmn", '±'), ("pound", '£'), ("prime", '′'), ("prod", '∏'), ("prop", '∝'), ("psi", 'ψ'),
    ("quest", '?'), ("quot", '"'), ("rArr", '⇒'), ("radic", '√'), ("raquo", '»'), ("rarr", '→'),
    ("rbrace", '}'), ("rbrack", ']'), ("rcub", '}'), ("rdquo", '”'), ("reg", '®'), ("rho", 'ρ'),
    ("rpar", ')'), ("rsaquo", '›'), ("rsqb", ']'), ("rsquo", '’'), ("sbquo", '‚'), ("scaron", 'š'),
    ("sect", '§'), ("semi", ';'), ("shy", '\u{ad}'), ("sigma", 'σ'), ("sim", '∼'), ("sol", '/'),
    ("spades", '♠'), ("star", '☆'), ("sub", '⊂'), ("sube", '⊆'), ("sum", '∑'), ("sup", '⊃'), ("sup1", '¹'),
    ("sup2", '²'), ("sup3", '³'), ("supe", '⊇'), ("szlig", 'ß'), ("tau", 'τ'), ("there4", '∴'),
    ("theta", 'θ'), ("thinsp", '\u{2009}'), ("thorn", 'þ'), ("tilde", '˜'), ("times", '×'), ("trade", '™'),
    ("uacute", 'ú'), ("uarr", '↑'), ("ucirc", 'û'), ("ugrave", 'ù'), ("uml", '¨'), ("upsilon", 'υ'),
    ("uuml", 'ü'), ("verbar", '|'), ("vert", '|'), ("xi", 'ξ'), ("yacute", 'ý'), ("yen", '¥'),
    ("yuml", 'ÿ'), ("zeta", 'ζ'), ("zwj", '\u{200d}'), ("zwnj", '\u{200c}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted_by(|one, other| one.0 < other.0));
    }

    #[test]
    fn references_are_read() {
        for (text, read) in [
            ("&amp;b", Some((5, '&'))),
            ("&mdash; ", Some((7, '—'))),
            ("&#60;", Some((5, '<'))),
            ("&#x2192;", Some((8, '→'))),
            ("&nosuch;", None),
            ("& b;", None),
            ("&#0;", None),
            ("&#xD800;", None),
            ("&#99999999999;", None),
            ("&", None),
            ("&é;", None),
        ] {
            assert_eq!(decode(text), read, "{text}");
        }
    }
}

//! The colours of things that have a key: the same key, the same colour, in every picture and on every machine.
//!
//! Twelve hues around the circle, every other one darker, so that neighbours differ without colour too. Ink on them
//! has a contrast of at least 6.5 to 1, on light pages and on dark ones.

/// Light and dark.
const HUES: [(&str, &str); 12] = [
    ("#ffbcb5", "#713c38"),
    ("#ebae8d", "#5c3015"),
    ("#f2ca92", "#654617"),
    ("#cabf7f", "#463d00"),
    ("#bfdda2", "#3f5527"),
    ("#91cea6", "#14482b"),
    ("#8ee4d8", "#005a52"),
    ("#7acce0", "#004655"),
    ("#a2d8ff", "#265173"),
    ("#adbaf5", "#323964"),
    ("#e2c2fb", "#5a416c"),
    ("#e6a8ca", "#582c46"),
];
const NO_KEY: (&str, &str) = ("#d6dade", "#3a4148");

/// The attributes of a shape that has this key.
pub(super) fn fill_attributes(key: &str) -> String {
    if key.is_empty() {
        return format!("class=\"kn\" fill=\"{}\"", NO_KEY.0);
    }
    let hue = (hash(key) % HUES.len() as u64) as usize;
    format!("class=\"k{hue}\" fill=\"{}\"", HUES[hue].0)
}

/// The rules for dark pages.
pub(super) fn style_sheet() -> String {
    let rule = |(name, dark): (String, &str)| format!(".lotse-plot .k{name}{{fill:{dark}}}");
    let hues = HUES.iter().enumerate().map(|(i, (_, dark))| (i.to_string(), *dark));
    let rules: String = hues.chain([("n".to_owned(), NO_KEY.1)]).map(rule).collect();
    format!("@media (prefers-color-scheme:dark){{{rules}}}")
}

/// FNV-1a over the first bytes, its halves folded: stable over versions, which the standard hasher does not promise.
fn hash(key: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = key.bytes().take(1024).fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ (hash >> 32)) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::{HUES, fill_attributes, hash, style_sheet};

    #[test]
    fn a_key_keeps_its_colour() {
        assert_eq!(fill_attributes("libc.so.6"), fill_attributes("libc.so.6"));
        assert_eq!(fill_attributes(""), "class=\"kn\" fill=\"#d6dade\"");
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c_u64 >> 32 ^ 0x8601_ec8c);
    }

    #[test]
    fn keys_spread_over_the_colours() {
        let mut seen: Vec<String> = (0..200).map(|i| fill_attributes(&format!("lib{i}.so"))).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), HUES.len());
        assert_eq!(style_sheet().matches("fill:").count(), HUES.len() + 1);
    }
}

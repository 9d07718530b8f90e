//! Colours by key: the same key has the same colour in every picture and on every machine.
//!
//! Twelve hues around the colour circle, every other one darker, so that neighbours also differ in lightness. Text on them
//! has a contrast of at least 6.5 to 1, on light and on dark pages.

use std::collections::BTreeMap;

/// The colours for light and for dark pages.
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
/// The step to the next free hue: far around the circle, and coprime to its length.
const STEP: usize = 5;
const NO_KEY: (&str, &str) = ("#d6dade", "#3a4148");

/// The colours of a picture's keys.
pub(super) struct Palette<'a> {
    hues: BTreeMap<&'a str, usize>,
}

impl<'a> Palette<'a> {
    /// Assigns each key the hue of its hash, or the next free hue if that is taken. The result depends on the keys only, so
    /// that profiles of the same program have the same colours.
    pub(super) fn from_keys(keys: impl Iterator<Item = &'a str>) -> Self {
        let mut hues: BTreeMap<&str, usize> =
            keys.filter(|key| !key.is_empty()).map(|key| (key, 0)).collect();
        let mut free = [true; HUES.len()];
        for (key, hue) in &mut hues {
            let own = (hash(key) % HUES.len() as u64) as usize;
            let next = (0..HUES.len()).map(|step| (own + STEP * step) % HUES.len()).find(|&hue| free[hue]);
            *hue = next.unwrap_or(own);
            free[*hue] = false;
        }
        Self { hues }
    }

    /// The attributes of a shape with this key.
    pub(super) fn fill_attributes(&self, key: &str) -> String {
        match self.hues.get(key) {
            Some(&hue) => format!("class=\"k{hue}\" fill=\"{}\"", HUES[hue].0),
            None => format!("class=\"kn\" fill=\"{}\"", NO_KEY.0),
        }
    }
}

/// The style sheet for dark pages.
pub(super) fn style_sheet() -> String {
    let rule = |(name, dark): (String, &str)| format!(".lotse-plot .k{name}{{fill:{dark}}}");
    let hues = HUES.iter().enumerate().map(|(i, (_, dark))| (i.to_string(), *dark));
    let rules: String = hues.chain([("n".to_owned(), NO_KEY.1)]).map(rule).collect();
    format!("@media (prefers-color-scheme:dark){{{rules}}}")
}

/// FNV-1a over the first bytes, folded to 32 bits. Unlike the standard hasher it is stable across versions.
fn hash(key: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = key.bytes().take(1024).fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ (hash >> 32)) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::{HUES, Palette, hash, style_sheet};
    use std::collections::BTreeSet;

    #[test]
    fn a_key_keeps_its_colour() {
        let (one, two) = (["libc.so.6", "sort", ""], ["", "sort", "libc.so.6", "sort"]);
        let (one, two) = (Palette::from_keys(one.into_iter()), Palette::from_keys(two.into_iter()));
        assert_eq!(one.fill_attributes("libc.so.6"), two.fill_attributes("libc.so.6"));
        assert_eq!(one.fill_attributes(""), "class=\"kn\" fill=\"#d6dade\"");
        assert_eq!(hash("a"), (0xaf63_dc4c ^ 0x8601_ec8c));
    }

    #[test]
    fn keys_have_different_colours_as_long_as_there_are_any() {
        let keys: Vec<String> = (0..200).map(|i| format!("lib{i}.so")).collect();
        for count in [1, 5, HUES.len(), 200] {
            let palette = Palette::from_keys(keys[..count].iter().map(String::as_str));
            let seen: BTreeSet<String> =
                keys[..count].iter().map(|key| palette.fill_attributes(key)).collect();
            assert_eq!(seen.len(), count.min(HUES.len()));
        }
        assert_eq!(style_sheet().matches("fill:").count(), HUES.len() + 1);
    }
}

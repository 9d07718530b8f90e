//! Cuts texts between characters.

/// The last character boundary at or before a byte.
pub(super) fn boundary(text: &str, most: usize) -> usize {
    // `str::floor_char_boundary` needs a newer compiler than the oldest we support.
    let most = most.min(text.len());
    (0..=most).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::boundary;

    #[test]
    fn characters_stay_whole() {
        let cuts: Vec<usize> = (0..9).map(|most| boundary("aä€b", most)).collect();
        assert_eq!(cuts, [0, 1, 1, 3, 3, 3, 6, 7, 7]);
    }
}

//! Finds the names that a misspelt name may mean.

/// The largest number of suggestions.
const AT_MOST: usize = 5;

/// The names that differ from `name` in few letters or contain it, the nearest first.
pub(crate) fn near<'n>(names: impl Iterator<Item = &'n str>, name: &str) -> Vec<&'n str> {
    let allowed = (name.chars().count() / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = names
        .map(|known| (distance(known, name), known))
        .filter(|(distance, known)| *distance <= allowed || (name.len() > 2 && known.contains(name)))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(AT_MOST);
    near.into_iter().map(|(_, known)| known).collect()
}

/// The Levenshtein distance: how many letters have to be inserted, deleted or replaced. Only one row of the table of distances
/// between prefixes is kept; `diagonal` is the value up and left of the current one.
fn distance(one: &str, other: &str) -> usize {
    let wanted: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in wanted.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[wanted.len()]
}

#[cfg(test)]
mod tests {
    use super::near;

    const NAMES: [&str; 4] = ["late_sender", "late_receiver", "wait_at_barrier", "omp_wait_at_barrier"];

    #[test]
    fn few_letters_or_a_part_are_near() {
        for (name, expected) in [
            ("late_sendr", &["late_sender"][..]),
            ("barrier", &["wait_at_barrier", "omp_wait_at_barrier"]),
            ("late", &["late_sender", "late_receiver"]),
            ("quite_another", &[]),
            ("", &[]),
        ] {
            assert_eq!(near(NAMES.into_iter(), name), expected, "{name}");
        }
    }
}

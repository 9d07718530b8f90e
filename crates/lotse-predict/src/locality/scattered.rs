//! Misses of elements that data select.
//!
//! Where the source shows which elements can be selected, R lines of them, every one is taken to be as likely as another. Then
//! E accesses meet R (1 - exp(-E / R)) different lines, and a line that was met before is still in a cache of C lines with the
//! probability C / R at most. Data can do better (always the same element) and worse (never one that is still there), so the
//! bounds are given, too; where nothing is known about the elements there are only the bounds.

use std::collections::BTreeSet;

use super::classes::{ClassId, Classes};
use super::footprint::{collect, selectable};
use super::{LocalityError, Start};
use crate::concrete::{Instance, Touch};
use crate::count;
use crate::machine::Cache;

/// Share of a cache that scattered elements get beside stacks, code and the rest of the data.
const SHARE: f64 = 0.75;

/// Lines that are fetched for elements that data select.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScatteredMisses {
    /// If data always select the same element.
    pub least: f64,
    /// If all that can be selected is equally likely; `None` where that is not known.
    pub typical: Option<f64>,
    /// If data never select a line that is still there.
    pub most: f64,
}

/// The misses of one class; `regular` is the number of lines that the rest of the function fetches.
pub(super) fn scattered_misses(
    instance: &Instance<'_>,
    (classes, id): (&Classes, ClassId),
    cache: &Cache,
    (start, regular): (Start, f64),
) -> Result<ScatteredMisses, LocalityError> {
    let mut touches: Vec<&Touch> = Vec::new();
    collect(&instance.body, &mut |touch| {
        if classes.id_of(touch) == Some(id) {
            touches.push(touch);
        }
    });
    let mut seen = BTreeSet::new();
    let mut accesses = 0.0;
    for touch in &touches {
        if touch.scattered.as_ref().is_none_or(|scattered| seen.insert(scattered.element)) {
            accesses += count::points_of(instance, &touch.domain)?.number as f64;
        }
    }
    let lines = selectable(touches.into_iter()).map(|bytes| (bytes / cache.line as f64).ceil().max(1.0));
    // Streams that pass through the cache take places in proportion to their lines.
    let places = SHARE * cache.lines() as f64 * accesses / (accesses + regular).max(1.0);
    Ok(ScatteredMisses::new(accesses, lines, places, start))
}

impl ScatteredMisses {
    fn new(accesses: f64, lines: Option<f64>, places: f64, start: Start) -> Self {
        let first = |lines: f64| match start {
            Start::Cold => lines,
            Start::Warm => 0.0,
        };
        let least = first(accesses.min(1.0));
        let Some(lines) = lines else { return Self { least, typical: None, most: accesses } };
        let different = lines * (1.0 - (-accesses / lines).exp());
        let hit = (places / lines).min(1.0);
        if hit >= 1.0 {
            return Self { least, typical: Some(first(different)), most: first(lines.min(accesses)) };
        }
        let met = different * (1.0 - hit) + hit * first(different);
        let again = (accesses - different).max(0.0) * (1.0 - hit);
        Self { least, typical: Some(met + again), most: accesses }
    }
}

#[cfg(test)]
mod tests {
    use super::ScatteredMisses;
    use crate::locality::Start;

    /// A table that fits is fetched once, or not at all if it is there; one of twice the cache misses every other time.
    #[test]
    fn tables_that_fit_and_tables_that_do_not() {
        let small = |start| ScatteredMisses::new(1e6, Some(16.0), 500.0, start);
        assert_eq!(small(Start::Warm), ScatteredMisses { least: 0.0, typical: Some(0.0), most: 0.0 });
        let cold = small(Start::Cold);
        assert!((cold.typical.unwrap() - 16.0).abs() < 1e-6 && cold.most == 16.0 && cold.least == 1.0);
        let large = ScatteredMisses::new(1e6, Some(1000.0), 500.0, Start::Warm);
        assert!((large.typical.unwrap() / 5e5 - 1.0).abs() < 0.01, "{large:?}");
        assert_eq!((large.least, large.most), (0.0, 1e6));
        let unknown = ScatteredMisses::new(1e6, None, 500.0, Start::Warm);
        assert_eq!(unknown, ScatteredMisses { least: 0.0, typical: None, most: 1e6 });
    }

    /// Few accesses to a large table: nearly all are different.
    #[test]
    fn few_accesses_meet_different_lines() {
        let cold = ScatteredMisses::new(100.0, Some(1e6), 500.0, Start::Cold);
        assert!((cold.typical.unwrap() - 100.0).abs() < 0.1, "{cold:?}");
    }
}

//! The correction of a location's clock: offsets measured at some times, between them a straight line.
//!
//! As in the OTF2 library: one offset alone says nothing; before the first and after the last the nearest line goes
//! on; the part of the line is rounded to the nearest even. Other than there: times never go back, and end at 0.

use lotse_model::trace::Ticks;

/// From the ticks in the file to those of the whole trace.
#[derive(Debug, PartialEq)]
pub(super) struct Correction {
    lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    from: Ticks,
    offset: i64,
    slope: f64,
}

impl Correction {
    /// From offsets and the times at which they were measured; `None` where nothing is to be done.
    pub(super) fn of(mut offsets: Vec<(Ticks, i64)>) -> Option<Self> {
        offsets.sort_by_key(|it| it.0);
        offsets.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 = later.1;
            }
            same
        });
        if offsets.len() < 2 || offsets.iter().all(|it| it.1 == 0) {
            return None;
        }
        never_back(&mut offsets);
        let lines = offsets.windows(2).map(|two| Line::between(two[0], two[1])).collect();
        Some(Self { lines })
    }

    /// The corrected time.
    pub(super) fn apply(&self, at: Ticks) -> Ticks {
        let after = self.lines.partition_point(|it| it.from <= at);
        let line = &self.lines[after.saturating_sub(1)];
        let since = if at < line.from { -((line.from - at) as f64) } else { (at - line.from) as f64 };
        let moved = (line.slope * since).round_ties_even() as i64;
        at.saturating_add_signed(line.offset.saturating_add(moved))
    }
}

impl Line {
    fn between(one: (Ticks, i64), two: (Ticks, i64)) -> Self {
        let slope = (two.1 as f64 - one.1 as f64) / (two.0 - one.0) as f64;
        Self { from: one.0, offset: one.1, slope }
    }
}

/// Raises offsets so that no corrected time lies before that of an earlier one.
fn never_back(offsets: &mut [(Ticks, i64)]) {
    let mut least = i128::MIN;
    for (at, offset) in offsets {
        let corrected = (i128::from(*at) + i128::from(*offset)).max(least);
        *offset = i64::try_from(corrected - i128::from(*at)).unwrap_or(*offset);
        least = corrected;
    }
}

#[cfg(test)]
mod tests {
    use super::Correction;

    fn corrected(offsets: &[(u64, i64)], times: &[u64]) -> Vec<u64> {
        let correction = Correction::of(offsets.to_vec()).unwrap();
        times.iter().map(|&it| correction.apply(it)).collect()
    }

    /// What otf2-print 3.0.2 shows for an archive with these offsets and times.
    #[test]
    fn lines_between_offsets_are_those_of_the_library() {
        let times = [50, 99, 100, 101, 133, 150, 199, 200, 201, 250, 299, 300, 301, 350, 1000, 5000];
        assert_eq!(
            corrected(&[(100, 10), (200, 43)], &times),
            [44, 109, 110, 111, 154, 176, 242, 243, 244, 310, 375, 376, 377, 442, 1307, 6627]
        );
        assert_eq!(
            corrected(&[(100, 10), (200, 43), (300, -20)], &times),
            [44, 109, 110, 111, 154, 176, 242, 243, 243, 261, 280, 280, 280, 299, 539, 2019]
        );
    }

    #[test]
    fn one_offset_or_none_but_zero_says_nothing() {
        assert_eq!(Correction::of(vec![(100, 10)]), None);
        assert_eq!(Correction::of(vec![(100, 0), (200, 0)]), None);
        assert_eq!(Correction::of(Vec::new()), None);
    }

    #[test]
    fn times_never_go_back_nor_below_zero() {
        let times: Vec<u64> = (0..400).collect();
        let result = corrected(&[(100, 10), (150, -200), (150, -300), (300, 5)], &times);
        assert!(result.is_sorted(), "{result:?}");
        assert_eq!(corrected(&[(300, 5), (100, -100)], &[0, 100, 300]), [0, 0, 305]);
        let extremes = corrected(&[(0, i64::MIN), (u64::MAX, i64::MAX)], &[0, 1, u64::MAX]);
        assert!(extremes.is_sorted());
    }
}

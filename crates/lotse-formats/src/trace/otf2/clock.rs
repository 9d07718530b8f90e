//! Corrects the clock of a location by offsets measured at some times, with linear interpolation between them.
//!
//! ```text
//! offset   10 ────────── 43 ────────── -20
//! time     100           200           300
//!
//! time 150 is in the segment from 100 to 200: (43 - 10) / 100 * (150 - 100) = 16.5, rounded to 16;
//! its offset is 10 + 16 = 26, its corrected time 176
//! ```
//!
//! As in the OTF2 library, a single offset is ignored, the first and last segments are extrapolated, and the interpolated
//! part is rounded to the nearest even number. Unlike there, corrected times never go backwards nor below 0.

use lotse_model::trace::Ticks;

/// Converts ticks in the file to ticks of the whole trace.
#[derive(Debug, PartialEq)]
pub(super) struct ClockCorrection {
    segments: Vec<ClockSegment>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct ClockSegment {
    from: Ticks,
    offset: i64,
    slope: f64,
}

impl ClockCorrection {
    /// From times and the offsets measured then; `None` if there is nothing to correct.
    pub(super) fn from_offsets(mut offsets: Vec<(Ticks, i64)>) -> Option<Self> {
        offsets.sort_by_key(|it| it.0);
        offsets.dedup_by(|later, first| {
            let is_same_time = later.0 == first.0;
            if is_same_time {
                first.1 = later.1;
            }
            is_same_time
        });
        if offsets.len() < 2 || offsets.iter().all(|it| it.1 == 0) {
            return None;
        }
        make_monotonic(&mut offsets);
        let segments = offsets.windows(2).map(|pair| ClockSegment::between(pair[0], pair[1])).collect();
        Some(Self { segments })
    }

    /// The corrected time.
    pub(super) fn apply(&self, at: Ticks) -> Ticks {
        let after = self.segments.partition_point(|it| it.from <= at);
        let segment = &self.segments[after.saturating_sub(1)];
        let since =
            if at < segment.from { -((segment.from - at) as f64) } else { (at - segment.from) as f64 };
        let moved = (segment.slope * since).round_ties_even() as i64;
        at.saturating_add_signed(segment.offset.saturating_add(moved))
    }
}

impl ClockSegment {
    fn between(start: (Ticks, i64), end: (Ticks, i64)) -> Self {
        let slope = (end.1 as f64 - start.1 as f64) / (end.0 - start.0) as f64;
        Self { from: start.0, offset: start.1, slope }
    }
}

/// Increases offsets where necessary, so that corrected times do not go backwards.
fn make_monotonic(offsets: &mut [(Ticks, i64)]) {
    let mut least = i128::MIN;
    for (at, offset) in offsets {
        let corrected = (i128::from(*at) + i128::from(*offset)).max(least);
        *offset = i64::try_from(corrected - i128::from(*at)).unwrap_or(*offset);
        least = corrected;
    }
}

#[cfg(test)]
mod tests {
    use super::ClockCorrection;

    fn corrected(offsets: &[(u64, i64)], times: &[u64]) -> Vec<u64> {
        let correction = ClockCorrection::from_offsets(offsets.to_vec()).unwrap();
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
        assert_eq!(ClockCorrection::from_offsets(vec![(100, 10)]), None);
        assert_eq!(ClockCorrection::from_offsets(vec![(100, 0), (200, 0)]), None);
        assert_eq!(ClockCorrection::from_offsets(Vec::new()), None);
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

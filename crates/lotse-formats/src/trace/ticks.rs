//! Converts ticks of a trace's clock to nanoseconds.

use lotse_model::trace::{Clock, Ticks};

/// Nanoseconds since the beginning of the recording, rounded to the nearest.
pub(super) fn nanos_since_begin(clock: &Clock, at: Ticks) -> i128 {
    let ticks = i128::from(at) - i128::from(clock.offset);
    let resolution = i128::from(clock.resolution.max(1));
    (ticks * 1_000_000_000 + resolution / 2).div_euclid(resolution)
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::Clock;

    use super::nanos_since_begin;

    #[test]
    fn ticks_of_any_length_are_rounded_once() {
        let clock = |resolution, offset| Clock { resolution, offset, length: 0 };
        assert_eq!(nanos_since_begin(&clock(1_000_000_000, 0), u64::MAX), i128::from(u64::MAX));
        assert_eq!(nanos_since_begin(&clock(3, 1), 2), 333_333_333);
        assert_eq!(nanos_since_begin(&clock(3, 0), 2), 666_666_667);
        assert_eq!(nanos_since_begin(&clock(1_000_000, 10), 4), -6_000);
        assert_eq!(nanos_since_begin(&clock(0, 0), 1), 1_000_000_000);
    }
}

//! Marks of waiting times that are bounds, or that the clocks leave in doubt: "≈", "≤", "≥"; "" for exact times.

use lotse_model::id::{LocationId, PathId};
use lotse_model::progress::Checked as _;
use lotse_model::trace::Ticks;

use crate::analyze::Subject;
use crate::clock::Doubt;
use crate::metric::{Bound, Metric};
use crate::waits::Wait;

/// The mark of a time. Doubt takes precedence: where there may be no wait at all, it is no bound of one.
pub const fn mark(bound: Bound, is_doubtful: bool) -> &'static str {
    match bound {
        _ if is_doubtful => "≈",
        Bound::Exact => "",
        Bound::Lower => "≥",
        Bound::Upper => "≤",
    }
}

/// The mark of a sum of waits, of which `doubtful` is the part that the clocks leave in doubt.
pub const fn mark_of_sum(bound: Bound, doubtful: Ticks, sum: Ticks) -> &'static str {
    match sum {
        0 => "",
        // In doubt if most of it is.
        _ => mark(bound, doubtful > sum / 2),
    }
}

/// A wait that is shorter than the uncertainty of the clocks, or the part of it in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoubtfulWait {
    pub metric: &'static Metric,
    pub location: LocationId,
    pub path: PathId,
    pub ticks: Ticks,
}

impl Subject {
    /// The mark of a wait; "" for waiting of no known kind.
    pub fn mark_of_wait(&self, wait: &Wait) -> &'static str {
        let is_doubtful = self.correction.is_some() && self.doubt().is_doubtful(wait);
        wait.metric.map_or("", |metric| mark(metric.bound, is_doubtful))
    }

    /// The waits of a location that the clocks leave in doubt, clipped to a window.
    pub fn doubtful_waits(
        &self,
        location: LocationId,
        (from, to): (Ticks, Ticks),
    ) -> impl Iterator<Item = DoubtfulWait> {
        let doubt = self.doubt();
        let all = self.waits.by_location.get(location.index()).filter(|_| self.correction.is_some());
        all.into_iter().flatten().checked().filter(move |wait| doubt.is_doubtful(wait)).filter_map(
            move |wait| {
                Some(DoubtfulWait {
                    metric: wait.metric?,
                    location,
                    path: self.trace.path(wait.call),
                    ticks: wait.end.min(to).saturating_sub(wait.begin.max(from)),
                })
            },
        )
    }

    fn doubt(&self) -> Doubt<'_> {
        Doubt::new(&self.trace, self.correction.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;
    use lotse_model::trace::Ticks;
    use lotse_model::work::Sequential;

    use super::{mark, mark_of_sum};
    use crate::analyze::{Clocks, Options, Subject};
    use crate::fixture::Script;
    use crate::metric::Bound;

    fn subject(clock: Clocks) -> Subject {
        let options = Options { quick: true, clock, ..Options::usual("a trace") };
        Subject::new(Script::clocks_apart().trace(), &options, &Sequential).unwrap()
    }

    /// The time in doubt of both ranks in a window.
    fn doubtful(subject: &Subject, window: (Ticks, Ticks)) -> Ticks {
        let of =
            |rank| subject.doubtful_waits(LocationId(rank), window).map(|wait| wait.ticks).sum::<Ticks>();
        of(0) + of(1)
    }

    #[test]
    fn waits_shorter_than_the_uncertainty_of_the_clocks_are_marked() {
        let subject = subject(Clocks::Corrected);
        let marks = |subject: &Subject| -> Vec<&'static str> {
            subject.waits.by_location.iter().flatten().map(|wait| subject.mark_of_wait(wait)).collect()
        };
        assert!(!marks(&subject).is_empty() && marks(&subject).iter().all(|mark| *mark == "≈"));
        let all = doubtful(&subject, (0, Ticks::MAX));
        let middle = subject.trace.first_tick() + subject.trace.runtime() / 2;
        let halves = doubtful(&subject, (0, middle)) + doubtful(&subject, (middle, Ticks::MAX));
        assert_eq!(halves, all, "clipped to windows");
        let sum: Ticks = subject.waits.by_location.iter().flatten().map(|wait| wait.ticks()).sum();
        assert_eq!(all, sum);
    }

    #[test]
    fn without_a_correction_nothing_is_in_doubt() {
        let subject = subject(Clocks::Raw);
        assert_eq!(subject.doubtful_waits(LocationId(0), (0, Ticks::MAX)).count(), 0);
        assert!(subject.waits.by_location.iter().flatten().all(|wait| subject.mark_of_wait(wait) != "≈"));
    }

    #[test]
    fn doubt_takes_precedence_over_bounds() {
        let of = |bound| [mark(bound, false), mark(bound, true)];
        assert_eq!(
            [of(Bound::Exact), of(Bound::Lower), of(Bound::Upper)],
            [["", "≈"], ["≥", "≈"], ["≤", "≈"]]
        );
    }

    #[test]
    fn a_sum_is_in_doubt_if_most_of_it_is() {
        let of = |doubtful| mark_of_sum(Bound::Upper, doubtful, 10);
        assert_eq!([of(0), of(5), of(6), of(10)], ["≤", "≤", "≈", "≈"]);
        assert_eq!(mark_of_sum(Bound::Upper, 0, 0), "");
    }
}

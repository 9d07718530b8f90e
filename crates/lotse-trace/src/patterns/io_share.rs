//! Share of input and output: a thread spends much of its time with files.

use lotse_model::Rule;
use lotse_model::id::LocationId;
use lotse_model::rule::Threshold;
use lotse_model::trace::Ticks;

use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&IO_SHARE], search: Search::Locations(search) };

/// Time in input and output where its share is high.
static IO_SHARE: Metric = Metric::share("io_share", "input and output", Bound::Exact).may_be_well_spent();

static RULE: Rule = Rule {
    id: "io_share",
    version: 1,
    title: "input and output: much time goes into input and output",
    meaning: "A thread spends a large share of its time reading, writing, opening and closing files.",
    computation: "The exclusive time of all call paths of input and output of a location, if together they are more \
                  than `share` of its span. Exact; no wait, but time that is also counted elsewhere.",
    picture: "",
    example: "0.3 s in MPI_File_write and 0.1 s in MPI_File_open of 2 s: 20 %, above the limit, 0.4 s.",
    advice: "Write less often and in larger pieces, write with all processes together, move files to a faster place, \
             or let input and output overlap with computing.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.1,
        meaning: "share of a location's span above which its input and output is reported",
    }],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let trace = scene.part;
    let (timeline, uses) = (trace.timeline(location), &trace.uses[location.index()]);
    let io = || uses.iter().filter(|used| trace.class_of(used.path) == Class::Io);
    let total: Ticks = io().map(|used| used.exclusive).sum();
    let span = timeline.last - timeline.first;
    if total as f64 > scene.thresholds.get(&RULE, "share") * span as f64 {
        io().for_each(|used| collector.add_time(&IO_SHARE, location, used.path, used.exclusive));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn only_high_shares_are_reported() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").call(0, 100, 400, "MPI_File_write").call(0, 500, 600, "MPI_File_delete");
        script.leave(0, 2000, "main");
        script.enter(1, 0, "main").call(1, 100, 300, "MPI_File_write").leave(1, 2000, "main");
        let expected = [
            ("io_share", 0, "main/MPI_File_write".to_owned(), 300),
            ("io_share", 0, "main/MPI_File_delete".to_owned(), 100),
        ];
        assert_eq!(cube_rows(&script), expected);
    }
}

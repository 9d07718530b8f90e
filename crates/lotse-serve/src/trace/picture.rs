//! The picture of a part of the run.

use lotse_host::Threads;
use lotse_model::NoProgress;
use lotse_model::trace::Ticks;
use lotse_trace::chart::{ChartAnswer, ChartLane, View};
use lotse_trace::filter::Filter;

use super::{RegionRanks, TraceDocument};
use crate::api::{Problem, Timeline, TimelineLane, TimelineMessage, TimelinePiece, TimelineRegion};

/// A wider picture than any screen.
const MOST_COLUMNS: u32 = 8192;
/// More lanes than a screen has rows.
const MOST_LANES: usize = 1024;

impl TraceDocument {
    /// The chart of a part of the run. If lanes are merged, `lanes` is how many there may be of all locations; if not, how many
    /// are drawn from `first_lane` on.
    pub(super) fn timeline(&self, wanted: &Wanted) -> Result<Timeline, Problem> {
        let trace = &self.subject.trace;
        let usual = View::default();
        let lanes = wanted.lanes.clamp(1, MOST_LANES);
        let resolution = trace.definitions.clock.resolution as f64;
        let view = View {
            from: wanted.from.map_or(usual.from, |from| tick_before(from * resolution)),
            to: wanted.to.map_or(usual.to, |to| tick_after(to * resolution)),
            columns: wanted.columns.clamp(1, MOST_COLUMNS),
            lanes: if wanted.merge { lanes } else { usize::MAX },
            drawn: if wanted.merge {
                usual.drawn
            } else {
                wanted.first_lane..wanted.first_lane.saturating_add(lanes)
            },
        };
        if view.from >= view.to || view.from >= trace.runtime().max(1) {
            return Err(empty_window());
        }
        let mut silent = NoProgress;
        let workers = Threads::new("drawing", &mut silent);
        let first_lane = view.drawn.start;
        let (drawn, count) = self.index.chart((trace, &self.path), (view, &Filter::default()), &workers);
        let first_lane = first_lane.min(count - drawn.lanes.len());
        let table = wanted.table.then(|| self.timeline_table(&drawn, count));
        Ok(Timeline { lane_count: count, first_lane, table, ..timeline(drawn, self.runtime(), &self.ranks) })
    }
}

/// Seconds are not exact: a time that is so near to a whole tick, as a part of one, is that tick.
const NEARLY: f64 = 1e-3;

/// The last tick that is not after a time, so that a picture begins at the edge of its window.
fn tick_before(ticks: f64) -> Ticks {
    (ticks + NEARLY).floor().clamp(0.0, Ticks::MAX as f64) as Ticks
}

/// The first tick that is not before a time, so that a picture ends at the edge of its window.
fn tick_after(ticks: f64) -> Ticks {
    (ticks - NEARLY).ceil().clamp(0.0, Ticks::MAX as f64) as Ticks
}

/// Which part of the run is asked for, and how finely.
pub(super) struct Wanted {
    pub(super) from: Option<f64>,
    pub(super) to: Option<f64>,
    pub(super) columns: u32,
    pub(super) lanes: usize,
    pub(super) first_lane: usize,
    pub(super) merge: bool,
    pub(super) table: bool,
}

pub(super) fn empty_window() -> Problem {
    Problem::new("there is nothing to draw: the window is empty or after the end of the run")
}

/// A chart as columns, with what it does not show.
fn timeline(chart: ChartAnswer, runtime: f64, ranks: &RegionRanks) -> Timeline {
    let lane = |lane: ChartLane| TimelineLane {
        name: lane.name,
        locations: lane.locations,
        from: lane.spans.iter().map(|span| span.from).collect(),
        to: lane.spans.iter().map(|span| span.to).collect(),
        region: lane.spans.iter().map(|span| span.region).collect(),
        waits: lane.waits.iter().map(|span| (span.from, span.to)).collect(),
    };
    let drawn: u64 = chart.messages.iter().map(|message| message.count).sum();
    let hidden = match chart.message_count.saturating_sub(drawn) {
        0 => String::new(),
        more => format!("{more} of {} messages are not drawn", chart.message_count),
    };
    Timeline {
        begin: chart.begin,
        end: chart.end,
        runtime,
        columns: chart.columns,
        lane_count: chart.lanes.len(),
        first_lane: 0,
        regions: chart
            .regions
            .into_iter()
            .map(|region| TimelineRegion {
                rank: ranks.rank(&region.name),
                class: region.class.to_owned(),
                name: region.name,
            })
            .collect(),
        lanes: chart.lanes.into_iter().map(lane).collect(),
        messages: chart
            .messages
            .into_iter()
            .map(|message| TimelineMessage {
                from_lane: message.from_lane,
                to_lane: message.to_lane,
                sent: message.sent,
                received: message.received,
                count: message.count as f64,
            })
            .collect(),
        message_count: chart.message_count as f64,
        hidden,
        critical_path: chart
            .critical_path
            .into_iter()
            .map(|piece| TimelinePiece { lane: piece.lane, from: piece.from, to: piece.to })
            .collect(),
        table: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{tick_after, tick_before};

    #[test]
    fn whole_ticks_cover_a_window_of_fractions() {
        assert_eq!((tick_before(7.7), tick_after(8.4)), (7, 9));
        assert_eq!((tick_before(-0.5), tick_after(-0.5)), (0, 0));
    }

    #[test]
    fn a_window_of_whole_ticks_stays_as_it_is() {
        let (from, to) = (0.1 * 3.0 * 1e9, 1.1 * 3.0 * 1e9);
        assert_eq!((tick_before(from), tick_after(to)), (300_000_000, 3_300_000_000));
    }
}

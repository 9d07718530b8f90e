//! A run as a picture over time: lanes of locations, regions as colours, waits, messages and the critical path.
//!
//! The requested time is divided into equal columns, and a lane shows in each column the region that took most of its
//! time there. The size of a chart thus depends on its columns and lanes only, not on the number of events; a part of the
//! run is shown in more detail by requesting that part.
//!
//! ```text
//!  column    0    1    2    3    4    5    6    7    8    9
//!  rank 0  | work . . . . . . . . . . . . . . | main|         the path is on rank 0 up to column 7,
//!  rank 1  | work . . . .|/////// wait ///////| work . . .|   then on rank 1
//! ```

use std::ops::Range;

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::RegionId;
use lotse_model::trace::Ticks;
use lotse_model::work;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::critical::CriticalPath;
use crate::filter::Filter;
use crate::store::{OpRef, Trace};
use crate::waits::Waits;

mod cells;
mod columns;
mod index;
mod lanes;
mod messages;
mod path;
mod steps;
#[cfg(test)]
mod tests;

pub use index::ChartIndex;

use columns::Columns;
use lanes::Lane;
use messages::Rows;

/// At most this many lines are drawn for messages, because more would hide the chart; those that took longest are kept.
const MOST_MESSAGES: usize = 1000;

/// `lotse trace timeline --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartAnswer {
    /// `lotse.trace.timeline/1`.
    pub schema: &'static str,
    /// Where the chart begins, in seconds after the first event of the run.
    pub begin: f64,
    /// Where it ends, in seconds after the first event of the run.
    pub end: f64,
    /// Number of equal parts of that time. Columns are counted from 0; a span ends before its column `to`.
    pub columns: u32,
    /// The regions that fill cells of the lanes, those with the most cells first.
    pub regions: Vec<ChartRegion>,
    /// Locations, or groups of neighbours where there are many.
    pub lanes: Vec<ChartLane>,
    /// Messages that begin or end in this time; one stands for all between the same lanes and columns.
    pub messages: Vec<ChartMessage>,
    /// How many messages there are in this time.
    pub message_count: u64,
    /// Time that the filter hides; null without a filter.
    pub hidden: Option<ChartHidden>,
    /// The lane that the critical path is on, in the order of time.
    pub critical_path: Vec<ChartPiece>,
}

/// Time in regions that a filter hides.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartHidden {
    /// The filter, as command-line options.
    pub by: String,
    /// The hidden time, of all locations.
    pub seconds: f64,
}

/// A region in a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartRegion {
    /// Its name, as recorded.
    pub name: String,
    /// Its class in the time tree.
    pub class: &'static str,
    /// Number of cells in which it takes most of the time.
    pub cells: u64,
}

/// A row of a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartLane {
    /// The label of its location, or of its first and last.
    pub name: String,
    /// The locations that it shows.
    pub locations: Vec<u32>,
    /// The region that took most of the time, by columns.
    pub spans: Vec<ChartSpan>,
    /// Columns in which at least half of the time was waiting.
    pub waits: Vec<ChartColumns>,
}

/// Neighbouring columns in which one region took most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartSpan {
    /// The first column.
    pub from: u32,
    /// The column after the last.
    pub to: u32,
    /// The position of the region in `regions`.
    pub region: u32,
}

/// Neighbouring columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartColumns {
    /// The first column.
    pub from: u32,
    /// The column after the last.
    pub to: u32,
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartMessage {
    /// The sender's lane.
    pub from_lane: u32,
    /// The receiver's lane.
    pub to_lane: u32,
    /// The time of sending, in seconds after the first event of the run.
    pub sent: f64,
    /// The time of receiving, in seconds after the first event of the run.
    pub received: f64,
    /// How many messages it stands for.
    pub count: u64,
    /// The send of the first of them.
    #[serde(skip)]
    pub send: OpRef,
}

/// A part of the critical path on one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChartPiece {
    /// The lane.
    pub lane: u32,
    /// The first column.
    pub from: u32,
    /// The column after the last.
    pub to: u32,
}

/// What a chart shows, and how finely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Begin, in ticks after the first event.
    pub from: Ticks,
    /// End, in ticks after the first event; the end of the run if that is earlier.
    pub to: Ticks,
    /// Number of equal parts of that time.
    pub columns: u32,
    /// More locations than this are drawn in groups.
    pub lanes: usize,
    /// The lanes to draw; the others have no cells, and messages between them are left out.
    pub drawn: Range<usize>,
}

impl Default for View {
    /// The whole run, with as many columns as a wide picture shows.
    fn default() -> Self {
        Self { from: 0, to: Ticks::MAX, columns: 1000, lanes: 200, drawn: 0..usize::MAX }
    }
}

/// Computes the chart of a run. Several charts of the same run are faster with a [`ChartIndex`].
pub fn chart(
    trace: &Trace,
    waits: &Waits,
    path: &CriticalPath,
    (view, filter): (View, &Filter),
    workers: &dyn Workers,
) -> ChartAnswer {
    ChartIndex::new(trace, waits, workers).chart((trace, path), (view, filter), workers).0
}

impl ChartIndex {
    /// The chart of a part of the run, and the number of all its lanes. Lanes are numbered from the first of all, also where
    /// only some are drawn.
    pub fn chart(
        &self,
        (trace, path): (&Trace, &CriticalPath),
        (view, filter): (View, &Filter),
        workers: &dyn Workers,
    ) -> (ChartAnswer, usize) {
        let columns = Columns::new(trace, &view);
        let lanes = lanes::lanes(self, view.lanes);
        let last = view.drawn.end.min(lanes.len());
        let range = view.drawn.start.min(last)..last;
        let drawn = filter.drawn(trace);
        let shown = &lanes[range.clone()];
        let cells =
            work::map(workers, shown.len(), |at| cells::cells((trace, &drawn), self, &columns, &shown[at]));
        let hidden = cells.iter().map(|cells| cells.hidden).fold(0, Ticks::saturating_add);
        let regions = lanes::seen(trace, &cells);
        let of_location = lanes::rows(trace, &lanes);
        let rows = Rows { lanes: &lanes, drawn: &range, of_location: &of_location };
        let (messages, message_count) = messages::messages(trace, self, &columns, rows, workers);
        let numbers: HashMap<RegionId, u32> =
            regions.iter().zip(0..).map(|(seen, number)| (seen.region, number)).collect();
        let origin = trace.first_tick();
        let answer = ChartAnswer {
            schema: "lotse.trace.timeline/1",
            begin: trace.seconds(columns.begin() - origin),
            end: trace.seconds(columns.end() - origin),
            columns: columns.count(),
            lanes: shown.iter().zip(&cells).map(|(lane, cells)| answer(lane, cells, &numbers)).collect(),
            regions: regions.iter().map(|seen| seen.answer(trace)).collect(),
            messages,
            message_count,
            hidden: (!filter.is_empty())
                .then(|| ChartHidden { by: filter.options(), seconds: trace.seconds(hidden) }),
            critical_path: path::pieces(path, &columns, &of_location),
        };
        (answer, lanes.len())
    }
}

/// A lane of the answer; `numbers` maps regions to their positions in the answer.
fn answer(lane: &Lane, cells: &cells::Cells, numbers: &HashMap<RegionId, u32>) -> ChartLane {
    let spans = columns::equal_neighbours(&cells.regions);
    let spans =
        spans.filter_map(|(from, to, region)| Some(ChartSpan { from, to, region: *numbers.get(&region?)? }));
    let waits = columns::equal_neighbours(&cells.waits).filter(|span| span.2);
    ChartLane {
        name: lane.name.clone(),
        locations: lane.locations.iter().map(|location| location.0).collect(),
        spans: spans.collect(),
        waits: waits.map(|(from, to, _)| ChartColumns { from, to }).collect(),
    }
}

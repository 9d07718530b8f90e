//! Results over months: one series for each program, metric and machine, with its changes of level.

mod answer;
mod change;
mod keep;
mod points;
mod report;
mod series;

pub use answer::{Change, Drifting, HistoryAnswer, Kept, SCHEMA, SeriesAnswer, SeriesPoint};
pub use keep::{KeptDetails, new_result, result_file, unsaved_entry};
pub use points::{COMMIT, points};
pub use report::{full, summary, table};
pub use series::{HistoryQuery, analyse};
pub(crate) use series::{Series, SeriesResult};

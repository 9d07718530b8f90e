//! Questions about one place of a run: what happens on a location at a time, how time is spent in a window, and which wait
//! comes next.

mod example;
mod jump;
mod moment;
mod statistics;
#[cfg(test)]
mod tests;
mod window;

pub use example::longest_wait_for;
pub use jump::{FoundWait, Order, WaitQuery, find_wait};
pub use moment::{MessageEvent, Moment, OpenCall, StepEvent, moment};
pub use statistics::{Statistics, TimeRow, region_times, wait_times, without_place};
pub use window::{PathInterval, SomeRows, path_intervals, wait_for_message, waits_within};

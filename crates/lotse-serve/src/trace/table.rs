//! The messages, the critical path and the waits of a time-line as rows.
//!
//! Messages are those that the picture draws, and belong to the drawn lanes, as the waits do. The critical path is that of all lanes.

use lotse_model::id::LocationId;
use lotse_trace::chart::{ChartAnswer, ChartMessage};
use lotse_trace::inspect::{
    PathInterval, SomeRows, path_intervals, wait_for_message, waits_within, without_place,
};
use lotse_trace::store::OUTSIDE;

use super::TraceDocument;
use crate::api::{MessageRow, PathRow, TimelineTable};

/// More rows of a kind than anybody reads.
const MOST_ROWS: usize = 500;

impl TraceDocument {
    /// The rows of a chart; `lanes` is the number of all lanes.
    pub(super) fn timeline_table(&self, chart: &ChartAnswer, lanes: usize) -> TimelineTable {
        let window = (self.time(chart.begin), self.time(chart.end));
        let mut locations: Vec<LocationId> =
            chart.lanes.iter().flat_map(|lane| lane.locations.iter().map(|&it| LocationId(it))).collect();
        locations.sort_unstable();
        let path = path_intervals(&self.subject.trace, &self.path, window, MOST_ROWS);
        let waits = waits_within(&self.subject.waits, &locations, window, MOST_ROWS);
        let drawn = &chart.messages[..chart.messages.len().min(MOST_ROWS)];
        let of = of_lanes(chart, lanes);
        TimelineTable {
            messages: drawn.iter().map(|message| self.message_row(message)).collect(),
            messages_listed: messages_listed(drawn, chart.message_count) + &of,
            path_listed: rows_listed(&path, "intervals of the critical path"),
            path: path.rows.iter().map(|interval| self.interval_row(interval)).collect(),
            waits_listed: rows_listed(&waits, "waits") + &of + &self.unplaced(&locations),
            waits: waits.rows.iter().map(|wait| self.wait_row(wait)).collect(),
        }
    }

    /// A drawn line, with the wait that its first message caused.
    fn message_row(&self, message: &ChartMessage) -> MessageRow {
        let trace = &self.subject.trace;
        let send = message.send;
        let receive = trace.links.partner(send);
        let wait = wait_for_message(trace, &self.subject.waits, send);
        let label = |location: LocationId| self.index.label(location).to_owned();
        MessageRow {
            count: message.count as f64,
            sender: label(send.location),
            receiver: receive.map_or_else(String::new, |receive| label(receive.location)),
            sent: self.exact_at(trace.op(send).at),
            received: self.exact_at(receive.map_or(0, |receive| trace.op(receive).at)),
            late: match wait {
                Some(wait) if wait.call.location == send.location => "receiver",
                Some(_) => "sender",
                None => "",
            },
            waited: wait.map(|wait| self.exact(wait.ticks())),
            mark: wait.map_or("", |wait| self.subject.mark_of_wait(&wait)),
        }
    }

    fn interval_row(&self, interval: &PathInterval) -> PathRow {
        let region = interval.region.map_or(OUTSIDE, |region| self.subject.trace.region_name(region));
        PathRow {
            location: self.index.label(interval.location).to_owned(),
            region: region.to_owned(),
            begin: self.exact_at(interval.from),
            duration: self.exact(interval.to - interval.from),
        }
    }

    /// Names the kinds of waiting whose waits cannot be listed, because only their sums are known.
    fn unplaced(&self, locations: &[LocationId]) -> String {
        let titles: Vec<&str> =
            without_place(&self.subject.waits, locations).iter().map(|metric| metric.title).collect();
        match titles.is_empty() {
            true => String::new(),
            false => format!("; not all times are known of: {}", titles.join(", ")),
        }
    }
}

/// Which rows are listed: "12 waits", "the 500 longest of 1234 waits".
fn rows_listed<T>(rows: &SomeRows<T>, items: &str) -> String {
    let shown = rows.rows.len();
    match rows.are_longest {
        _ if shown == rows.count => format!("{shown} {items}"),
        true => format!("the {shown} longest of {} {items}", rows.count),
        false => format!("the first {shown} of at most {} {items}: zoom in for later ones", rows.count),
    }
}

/// Which messages are listed. Each row is a line of the picture, which may stand for several.
fn messages_listed(drawn: &[ChartMessage], count: u64) -> String {
    let listed: u64 = drawn.iter().map(|message| message.count).sum();
    let joined = match drawn.len() {
        rows if rows as u64 == listed => String::new(),
        1 => " in one row".to_owned(),
        rows => format!(" in {rows} rows"),
    };
    match listed == count {
        true => format!("{count} messages{joined}"),
        false => format!("the {listed} of {count} messages that took longest{joined}"),
    }
}

/// Which lanes the messages and waits belong to; empty for all.
fn of_lanes(chart: &ChartAnswer, lanes: usize) -> String {
    match chart.lanes.as_slice() {
        [first, .., last] if chart.lanes.len() < lanes => {
            format!(" of {} lanes of {lanes}, {} to {}", chart.lanes.len(), first.name, last.name)
        }
        [only] if lanes > 1 => format!(" of the lane {}, one of {lanes}", only.name),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;
    use lotse_trace::chart::ChartMessage;
    use lotse_trace::inspect::SomeRows;
    use lotse_trace::store::OpRef;

    use super::{messages_listed, rows_listed};

    #[test]
    fn texts_say_what_is_left_out() {
        let listed =
            |count, are_longest| rows_listed(&SomeRows { rows: vec![(); 3], count, are_longest }, "waits");
        assert_eq!(listed(3, true), "3 waits");
        assert_eq!(listed(9, true), "the 3 longest of 9 waits");
        assert_eq!(listed(9, false), "the first 3 of at most 9 waits: zoom in for later ones");
        let send = OpRef { location: LocationId(0), op: 0 };
        let message =
            |count| ChartMessage { from_lane: 0, to_lane: 1, sent: 0.0, received: 1.0, count, send };
        assert_eq!(messages_listed(&[message(1), message(1)], 2), "2 messages");
        assert_eq!(messages_listed(&[message(4), message(1)], 5), "5 messages in 2 rows");
        assert_eq!(messages_listed(&[message(4)], 50), "the 4 of 50 messages that took longest in one row");
    }
}

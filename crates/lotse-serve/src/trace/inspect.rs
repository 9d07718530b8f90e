//! What a location does at a time, and which wait comes next.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
use lotse_trace::inspect::{MessageEvent, OpenCall, StepEvent, WaitQuery, find_wait, moment};
use lotse_trace::waits::Wait;

use super::TraceDocument;
use crate::api::{ExactTime, MomentAnswer, MomentEvent, NextWaitAnswer, OpenCallRow, Problem, WaitRow};

/// Which wait is asked for.
pub(super) struct WaitQuestion<'q> {
    /// Begin of the present wait, its end and location; only a time if there is none.
    pub(super) from: (f64, Option<f64>, Option<u32>),
    pub(super) backward: bool,
    pub(super) location: Option<u32>,
    pub(super) metric: Option<&'q str>,
    pub(super) least: f64,
}

impl TraceDocument {
    /// The open calls of a location at a time, the events around it, and what it waits for.
    pub(super) fn moment(&self, location: u32, at: f64) -> Result<MomentAnswer, Problem> {
        let location = self.location(location)?;
        let time = self.time(at).min(self.subject.trace.last_tick());
        let now = moment((&self.subject.trace, &self.subject.waits), &self.index, location, time);
        let mut events: Vec<(Ticks, MomentEvent)> = Vec::new();
        events.extend(now.before.iter().chain(&now.after).map(|event| (event.at, self.step_event(event))));
        events.extend(now.messages.iter().map(|event| (event.at, self.message_event(event))));
        events.sort_by_key(|event| event.0);
        Ok(MomentAnswer {
            location: location.0,
            name: self.index.label(location).to_owned(),
            at: self.exact_at(time),
            stack: now.stack.iter().map(|call| self.open_call(call)).collect(),
            events: events.into_iter().map(|event| event.1).collect(),
            waits: now.waits.iter().map(|wait| self.wait_row(wait)).collect(),
        })
    }

    /// The next or previous wait in the order of time.
    pub(super) fn next_wait(&self, question: &WaitQuestion<'_>) -> Result<NextWaitAnswer, Problem> {
        let (begin, end, at) = question.from;
        // Without a wait to start from, one that begins at that very time comes next, and none of that time before.
        let place = match (end, at) {
            (Some(end), Some(at)) => (self.time(begin), LocationId(at), self.time(end)),
            _ => (self.time(begin), LocationId(0), 0),
        };
        let query = WaitQuery {
            from: place,
            backward: question.backward,
            location: question.location.map(|number| self.location(number)).transpose()?,
            metric: question.metric,
            least: self.ticks(question.least),
        };
        let found = find_wait(&self.subject.waits, &query);
        let place = |wait: &Wait| (wait.call.location, wait.begin, wait.end);
        Ok(NextWaitAnswer {
            window: found.map(|found| self.window(place(&found.wait))),
            number: found.map_or(0, |found| found.before + 1),
            count: found.map_or(0, |found| found.count),
            wait: found.map(|found| self.wait_row(&found.wait)),
        })
    }

    /// A location that has a lane.
    pub(super) fn location(&self, number: u32) -> Result<LocationId, Problem> {
        let known = self.index.locations().iter().find(|location| location.0 == number);
        known.copied().ok_or_else(|| Problem::new(format!("the trace has no events of a location {number}")))
    }

    fn open_call(&self, call: &OpenCall) -> OpenCallRow {
        let trace = &self.subject.trace;
        OpenCallRow {
            name: trace.region_name(trace.paths.region(call.path)).to_owned(),
            class: trace.class_of(call.path).id().to_owned(),
            entered: self.exact_at(call.entered),
            left: call.left.map(|left| self.exact_at(left)),
            duration: call.left.map(|left| self.exact(left - call.entered)),
        }
    }

    fn step_event(&self, event: &StepEvent) -> MomentEvent {
        MomentEvent {
            kind: if event.is_enter { "enter" } else { "leave" },
            at: self.exact_at(event.at),
            what: self.subject.trace.region_name(event.region).to_owned(),
            partner_at: None,
            duration: None,
            bytes: None,
        }
    }

    fn message_event(&self, event: &MessageEvent) -> MomentEvent {
        let (send, receive) = match event.partner {
            Some((_, other)) if event.is_send => (event.at, other),
            Some((_, other)) => (other, event.at),
            None => (0, 0),
        };
        MomentEvent {
            kind: if event.is_send { "send" } else { "receive" },
            at: self.exact_at(event.at),
            what: event.partner.map_or_else(
                || "a location that is not recorded".to_owned(),
                |(location, _)| self.index.label(location).to_owned(),
            ),
            partner_at: event.partner.map(|(_, at)| self.exact_at(at)),
            // Clocks that are wrong can have a message received before it is sent.
            duration: event.partner.and_then(|_| receive.checked_sub(send)).map(|ticks| self.exact(ticks)),
            bytes: Some(event.length as f64),
        }
    }

    pub(super) fn wait_row(&self, wait: &Wait) -> WaitRow {
        let trace = &self.subject.trace;
        let location = wait.call.location;
        WaitRow {
            bar: self.bar((location, wait.begin, wait.end)),
            name: self.index.label(location).to_owned(),
            metric: wait.metric.map_or("", |metric| metric.id).to_owned(),
            title: wait.metric.map_or("", |metric| metric.title).to_owned(),
            path: trace.path_name(trace.path(wait.call)),
            begin: self.exact_at(wait.begin),
            end: self.exact_at(wait.end),
            duration: self.exact(wait.ticks()),
            mark: self.subject.mark_of_wait(wait),
            cause: wait.cause.map(|cause| self.index.label(cause.location).to_owned()),
        }
    }

    /// A time of the trace, counted from the first event.
    pub(super) fn exact_at(&self, time: Ticks) -> ExactTime {
        self.exact(time.saturating_sub(self.subject.trace.first_tick()))
    }

    pub(super) fn exact(&self, ticks: Ticks) -> ExactTime {
        let text = exact_seconds(ticks, self.subject.trace.definitions.clock.resolution);
        ExactTime { seconds: self.subject.trace.seconds(ticks), text }
    }
}

/// A number of ticks in seconds, with as many digits as tell two ticks apart.
fn exact_seconds(ticks: Ticks, resolution: u64) -> String {
    let resolution = u128::from(resolution.max(1));
    let (mut digits, mut scale) = (0, 1_u128);
    while scale < resolution {
        (digits, scale) = (digits + 1, scale * 10);
    }
    let scaled = (u128::from(ticks) * scale + resolution / 2) / resolution;
    match digits {
        0 => format!("{scaled} s"),
        _ => format!("{}.{:0digits$} s", scaled / scale, scaled % scale),
    }
}

#[cfg(test)]
mod tests {
    use super::exact_seconds;

    #[test]
    fn times_have_all_digits_of_the_clock() {
        assert_eq!(exact_seconds(1_234_567_890_123, 1_000_000_000), "1234.567890123 s");
        assert_eq!(exact_seconds(5, 1_000_000_000), "0.000000005 s");
        assert_eq!(exact_seconds(7, 1), "7 s");
        assert_eq!(exact_seconds(1, 3), "0.3 s");
        assert_eq!(exact_seconds(u64::MAX, 1_000_000_000), "18446744073.709551615 s");
        assert_eq!(exact_seconds(3, 0), "3 s");
    }
}

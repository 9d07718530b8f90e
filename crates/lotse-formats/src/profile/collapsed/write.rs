//! Writes the default event type as collapsed stacks. Equal stacks are added up, in the order of their first sample.

use std::io::{self, Write as _};

use hashbrown::HashMap;
use lotse_model::bytes::Sink;
use lotse_model::id::StackId;
use lotse_model::profile::EventType;
use lotse_model::{Profile, Unit};

use crate::error::Place;
use crate::reading::Diagnostic;
use crate::write::{Naming, Needs, Writer};

pub(crate) const WRITER: Writer = Writer {
    id: "collapsed",
    title: "collapsed stacks",
    extension: "collapsed",
    needs: Needs::Stacks,
    names: Naming::Distinct,
    write,
};

/// The name written for a stack without any name.
const UNKNOWN: &str = "[unknown]";

fn write(profile: &Profile, sink: &mut dyn Sink) -> io::Result<Vec<Diagnostic>> {
    let mut text = Vec::new();
    let (stacks, sums) = sums(profile);
    let mut names = EscapedNames { profile, changed: 0 };
    for (stack, sum) in stacks.iter().zip(sums) {
        let mut frames: Vec<_> = profile.stacks.frames(*stack).collect();
        frames.reverse();
        let frames: Vec<String> =
            frames.into_iter().map(|frame| names.escaped(profile.frames.function[frame.index()])).collect();
        let mut line = frames.join(";");
        if line.trim().is_empty() {
            line = UNKNOWN.to_owned();
        }
        writeln!(text, "{line} {}", number(sum, profile.events.get(event(profile))))?;
    }
    sink.put(&text)?;
    Ok(missing(profile, names.changed))
}

/// The index of the event type that is written.
fn event(profile: &Profile) -> usize {
    profile.default_event.unwrap_or(0)
}

/// The stacks in the order of their first sample, and the sum of each.
fn sums(profile: &Profile) -> (Vec<Option<StackId>>, Vec<i128>) {
    let (mut stacks, mut sums) = (Vec::new(), Vec::new());
    let mut rows: HashMap<Option<StackId>, usize> = HashMap::new();
    for part in profile.parts.iter().filter(|part| part.selected) {
        for (row, &stack) in part.samples.stack.iter().enumerate() {
            let cost =
                if profile.events.is_empty() { 1 } else { part.samples.costs.value(row, event(profile)) };
            let at = *rows.entry(stack).or_insert_with(|| {
                stacks.push(stack);
                sums.push(0);
                sums.len() - 1
            });
            sums[at] += cost;
        }
    }
    (stacks, sums)
}

/// A number without a unit is written with its fraction; a time as a count of its unit, as is usual.
fn number(sum: i128, event: Option<&EventType>) -> String {
    let digits = event.filter(|event| event.unit == Unit::Number && event.exponent < 0);
    let digits = digits.map_or(0, |event| usize::from(event.exponent.unsigned_abs()));
    if digits == 0 {
        return sum.to_string();
    }
    let sign = if sum < 0 { "-" } else { "" };
    let all = format!("{:0>1$}", sum.unsigned_abs(), digits + 1);
    let (whole, fraction) = all.split_at(all.len() - digits);
    format!("{sign}{whole}.{fraction}")
}

/// The names of functions, and how many had to be changed.
struct EscapedNames<'a> {
    profile: &'a Profile,
    changed: u64,
}

impl EscapedNames<'_> {
    /// The name without `;` and line ends, which would end the frame or the line.
    fn escaped(&mut self, function: lotse_model::id::FunctionId) -> String {
        let name = self.profile.function_name(function);
        if !name.contains([';', '\n', '\r']) {
            return name.to_owned();
        }
        self.changed += 1;
        name.replace(';', ":").replace(['\n', '\r'], " ")
    }
}

fn missing(profile: &Profile, changed: u64) -> Vec<Diagnostic> {
    let mut missing = Vec::new();
    let mut report = |holds: bool, message: String| {
        missing.extend(holds.then(|| Diagnostic::loss(Place::Whole, message)));
    };
    let names: Vec<&str> = profile.events.iter().map(|event| event.name.as_str()).collect();
    if let Some(written) = names.get(event(profile)) {
        let others: Vec<&str> = names.iter().copied().filter(|name| name != written).collect();
        let message = format!("only {written} is written; {} are left out", others.join(", "));
        report(!others.is_empty(), message);
    }
    let parts = profile.parts.len();
    report(parts > 1, format!("{parts} parts are added up"));
    report(changed > 0, format!("{changed} names have a `;` or a line end, which is replaced"));
    missing
}

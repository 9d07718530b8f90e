//! Writes stack samples as speedscope's JSON: a `sampled` profile per part and event type.

use std::io;

use hashbrown::HashMap;
use lotse_model::bytes::Sink;
use lotse_model::id::{FrameId, StackId};
use lotse_model::profile::{EventType, Part};
use lotse_model::{Profile, Unit};
use serde_json::{Value, json};

use super::SCHEMA;
use crate::error::Place;
use crate::reading::Diagnostic;

/// Writes a profile per part and event type with costs; a part without costs has one for the first event type.
pub(super) fn write(profile: &Profile, sink: &mut dyn Sink) -> io::Result<Vec<Diagnostic>> {
    let mut frames = WrittenFrames { profile, rows: HashMap::new(), texts: Vec::new() };
    let mut profiles = Vec::new();
    let mut active = None;
    for part in profile.parts.iter().filter(|part| !part.samples.is_empty()) {
        let samples = samples(part, &mut frames);
        let events = profile.events.iter().enumerate();
        let has_costs =
            |event: usize| (0..part.samples.len()).any(|row| part.samples.costs.value(row, event) != 0);
        let mut chosen: Vec<(usize, &EventType)> =
            events.clone().filter(|(event, _)| has_costs(*event)).collect();
        if chosen.is_empty() {
            chosen = events.take(1).collect();
        }
        let default = chosen.iter().position(|(event, _)| Some(*event) == profile.default_event);
        active = active.or(default.map(|at| profiles.len() + at));
        profiles.extend(chosen.into_iter().map(|(event, kind)| sampled(part, event, kind, &samples)));
    }
    let (frames, profiles) = (frames.texts.join(",\n"), profiles.join(",\n"));
    let active = active.map_or_else(String::new, |at| format!("\"activeProfileIndex\":{at},"));
    let head = format!(
        "{{\"$schema\":{},\"exporter\":\"lotse {}\",{active}",
        Value::from(SCHEMA),
        env!("CARGO_PKG_VERSION")
    );
    sink.put(
        format!("{head}\"shared\":{{\"frames\":[\n{frames}\n]}},\"profiles\":[\n{profiles}\n]}}\n")
            .as_bytes(),
    )?;
    Ok(left_out(profile))
}

/// The frames written, in the order of their first use.
struct WrittenFrames<'a> {
    profile: &'a Profile,
    rows: HashMap<FrameId, usize>,
    texts: Vec<String>,
}

impl WrittenFrames<'_> {
    fn row(&mut self, id: FrameId) -> usize {
        let (profile, texts) = (self.profile, &mut self.texts);
        *self.rows.entry(id).or_insert_with(|| {
            texts.push(frame(profile, id));
            texts.len() - 1
        })
    }
}

/// A frame as JSON, with the place of the definition in keys of our own.
fn frame(profile: &Profile, id: FrameId) -> String {
    let frame = profile.frames.get(id);
    let mut text = json!({ "name": profile.function_name(frame.function) });
    if let Some(file) = profile.function_file(frame.function) {
        text["file"] = file.into();
    }
    // The line is in the file of the frame, which may differ from that of the function for inlined code.
    if frame.line > 0 && frame.file == profile.functions.file[frame.function.index()] {
        text["line"] = frame.line.into();
    }
    let row = frame.function.index();
    for (key, number) in
        [("functionLine", profile.functions.line[row]), ("functionColumn", profile.functions.column[row])]
    {
        if number > 0 {
            text[key] = number.into();
        }
    }
    text.to_string()
}

/// The stacks of a part's samples as JSON, outermost frame first.
fn samples(part: &Part, frames: &mut WrittenFrames<'_>) -> String {
    let mut known: HashMap<StackId, String> = HashMap::new();
    let mut rows = Vec::with_capacity(part.samples.len());
    for stack in &part.samples.stack {
        let row = stack.map(|id| known.entry(id).or_insert_with(|| stack_text(id, frames)).clone());
        rows.push(row.unwrap_or_else(|| "[]".to_owned()));
    }
    rows.join(",")
}

fn stack_text(stack: StackId, frames: &mut WrittenFrames<'_>) -> String {
    let profile = frames.profile;
    let mut rows: Vec<String> =
        profile.stacks.frames(Some(stack)).map(|frame| frames.row(frame).to_string()).collect();
    rows.reverse();
    format!("[{}]", rows.join(","))
}

fn sampled(part: &Part, event: usize, kind: &EventType, samples: &str) -> String {
    let (unit, shift) = unit(kind);
    let values = (0..part.samples.len()).map(|row| part.samples.costs.value(row, event));
    let weights: Vec<String> = values.map(|value| decimal(value, shift)).collect();
    let start = start(part, kind);
    let end = decimal(start.saturating_add(part.samples.costs.total(event)), shift);
    let name = Value::from(format!("{} ({})", part.name, kind.name));
    let (start, weights) = (decimal(start, shift), weights.join(","));
    let head = format!("{{\"type\":\"sampled\",\"name\":{name},\"unit\":\"{unit}\"");
    format!(
        "{head},\"startValue\":{start},\"endValue\":{end},\"samples\":[{samples}],\"weights\":[{weights}]}}"
    )
}

/// The time of the first sample, in the unit of the event type; 0 where it is not nanoseconds.
fn start(part: &Part, kind: &EventType) -> i128 {
    match (part.samples.time.first(), kind.unit, kind.exponent) {
        (Some(&nanos), Unit::Seconds, -9) => i128::from(nanos),
        _ => 0,
    }
}

/// The unit in speedscope, and by how many digits the decimal point moves to the right.
fn unit(kind: &EventType) -> (&'static str, i32) {
    match (kind.unit, kind.exponent) {
        (Unit::Seconds, 0) => ("seconds", 0),
        (Unit::Seconds, -3) => ("milliseconds", 0),
        (Unit::Seconds, -6) => ("microseconds", 0),
        (Unit::Seconds, exponent) => ("nanoseconds", i32::from(exponent) + 9),
        (Unit::Bytes, exponent) => ("bytes", i32::from(exponent)),
        (Unit::Count | Unit::Number, exponent) => ("none", i32::from(exponent)),
    }
}

/// A number with its decimal point moved, without rounding.
fn decimal(value: i128, shift: i32) -> String {
    if shift >= 0 || value == 0 {
        let zeros = if value == 0 { 0 } else { shift.unsigned_abs() as usize };
        return format!("{value}{}", "0".repeat(zeros));
    }
    let digits = shift.unsigned_abs() as usize;
    let text = format!("{:0>width$}", value.unsigned_abs(), width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let fraction = fraction.trim_end_matches('0');
    let sign = if value < 0 { "-" } else { "" };
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Reports what of the profile the format cannot hold.
fn left_out(profile: &Profile) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    let mut note = |holds: bool, message: &str| {
        if holds {
            notes.push(Diagnostic::note(Place::Whole, message));
        }
    };
    let objects = &profile.functions.object;
    note(
        objects.iter().any(|object| object.index() != 0),
        "speedscope has no place for objects; they are left out",
    );
    let counted = profile.parts.iter().any(|part| !part.calls.is_empty());
    note(counted, "speedscope has no place for counts of calls; they are left out");
    let without_samples = |part: &&Part| part.samples.is_empty() && !part.own.function.is_empty();
    let without_samples = profile.parts.iter().filter(without_samples).map(|part| {
        let message = format!("{} has no stack samples and is left out", part.name);
        Diagnostic::loss(Place::Path(part.name.clone()), message)
    });
    let without_samples: Vec<Diagnostic> = without_samples.collect();
    notes.extend(without_samples);
    notes
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn points_move_without_rounding() {
        let numbers =
            [(1500, -3), (-5, -3), (7, 2), (0, -6), (0, 3), (1_000_000, -6), (i128::from(u64::MAX), -6)];
        let written = numbers.map(|(value, shift)| decimal(value, shift));
        assert_eq!(written, ["1.5", "-0.005", "700", "0", "0", "1", "18446744073709.551615"]);
    }
}

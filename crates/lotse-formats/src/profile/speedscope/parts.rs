//! From a speedscope file to a profile.

use hashbrown::HashSet;
use lotse_model::id::{FrameId, StackId};
use lotse_model::profile::{Builder, EventType, Frame, Part};
use lotse_model::{Profile, Unit};

use super::file::{self, SpeedscopeEventKind, SpeedscopeFile};
use crate::diagnostics::Diagnostics;
use crate::spans::SpanMarks;

/// A profile of the file, with one event type.
struct ProfileDraft {
    name: String,
    event: EventType,
    sampled: bool,
    stacks: Vec<Option<StackId>>,
    /// Nanoseconds; empty where the unit is not one of time.
    times: Vec<i64>,
    weights: Vec<i128>,
}

/// The conversion of a unit of the file: the event type, and by how many decimal digits numbers are scaled.
struct UnitScale {
    event: EventType,
    digits: u32,
}

/// Reads each profile of the file as a draft, then joins the drafts.
pub(super) fn profile_of(file: &SpeedscopeFile, diagnostics: &mut Diagnostics) -> Profile {
    let mut builder = Builder::new();
    let ours = file.exporter.starts_with("lotse");
    let lines = LineMeaning::from_exporter(&file.exporter);
    let frames: Vec<FrameId> = file.frames.iter().map(|row| frame(row, &lines, &mut builder)).collect();
    // Profiles of the same unit are scaled alike, so that they share an event type.
    let key = |profile: &file::SpeedscopeProfile| {
        let event = if ours { event_name(&profile.name).map_or("", |(_, event)| event) } else { "" };
        (profile.unit.clone(), event.to_owned())
    };
    let fractional: HashSet<_> = file.profiles.iter().filter(|it| it.has_fractions()).map(key).collect();
    let mut drafts = Vec::new();
    for (number, profile) in file.profiles.iter().enumerate() {
        let scale = scale(&profile.unit, fractional.contains(&key(profile)), ours);
        let path = format!("profiles[{number}]");
        let mut draft = match profile.kind.as_str() {
            "evented" => evented(profile, scale, &frames, &mut builder, diagnostics, &path),
            _ => sampled(profile, scale, &frames, &mut builder, diagnostics, &path),
        };
        draft.name = if profile.name.is_empty() { format!("profile {}", number + 1) } else { draft.name };
        if let Some((part, event)) = event_name(&profile.name).filter(|_| ours) {
            event.clone_into(&mut draft.event.name);
            part.clone_into(&mut draft.name);
        }
        drafts.push(draft);
    }
    builder.profile.creator = (!file.exporter.is_empty() && !ours).then(|| file.exporter.clone());
    let active = file.active.id().and_then(|at| drafts.get(usize::try_from(at).ok()?));
    let default = active.map(|draft| draft.event.clone());
    let mut profile = assemble(builder, drafts, ours, diagnostics);
    profile.default_event = default.and_then(|event| profile.events.iter().position(|it| *it == event));
    profile
}

/// The meaning of the line of a frame.
#[derive(Debug, PartialEq, Eq)]
enum LineMeaning {
    /// The line of the definition, as in speedscope: frames that differ in line or column are different functions.
    Definitions,
    /// The executed line, of which a function has several.
    Executed,
}

impl LineMeaning {
    /// The meaning according to the exporter. Lotse writes the definition separately; the others sample interpreters.
    fn from_exporter(exporter: &str) -> Self {
        let exporter = exporter.to_ascii_lowercase();
        let executed = ["lotse", "py-spy", "rbspy", "austin"].iter().any(|name| exporter.starts_with(name));
        if executed { Self::Executed } else { Self::Definitions }
    }
}

fn frame(row: &file::SpeedscopeFrame, lines: &LineMeaning, builder: &mut Builder) -> FrameId {
    let name = if row.name.is_empty() { "(unnamed)" } else { &row.name };
    let (object, file) = (builder.object(""), builder.file(&row.file));
    let (line, column) = match lines {
        LineMeaning::Definitions => (row.line, row.column),
        LineMeaning::Executed => row.definition,
    };
    let function = builder.function_at(name, object, file, (line.line(), column.line()));
    builder.frame(Frame { function, file, line: row.line.line(), address: 0, inlined: false })
}

fn scale(unit: &str, fractions: bool, ours: bool) -> UnitScale {
    let power = match unit {
        "nanoseconds" => 9,
        "microseconds" => 6,
        "milliseconds" => 3,
        "seconds" => 0,
        _ => {
            let (name, unit) = if unit == "bytes" { ("bytes", Unit::Bytes) } else { ("weight", Unit::Count) };
            let digits = if fractions { 6 } else { 0 };
            return UnitScale { event: EventType::new(name, unit, -(digits as i8)), digits };
        }
    };
    // Lotse writes integers in the unit of the event type, which is kept.
    let digits = if ours && !fractions { 0 } else { 9 - power };
    UnitScale { event: EventType::new("time", Unit::Seconds, -((power + digits) as i8)), digits }
}

/// Splits the name that Lotse gives a profile: `part (event type)`.
fn event_name(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("))
}

/// A profile of samples. A sample starts where the previous one ended, if weights are times.
fn sampled(
    profile: &file::SpeedscopeProfile,
    scale: UnitScale,
    frames: &[FrameId],
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
    path: &str,
) -> ProfileDraft {
    let weightless = profile.weights.is_empty() && !profile.samples.is_empty();
    let scale = if weightless { UnitScale { event: EventType::count("samples"), digits: 0 } } else { scale };
    if weightless {
        diagnostics.note_kind("the profile has no weights; its samples are counted", || path.to_owned());
    }
    let timed = scale.event.unit == Unit::Seconds;
    let mut draft = ProfileDraft { sampled: true, ..draft(profile, scale.event) };
    let mut at = if timed { profile.start.nanos(scale.digits).unwrap_or(0) } else { 0 };
    if !profile.weights.is_empty() && profile.weights.len() != profile.samples.len() {
        diagnostics.loss_kind("there are not as many weights as samples", || format!("{path}.weights"));
    }
    for (row, sample) in profile.samples.iter().enumerate() {
        let mut stack = None;
        for frame in sample {
            match frame.get().and_then(|frame| frames.get(frame)) {
                Some(&frame) => stack = Some(builder.stack(stack, frame)),
                None => diagnostics
                    .loss_kind("a sample names a frame that is missing", || format!("{path}.samples[{row}]")),
            }
        }
        let weight = profile.weights.get(row).map(|weight| weight.scaled(scale.digits));
        if weight == Some(None) {
            diagnostics
                .loss_kind("a weight is not a number or too large", || format!("{path}.weights[{row}]"));
        }
        let weight = weight.flatten().unwrap_or(i128::from(weightless));
        draft.stacks.push(stack);
        draft.weights.push(weight);
        if timed {
            draft.times.push(at);
            at = at.saturating_add(i64::try_from(weight).unwrap_or(i64::MAX));
        }
    }
    draft
}

fn draft(profile: &file::SpeedscopeProfile, event: EventType) -> ProfileDraft {
    ProfileDraft {
        name: profile.name.clone(),
        event,
        sampled: false,
        stacks: Vec::new(),
        times: Vec::new(),
        weights: Vec::new(),
    }
}

/// A profile of open and close events: the slices of time between them, with their stacks.
fn evented(
    profile: &file::SpeedscopeProfile,
    scale: UnitScale,
    frames: &[FrameId],
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
    path: &str,
) -> ProfileDraft {
    let mut spans = SpanMarks::default();
    for (row, event) in profile.events.iter().enumerate() {
        let frame = event.frame.get().and_then(|index| Some((index as u32, *frames.get(index)?)));
        match (&event.kind, event.at.nanos(scale.digits), frame) {
            (SpeedscopeEventKind::Open, Some(at), Some((label, frame))) => spans.begin(at, label, frame),
            (SpeedscopeEventKind::Close, Some(at), Some((label, _))) => spans.end(at, Some(label)),
            _ => diagnostics.loss_kind("an event lacks its type, its time or its frame", || {
                format!("{path}.events[{row}]")
            }),
        }
    }
    if let Some(end) = profile.end.nanos(scale.digits) {
        spans.extend_to(end);
    }
    let nested = spans.nest(builder, diagnostics, path);
    let timed = scale.event.unit == Unit::Seconds;
    let times = nested.slices.iter().filter(|_| timed).map(|slice| slice.at).collect();
    ProfileDraft {
        stacks: nested.slices.iter().map(|slice| Some(slice.stack)).collect(),
        times,
        weights: nested.slices.iter().map(|slice| i128::from(slice.length)).collect(),
        ..draft(profile, scale.event)
    }
}

/// Collects the event types of the drafts and makes parts; profiles that Lotse wrote for the same samples are joined.
fn assemble(
    mut builder: Builder,
    drafts: Vec<ProfileDraft>,
    ours: bool,
    diagnostics: &mut Diagnostics,
) -> Profile {
    let mut events: Vec<EventType> = Vec::new();
    // Lotse writes the number of samples; in files of others they are counted.
    let counted = !ours && drafts.iter().any(|draft| draft.sampled);
    events.extend(counted.then(|| EventType::count("samples")));
    for draft in &drafts {
        if !events.contains(&draft.event) {
            events.push(draft.event.clone());
        }
    }
    let signed = drafts.iter().any(|draft| draft.weights.iter().any(|&weight| weight < 0));
    builder.profile.signed = signed;
    let mut groups: Vec<Vec<ProfileDraft>> = Vec::new();
    for draft in drafts {
        match groups.last_mut().filter(|group| ours && belongs(group, &draft)) {
            Some(group) => group.push(draft),
            None => groups.push(vec![draft]),
        }
    }
    let parts = groups.into_iter().map(|group| part(group, &events, (signed, counted), diagnostics));
    builder.profile.parts = parts.collect();
    builder.profile.events = events;
    builder.finish()
}

/// Whether a profile has another event type of the same samples.
fn belongs(group: &[ProfileDraft], draft: &ProfileDraft) -> bool {
    let same_samples = |other: &ProfileDraft| other.name == draft.name && other.stacks == draft.stacks;
    group.iter().all(|other| same_samples(other) && other.event != draft.event)
}

/// The part of profiles with the same samples; each fills the column of its event type.
fn part(
    group: Vec<ProfileDraft>,
    events: &[EventType],
    (signed, counted): (bool, bool),
    diagnostics: &mut Diagnostics,
) -> Part {
    let mut part = Part::new(&group[0].name, events.len(), signed);
    for row in 0..group[0].stacks.len() {
        let mut costs = vec![0; events.len()];
        costs.iter_mut().take(usize::from(counted && group[0].sampled)).for_each(|count| *count = 1);
        for draft in &group {
            let event = events.iter().position(|event| *event == draft.event).unwrap_or(0);
            costs[event] = cell(draft.weights[row], signed).unwrap_or_else(|| {
                diagnostics.loss_kind("a weight is too large; it counts as the largest number", || {
                    draft.name.clone()
                });
                if signed { i64::MAX as u64 } else { u64::MAX }
            });
        }
        part.samples.costs.push(&costs);
    }
    if let Some(timed) = group.iter().find(|draft| !draft.times.is_empty()) {
        part.samples.time = timed.times.clone();
    }
    if let Some(first) = group.into_iter().next() {
        part.samples.stack = first.stacks;
    }
    part
}

fn cell(weight: i128, signed: bool) -> Option<u64> {
    if signed { i64::try_from(weight).ok().map(|weight| weight as u64) } else { u64::try_from(weight).ok() }
}

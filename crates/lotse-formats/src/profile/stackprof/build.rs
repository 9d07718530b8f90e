//! Makes the profile of a dump: of its stacks where it has them, else of what it states about each frame.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId, StackId};
use lotse_model::profile::{Builder, CodePosition, Costs, Detail, Details, Frame, Part};

use super::dump::{RawNumber, StackprofDump, StackprofFrame};
use super::events::SampledEvents;
use crate::diagnostics::Diagnostics;
use crate::error::Place;

/// Makes the profile. Of a damaged dump the stacks are used only if they are as complete as the frames.
pub(super) fn profile_of(dump: &StackprofDump, damaged: bool, diagnostics: &mut Diagnostics) -> Profile {
    let events = SampledEvents::of(dump);
    let mut builder = Builder::new();
    builder.profile.creator = Some(match dump.mode.as_str() {
        "" => "stackprof".to_owned(),
        mode => format!("stackprof, {mode} mode"),
    });
    builder.profile.events.clone_from(&events.events);
    builder.profile.period.clone_from(&events.period);
    let functions: Vec<FunctionId> =
        dump.frames.0.iter().map(|(_, frame)| function_of(frame, &mut builder)).collect();
    let mut part = Part::new("1", events.width(), false);
    let recorded = RawStacks { raw: &dump.raw, at: 0 }.map_while(Result::ok).map(|run| run.samples);
    let stacks =
        !dump.raw.is_empty() && (!damaged || recorded.fold(0, u64::saturating_add) >= dump.own_samples());
    if stacks {
        StackBuilder { dump, events: &events, functions: &functions, builder: &mut builder }
            .fill(&mut part, diagnostics);
    } else {
        fill_stated(dump, &events, &functions, &mut part, diagnostics);
    }
    builder.profile.parts.push(part);
    let detail = lines_of(dump, &events, &functions, &builder);
    builder.profile.details = Details::Loaded(Box::new(detail));
    builder.finish()
}

/// The function of a frame; methods written in C have no file.
fn function_of(frame: &StackprofFrame, builder: &mut Builder) -> FunctionId {
    let file = builder.file(if frame.file == "<cfunc>" { "" } else { &frame.file });
    builder.function_at(&frame.name, ObjectId(0), file, (frame.line.line(), 0))
}

/// A run of equal stacks in `raw`.
struct RawStack<'a> {
    /// The index of the outermost frame.
    at: usize,
    /// Ids of frames, the outermost first.
    frames: &'a [RawNumber],
    samples: u64,
}

/// The runs of `raw`; the error is the index of one that is cut or has no number of samples, which is the last.
struct RawStacks<'a> {
    raw: &'a [RawNumber],
    at: usize,
}

impl<'a> Iterator for RawStacks<'a> {
    type Item = Result<RawStack<'a>, usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let (start, raw) = (self.at, self.raw);
        let length = raw.get(start)?.0;
        let run = usize::try_from(length).ok().and_then(|length| {
            let end = start.checked_add(1)?.checked_add(length)?;
            let samples = raw.get(end).and_then(|samples| samples.known())?;
            self.at = end + 1;
            Some(RawStack { at: start + 1, frames: &raw[start + 1..end], samples })
        });
        if run.is_none() {
            self.at = raw.len();
        }
        Some(run.ok_or(start))
    }
}

/// Turns runs of ids into stacks.
struct StackBuilder<'a> {
    dump: &'a StackprofDump,
    events: &'a SampledEvents,
    functions: &'a [FunctionId],
    builder: &'a mut Builder,
}

impl StackBuilder<'_> {
    fn fill(mut self, part: &mut Part, diagnostics: &mut Diagnostics) {
        let ids = self.dump.frames.0.iter().zip(self.functions);
        let known: HashMap<u64, FunctionId> =
            ids.filter_map(|((id, _), function)| Some((id.parse().ok()?, *function))).collect();
        let all = RawStacks { raw: &self.dump.raw, at: 0 }.map_while(Result::ok);
        let total: u128 = all.map(|run| u128::from(run.samples)).sum();
        let timed = total == self.dump.timestamps.len() as u128;
        let mut times = self.dump.timestamps.iter().map(|time| nanoseconds(*time));
        for run in (RawStacks { raw: &self.dump.raw, at: 0 }) {
            let Ok(run) = run else {
                let place = Place::Path(format!("raw[{}]", run.err().unwrap_or(0)));
                diagnostics.loss(place, "expected a whole stack and its number of samples");
                break;
            };
            let stack = self.stack(&run, &known).unwrap_or_else(|place| {
                diagnostics
                    .loss_kind("there is no such frame; the stack is left out", || format!("raw[{place}]"));
                None
            });
            // A time for each sample needs a row for each; the list of times bounds their number.
            let (rows, samples) = if timed { (run.samples, 1) } else { (1, run.samples) };
            for _ in 0..rows {
                part.samples.stack.push(stack);
                part.samples.costs.push(&self.events.costs(samples));
                part.samples.time.extend(times.next().filter(|_| timed));
            }
        }
        if let (Some(first), Some(last)) = (part.samples.time.first(), part.samples.time.last()) {
            part.time = Some((*first, *last));
        }
    }

    /// The stack of a run; the error is the index of a frame that is not listed.
    fn stack(
        &mut self,
        run: &RawStack<'_>,
        known: &HashMap<u64, FunctionId>,
    ) -> Result<Option<StackId>, usize> {
        let mut stack = None;
        for (at, id) in (run.at..).zip(run.frames) {
            let function = *known.get(&id.0).ok_or(at)?;
            let file = self.builder.profile.functions.file[function.index()];
            let line = self.dump.raw_lines.get(at).and_then(|line| u32::try_from(line.0).ok()).unwrap_or(0);
            let frame = self.builder.frame(Frame { function, file, line, address: 0, inlined: false });
            stack = Some(self.builder.stack(stack, frame));
        }
        Ok(stack)
    }
}

fn nanoseconds(micros: RawNumber) -> i64 {
    i64::try_from(micros.0).unwrap_or(i64::MAX).saturating_mul(1000)
}

/// Adds self costs, inclusive costs and calls as the frames state them.
fn fill_stated(
    dump: &StackprofDump,
    events: &SampledEvents,
    functions: &[FunctionId],
    part: &mut Part,
    diagnostics: &mut Diagnostics,
) {
    let ids = dump.frames.0.iter().zip(functions);
    let known: HashMap<&str, FunctionId> = ids.map(|((id, _), function)| (id.as_str(), *function)).collect();
    let mut rows: HashMap<FunctionId, usize> = HashMap::new();
    let mut pairs: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
    for ((id, frame), &function) in dump.frames.0.iter().zip(functions) {
        let (Some(own), Some(total)) = (frame.samples.id(), frame.total_samples.id()) else {
            diagnostics
                .loss_kind("expected numbers of samples; the frame is left out", || format!("frames.{id}"));
            continue;
        };
        let (own, total) = (events.costs(own), events.costs(total));
        let next = part.own.function.len();
        let row = *rows.entry(function).or_insert(next);
        if row == next {
            part.own.function.push(function);
            part.own.costs.push(&own);
            part.inclusive.function.push(function);
            part.inclusive.costs.push(&total);
        } else {
            let message = "frames with the same name, file and line are one function, whose inclusive cost is an upper \
                           bound: it counts samples with several of them again";
            diagnostics.note_kind(message, || format!("frames.{id}"));
            part.own.costs.add(row, &own);
            part.inclusive.costs.add(row, &total);
        }
        for (callee, samples) in &frame.edges.0 {
            let (Some(&callee), Some(samples)) = (known.get(callee.as_str()), samples.id()) else {
                let message = "expected the id of a frame and a number of samples; the call is left out";
                diagnostics.loss_kind(message, || format!("frames.{id}.edges.{callee}"));
                continue;
            };
            add_call(part, &mut pairs, (function, callee), &events.costs(samples));
        }
    }
}

/// Adds the samples of an edge. The number of calls is unknown.
fn add_call(
    part: &mut Part,
    pairs: &mut HashMap<(FunctionId, FunctionId), usize>,
    pair: (FunctionId, FunctionId),
    costs: &[u64],
) {
    let next = part.calls.len();
    let row = *pairs.entry(pair).or_insert(next);
    if row < next {
        part.calls.costs.add(row, costs);
        return;
    }
    part.calls.caller.push(pair.0);
    part.calls.callee.push(pair.1);
    part.calls.count.push(0);
    part.calls.costs.push(costs);
}

/// Self costs by line, where the dump has them.
fn lines_of(
    dump: &StackprofDump,
    events: &SampledEvents,
    functions: &[FunctionId],
    builder: &Builder,
) -> Detail {
    let mut detail = Detail::default();
    let lines = &mut detail.lines;
    lines.costs = Costs::new(events.width(), false);
    for ((_, frame), function) in dump.frames.0.iter().zip(functions) {
        let file: FileId = builder.profile.functions.file[function.index()];
        for (line, samples) in frame.lines.0.iter().filter(|(_, samples)| samples.own() > 0) {
            lines.function.push(*function);
            lines.part.push(PartId(0));
            lines.place.push(CodePosition { file, line: line.parse().unwrap_or(0), address: 0 });
            lines.costs.push(&events.costs(samples.own()));
        }
    }
    detail
}

//! From bytes to a profile: finds the parts, decodes their chunks and joins them.

use std::ops::Range;

use lotse_model::id::{FileId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{Builder, Details, Extent, OnDemand, Part, PartLayout, Profile, StatedSum};
use lotse_model::work::{self, Workers};

use super::Dialect;
use super::chunk::{CallgrindChunk, LineFormat};
use super::decode;
use super::ending;
use super::faults::{Faults, in_source};
use super::header::{self, CallgrindHeader};
use super::identity::{Identities, ResolvedNames, Scope};
use super::join::{Join, JoinTarget};
use super::names::Numbering;
use super::slow::SlowCosts;
use super::split;
use crate::error::{FormatError, Place};
use crate::reading::{Diagnostic, Weight};

/// A file of the profile: the main one or a sibling.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallgrindInput<'a> {
    pub(super) bytes: &'a [u8],
    /// The name of a sibling; `None` for the main file.
    pub(super) beside: Option<&'a str>,
    /// The name in messages, where there are several files.
    pub(super) name: Option<&'a str>,
    /// Whether its parts are selected unless the user chooses parts.
    pub(super) counted: bool,
}

impl<'a> CallgrindInput<'a> {
    /// A main file without siblings.
    pub(super) fn alone(bytes: &'a [u8]) -> Self {
        Self { bytes, beside: None, name: None, counted: true }
    }
}

/// A part of a file, before its costs are known.
struct PartDraft<'a> {
    input: usize,
    bytes: &'a [u8],
    range: Range<usize>,
    header: CallgrindHeader,
    line_format: LineFormat,
    /// The index of the profile's event type, by column.
    events: Vec<u32>,
}

/// Reads files as one profile, decoding chunks of about `size` bytes.
pub(super) fn profile(
    inputs: &[CallgrindInput<'_>],
    main: &str,
    dialect: &Dialect,
    workers: &dyn Workers,
    size: usize,
) -> Result<(Profile, Vec<Diagnostic>), FormatError> {
    let mut diagnostics = Vec::new();
    let mut builder = Builder::new();
    let mut drafts = drafts(inputs, dialect, &mut builder, &mut diagnostics);
    // Siblings alone make up a profile only where the main file is empty and not among the inputs.
    let has_main = inputs.iter().any(|input| input.beside.is_none());
    if !drafts.iter().any(|draft| inputs[draft.input].beside.is_none() == has_main) {
        let problem = "expected a line `events:` with the names of what was counted, found none".to_owned();
        return Err(FormatError::Damaged { name: main.to_owned(), place: Place::Whole, problem });
    }
    let decoded = decode(&mut drafts, workers, size);
    let profile = assemble(builder, inputs, &drafts, decoded, dialect, &mut diagnostics);
    Ok((profile, diagnostics))
}

/// Reads the headers of all parts of all files. A part inherits from the previous part of the same file.
fn drafts<'a>(
    inputs: &[CallgrindInput<'a>],
    dialect: &Dialect,
    builder: &mut Builder,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PartDraft<'a>> {
    let mut drafts: Vec<PartDraft<'a>> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        for range in header::parts(input.bytes) {
            let mut header = header::read(input.bytes, range.clone());
            if let Some(before) = drafts.last().filter(|before| before.input == number) {
                header.inherit(&before.header);
            }
            header.assign_titles();
            if header.refused > 0 {
                let message =
                    format!("{} event types more than {} are left out", header.refused, header::MAX_EVENTS);
                diagnostics.push(Diagnostic::loss(Place::Whole, in_source(&message, input.name)));
            }
            let line_format = line_format(&header, &input.bytes[header.body..range.end], dialect);
            let events = event_columns(&header, &mut builder.profile);
            drafts.push(PartDraft { input: number, bytes: input.bytes, range, header, line_format, events });
        }
    }
    drafts
}

fn line_format(header: &CallgrindHeader, body: &[u8], dialect: &Dialect) -> LineFormat {
    LineFormat {
        addresses: header.addresses,
        lines: header.lines,
        width: header.events.len(),
        fi_sets_function_file: split::fi_sets_function_file(body),
        slow: SlowCosts::new(dialect.signed),
    }
}

/// The indices of the profile's event types by column of a part; event types that the profile lacks are added.
fn event_columns(header: &CallgrindHeader, profile: &mut Profile) -> Vec<u32> {
    let mut columns: Vec<u32> = Vec::with_capacity(header.events.len());
    for event in &header.events {
        let mut known = (0..profile.events.len() as u32).zip(&profile.events);
        let found = known.find(|(column, known)| known.name == event.name && !columns.contains(column));
        let column = found.map(|(column, _)| column).unwrap_or(profile.events.len() as u32);
        if column as usize == profile.events.len() {
            profile.events.push(event.clone());
        }
        columns.push(column);
    }
    for formula in &header.formulas {
        if !profile.formulas.contains(formula) {
            profile.formulas.push(formula.clone());
        }
    }
    columns
}

/// Decodes the chunks of all parts, in order. A part with relative costs is decoded again as one chunk.
fn decode<'a>(
    drafts: &mut [PartDraft<'a>],
    workers: &dyn Workers,
    size: usize,
) -> Vec<Vec<CallgrindChunk<'a>>> {
    let jobs: Vec<(usize, Range<usize>)> = (0..drafts.len())
        .flat_map(|number| {
            let draft = &drafts[number];
            let cut = split::chunks(draft.bytes, draft.header.body..draft.range.end, size);
            cut.into_iter().map(move |range| (number, range))
        })
        .collect();
    let chunks = work::map(workers, jobs.len(), |job| {
        let (number, range) = &jobs[job];
        decode::decode(drafts[*number].bytes, range.clone(), &drafts[*number].line_format)
    });
    let mut parts: Vec<Vec<CallgrindChunk<'a>>> = drafts.iter().map(|_| Vec::new()).collect();
    jobs.iter().zip(chunks).for_each(|((number, _), chunk)| parts[*number].push(chunk));
    for (draft, chunks) in drafts.iter_mut().zip(&mut parts) {
        if chunks.iter().any(|chunk| chunk.relative) {
            draft.line_format.slow.allow_relative(draft.line_format.width);
            *chunks =
                vec![decode::decode(draft.bytes, draft.header.body..draft.range.end, &draft.line_format)];
        }
    }
    parts
}

/// Resolves the names of all chunks, adds the chunks up into parts and reports problems.
///
/// Names are resolved in the order of the files, since a number keeps its meaning up to the end of its file.
fn assemble(
    mut builder: Builder,
    inputs: &[CallgrindInput<'_>],
    drafts: &[PartDraft<'_>],
    decoded: Vec<Vec<CallgrindChunk<'_>>>,
    dialect: &Dialect,
    diagnostics: &mut Vec<Diagnostic>,
) -> Profile {
    let signed = decoded.iter().flatten().any(|chunk| chunk.negative);
    let mut faults: Vec<Faults> = inputs.iter().map(|_| Faults::default()).collect();
    let mut identities = Identities::default();
    let (mut scopes, mut parts): (Vec<Scope>, Vec<Vec<(CallgrindChunk<'_>, ResolvedNames)>>) =
        (Vec::new(), Vec::new());
    for (number, (draft, chunks)) in drafts.iter().zip(decoded).enumerate() {
        let mut scope = Scope::new(draft.range.len());
        let older = number.checked_sub(1).filter(|&it| drafts[it].input == draft.input).map(|it| &scopes[it]);
        let chunks = chunks.into_iter().map(|mut chunk| {
            let resolved = identities.add(&mut chunk, &mut scope, older, &mut builder);
            faults[draft.input].append(std::mem::take(&mut chunk.faults));
            (chunk, resolved)
        });
        parts.push(chunks.collect());
        scopes.push(scope);
    }
    let functions = identities.into_functions(&mut builder);
    let mut profile = builder.finish();
    profile.signed = signed;
    profile.command = drafts.iter().find_map(|draft| draft.header.command.clone());
    profile.creator = drafts.iter().find_map(|draft| draft.header.creator.clone());
    let mut extents = Vec::new();
    for (draft, chunks) in drafts.iter().zip(parts) {
        join(&mut profile, draft, inputs, chunks, &functions, &mut extents);
    }
    let relative = drafts.iter().any(|draft| draft.line_format.slow.allows_relative());
    if !relative {
        let layouts = drafts.iter().zip(scopes);
        let layouts =
            layouts.map(|(draft, scope)| layout(draft, &scope, inputs[draft.input].beside, &functions));
        profile.details =
            Details::OnDemand(on_demand(dialect, layouts.collect(), extents, profile.functions.len()));
    }
    find_cuts(drafts, &profile, dialect, &mut faults);
    for (input, faults) in inputs.iter().zip(faults) {
        let first = diagnostics.len();
        faults.report(input.bytes, input.name, diagnostics);
        if !input.counted {
            // Costs that are missing here are in no sum unless the user selects these parts.
            diagnostics[first..].iter_mut().for_each(|it| it.weight = Weight::Note);
        }
    }
    check_sums(&profile, diagnostics);
    profile
}

/// Adds a problem for each file that ends too early.
fn find_cuts(drafts: &[PartDraft<'_>], profile: &Profile, dialect: &Dialect, faults: &mut [Faults]) {
    for (number, draft) in drafts.iter().enumerate() {
        let is_last = drafts.get(number + 1).is_none_or(|next| next.input != draft.input);
        let stated = &profile.parts[number].stated;
        if is_last && let Some((at, kind)) = ending::early(draft.bytes, &draft.header, stated, dialect) {
            faults[draft.input].add(at, kind);
        }
    }
}

/// Adds up the chunks of a part and appends the part to the profile and the extents of its blocks to `extents`.
fn join(
    profile: &mut Profile,
    draft: &PartDraft<'_>,
    inputs: &[CallgrindInput<'_>],
    chunks: Vec<(CallgrindChunk<'_>, ResolvedNames)>,
    functions: &[FunctionId],
    extents: &mut Vec<(FunctionId, Extent)>,
) {
    let events = profile.events.len();
    let input = &inputs[draft.input];
    let mut part = Part { selected: input.counted, ..part(draft, input.name, events, profile.signed) };
    let stated = chunks.iter().flat_map(|(chunk, _)| &chunk.stated);
    part.stated =
        draft.header.stated.iter().chain(stated).map(|it| in_columns(it, &draft.events, events)).collect();
    let has_all_events =
        draft.events.len() == events && draft.events.iter().zip(0..).all(|(&event, at)| event == at);
    let into = JoinTarget {
        part: &mut part,
        id: PartId::from(profile.parts.len()),
        functions,
        columns: (!has_all_events).then_some(&draft.events[..]),
        width: draft.events.len(),
        extents,
    };
    let mut join = Join::new(into, profile.functions.len(), events);
    join.survey(&chunks);
    for (chunk, resolved) in chunks {
        join.add(chunk, &resolved);
    }
    profile.parts.push(part);
}

fn in_columns(stated: &StatedSum, columns: &[u32], events: usize) -> StatedSum {
    let mut costs = vec![0; events];
    columns.iter().zip(&stated.costs).for_each(|(&column, &cost)| costs[column as usize] = cost);
    StatedSum { name: stated.name.clone(), costs }
}

fn part(draft: &PartDraft<'_>, source: Option<&str>, width: usize, signed: bool) -> Part {
    let header = &draft.header;
    let number = header.part.map(|part| format!("part {part}"));
    let thread = header.thread.map(|thread| format!("thread {thread}"));
    let name: Vec<String> = number.into_iter().chain(thread).collect();
    let name = if name.is_empty() { "part 1".to_owned() } else { name.join(", ") };
    Part {
        number: header.part,
        process: header.pid,
        thread: header.thread,
        source: source.map(str::to_owned),
        trigger: header.trigger.clone(),
        ..Part::new(&name, width, signed)
    }
}

/// How the bytes of a part are to be read when costs by line are asked for: its line format, and what its numbers of names mean.
fn layout(
    draft: &PartDraft<'_>,
    scope: &Scope,
    beside: Option<&str>,
    functions: &[FunctionId],
) -> PartLayout {
    let small = |numbers: &Numbering| {
        let all = numbers.all().into_iter();
        all.filter_map(|(number, entry)| Some((u32::try_from(number).ok()?, entry))).collect::<Vec<_>>()
    };
    let entries = |numbers: &Numbering| small(numbers).into_iter();
    PartLayout {
        source: beside.map(str::to_owned),
        addresses: draft.line_format.addresses,
        lines: draft.line_format.lines,
        columns: draft.events.clone(),
        objects: entries(&scope.objects).map(|(number, it)| (number, ObjectId(it))).collect(),
        files: entries(&scope.files).map(|(number, it)| (number, FileId(it))).collect(),
        functions: entries(&scope.functions).map(|(number, it)| (number, functions[it as usize])).collect(),
    }
}

/// Sorts the extents by function (a counting sort): those of function `f` are at `starts[f]..starts[f + 1]`.
fn on_demand(
    dialect: &Dialect,
    layouts: Vec<PartLayout>,
    found: Vec<(FunctionId, Extent)>,
    functions: usize,
) -> OnDemand {
    let mut starts = vec![0_u32; functions + 1];
    found.iter().for_each(|(function, _)| starts[function.index() + 1] += 1);
    for function in 0..functions {
        starts[function + 1] += starts[function];
    }
    let mut next = starts.clone();
    let mut extents = vec![Extent::default(); found.len()];
    for (function, extent) in found {
        let at = &mut next[function.index()];
        extents[*at as usize] = extent;
        *at += 1;
    }
    OnDemand { format: dialect.id.to_owned(), layouts, extents, starts }
}

/// Reports parts whose costs do not add up to the totals in the file, or do not fit into 64 bits.
fn check_sums(profile: &Profile, diagnostics: &mut Vec<Diagnostic>) {
    for part in &profile.parts {
        if part.own.costs.saturated() || part.calls.costs.saturated() {
            let message =
                format!("{}: sums are larger than can be held; the largest number is taken", part.name);
            diagnostics.push(Diagnostic::loss(Place::Whole, message));
        }
        for stated in part.stated.iter().filter(|stated| stated.name == "totals") {
            let sums = (0..profile.events.len()).map(|event| part.own.costs.total(event));
            if !sums.eq(stated.costs.iter().map(|&cost| profile.value(cost))) {
                let message = format!("{}: the costs do not add up to what `totals:` says", part.name);
                diagnostics.push(Diagnostic::note(Place::Whole, message));
            }
        }
    }
}

//! From bytes to a profile: finds the parts, has their pieces decoded, joins them.

use std::ops::Range;

use lotse_model::id::{FileId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{Builder, Details, Extent, OnDemand, Part, PartLayout, Profile, StatedSum};
use lotse_model::work::{self, Workers};

use super::Dialect;
use super::decode;
use super::ending;
use super::faults::{Faults, in_source};
use super::header::{self, Header};
use super::identity::{Identities, Meaning, Scope};
use super::join::{Into, Join};
use super::names::Numbering;
use super::piece::{Columns, Piece};
use super::slow::Slow;
use super::split;
use crate::error::{FormatError, Place};
use crate::reading::{Diagnostic, Weight};

/// A file with its name beside the main one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    /// Nothing for the main one.
    pub(super) beside: Option<&'a str>,
    /// For people, where there are several.
    pub(super) name: Option<&'a str>,
    /// Whether its costs count unless parts are chosen.
    pub(super) counted: bool,
}

impl<'a> Input<'a> {
    /// A file without others beside it.
    pub(super) fn alone(bytes: &'a [u8]) -> Self {
        Self { bytes, beside: None, name: None, counted: true }
    }
}

/// A part of a file, before its costs are known.
struct Draft<'a> {
    input: usize,
    bytes: &'a [u8],
    range: Range<usize>,
    header: Header,
    columns: Columns,
    /// The profile's event type of each column.
    events: Vec<u32>,
}

/// Reads files as one profile, decoding pieces of about `size` bytes.
pub(super) fn profile(
    inputs: &[Input<'_>],
    main: &str,
    dialect: &Dialect,
    workers: &dyn Workers,
    size: usize,
) -> Result<(Profile, Vec<Diagnostic>), FormatError> {
    let mut diagnostics = Vec::new();
    let mut builder = Builder::new();
    let mut drafts = drafts(inputs, dialect, &mut builder, &mut diagnostics);
    // Siblings alone are a run only where the main file is empty and not among the inputs.
    let has_main = inputs.iter().any(|input| input.beside.is_none());
    if !drafts.iter().any(|draft| inputs[draft.input].beside.is_none() == has_main) {
        let problem = "expected a line `events:` with the names of what was counted, found none".to_owned();
        return Err(FormatError::Damaged { name: main.to_owned(), place: Place::Whole, problem });
    }
    let decoded = decode(&mut drafts, workers, size);
    let profile = assemble(builder, inputs, &drafts, decoded, dialect, &mut diagnostics);
    Ok((profile, diagnostics))
}

fn drafts<'a>(
    inputs: &[Input<'a>],
    dialect: &Dialect,
    builder: &mut Builder,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Draft<'a>> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        for range in header::parts(input.bytes) {
            let mut header = header::read(input.bytes, range.clone());
            if let Some(before) = drafts.last().filter(|before| before.input == number) {
                header.inherit(&before.header);
            }
            header.settle();
            if header.refused > 0 {
                let message =
                    format!("{} event types more than {} are left out", header.refused, header::MAX_EVENTS);
                diagnostics.push(Diagnostic::loss(Place::Whole, in_source(&message, input.name)));
            }
            let columns = columns(&header, &input.bytes[header.body..range.end], dialect);
            let events = event_columns(&header, &mut builder.profile);
            drafts.push(Draft { input: number, bytes: input.bytes, range, header, columns, events });
        }
    }
    drafts
}

fn columns(header: &Header, body: &[u8], dialect: &Dialect) -> Columns {
    Columns {
        addresses: header.addresses,
        lines: header.lines,
        width: header.events.len(),
        roaming: split::is_roaming(body),
        slow: Slow::new(dialect.signed),
    }
}

/// The profile's event types of a part's columns; those it has not yet are added.
fn event_columns(header: &Header, profile: &mut Profile) -> Vec<u32> {
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

/// The pieces of all parts, in order.
fn decode<'a>(drafts: &mut [Draft<'a>], workers: &dyn Workers, size: usize) -> Vec<Vec<Piece<'a>>> {
    let jobs: Vec<(usize, Range<usize>)> = (0..drafts.len())
        .flat_map(|number| {
            let draft = &drafts[number];
            let cut = split::pieces(draft.bytes, draft.header.body..draft.range.end, size);
            cut.into_iter().map(move |range| (number, range))
        })
        .collect();
    let pieces = work::map(workers, jobs.len(), |job| {
        let (number, range) = &jobs[job];
        decode::decode(drafts[*number].bytes, range.clone(), &drafts[*number].columns)
    });
    let mut parts: Vec<Vec<Piece<'a>>> = drafts.iter().map(|_| Vec::new()).collect();
    jobs.iter().zip(pieces).for_each(|((number, _), piece)| parts[*number].push(piece));
    for (draft, pieces) in drafts.iter_mut().zip(&mut parts) {
        if pieces.iter().any(|piece| piece.relative) {
            draft.columns.slow.remember(draft.columns.width);
            *pieces = vec![decode::decode(draft.bytes, draft.header.body..draft.range.end, &draft.columns)];
        }
    }
    parts
}

fn assemble(
    mut builder: Builder,
    inputs: &[Input<'_>],
    drafts: &[Draft<'_>],
    decoded: Vec<Vec<Piece<'_>>>,
    dialect: &Dialect,
    diagnostics: &mut Vec<Diagnostic>,
) -> Profile {
    let signed = decoded.iter().flatten().any(|piece| piece.negative);
    let mut faults: Vec<Faults> = inputs.iter().map(|_| Faults::default()).collect();
    let mut identities = Identities::default();
    let (mut scopes, mut parts): (Vec<Scope>, Vec<Vec<(Piece<'_>, Meaning)>>) = (Vec::new(), Vec::new());
    for (number, (draft, pieces)) in drafts.iter().zip(decoded).enumerate() {
        let mut scope = Scope::new(draft.range.len());
        let older = number.checked_sub(1).filter(|&it| drafts[it].input == draft.input).map(|it| &scopes[it]);
        let pieces = pieces.into_iter().map(|mut piece| {
            let meaning = identities.add(&mut piece, &mut scope, older, &mut builder);
            faults[draft.input].append(std::mem::take(&mut piece.faults));
            (piece, meaning)
        });
        parts.push(pieces.collect());
        scopes.push(scope);
    }
    let functions = identities.settle(&mut builder);
    let mut profile = builder.finish();
    profile.signed = signed;
    profile.command = drafts.iter().find_map(|draft| draft.header.command.clone());
    profile.creator = drafts.iter().find_map(|draft| draft.header.creator.clone());
    let mut extents = Vec::new();
    for (draft, pieces) in drafts.iter().zip(parts) {
        join(&mut profile, draft, inputs, pieces, &functions, &mut extents);
    }
    let relative = drafts.iter().any(|draft| draft.columns.slow.remembers());
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
        faults.tell(input.bytes, input.name, diagnostics);
        if !input.counted {
            // What is missing there is missing in no sum that is shown unless it is chosen.
            diagnostics[first..].iter_mut().for_each(|it| it.weight = Weight::Note);
        }
    }
    tell_sums(&profile, diagnostics);
    profile
}

/// Adds the last lines of files that end too early.
fn find_cuts(drafts: &[Draft<'_>], profile: &Profile, dialect: &Dialect, faults: &mut [Faults]) {
    for (number, draft) in drafts.iter().enumerate() {
        let is_last = drafts.get(number + 1).is_none_or(|next| next.input != draft.input);
        let stated = &profile.parts[number].stated;
        if is_last && let Some((at, kind)) = ending::early(draft.bytes, &draft.header, stated, dialect) {
            faults[draft.input].add(at, kind);
        }
    }
}

fn join(
    profile: &mut Profile,
    draft: &Draft<'_>,
    inputs: &[Input<'_>],
    pieces: Vec<(Piece<'_>, Meaning)>,
    functions: &[FunctionId],
    extents: &mut Vec<(FunctionId, Extent)>,
) {
    let events = profile.events.len();
    let input = &inputs[draft.input];
    let mut part = Part { selected: input.counted, ..part(draft, input.name, events, profile.signed) };
    let stated = pieces.iter().flat_map(|(piece, _)| &piece.stated);
    part.stated =
        draft.header.stated.iter().chain(stated).map(|it| in_columns(it, &draft.events, events)).collect();
    let whole = draft.events.len() == events && draft.events.iter().zip(0..).all(|(&event, at)| event == at);
    let into = Into {
        part: &mut part,
        id: PartId::from(profile.parts.len()),
        functions,
        columns: (!whole).then_some(&draft.events[..]),
        width: draft.events.len(),
        extents,
    };
    let mut join = Join::new(into, profile.functions.len(), events);
    join.survey(&pieces);
    for (piece, meaning) in pieces {
        join.add(piece, &meaning);
    }
    profile.parts.push(part);
}

fn in_columns(stated: &StatedSum, columns: &[u32], events: usize) -> StatedSum {
    let mut costs = vec![0; events];
    columns.iter().zip(&stated.costs).for_each(|(&column, &cost)| costs[column as usize] = cost);
    StatedSum { name: stated.name.clone(), costs }
}

fn part(draft: &Draft<'_>, source: Option<&str>, width: usize, signed: bool) -> Part {
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

fn layout(draft: &Draft<'_>, scope: &Scope, beside: Option<&str>, functions: &[FunctionId]) -> PartLayout {
    let small = |numbers: &Numbering| {
        let all = numbers.all().into_iter();
        all.filter_map(|(number, entry)| Some((u32::try_from(number).ok()?, entry))).collect::<Vec<_>>()
    };
    let of = |numbers: &Numbering| small(numbers).into_iter();
    PartLayout {
        source: beside.map(str::to_owned),
        addresses: draft.columns.addresses,
        lines: draft.columns.lines,
        columns: draft.events.clone(),
        objects: of(&scope.objects).map(|(number, it)| (number, ObjectId(it))).collect(),
        files: of(&scope.files).map(|(number, it)| (number, FileId(it))).collect(),
        functions: of(&scope.functions).map(|(number, it)| (number, functions[it as usize])).collect(),
    }
}

/// Sorts the extents by function.
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

/// Says where the costs do not add up to what the file says of itself, or do not fit.
fn tell_sums(profile: &Profile, diagnostics: &mut Vec<Diagnostic>) {
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

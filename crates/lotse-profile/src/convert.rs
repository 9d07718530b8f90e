//! Prepares a profile for a writer: the chosen parts, the wanted event type first, as stacks or totals.

use std::sync::Arc;

use lotse_formats::FormatError;
use lotse_formats::write::{Naming, Needs, Writer};
use lotse_model::Profile;
use lotse_model::id::{FunctionId, PartId};
use lotse_model::profile::{Costs, Detail, Details, OnDemand, Part};

use crate::analysis::{Analysis, InclusiveOrigin};
use crate::events::default_event;
use crate::open::Opened;

mod distinct;
mod events;
mod kept;
mod namesakes;
mod paths;
mod rest;
mod stacks;
mod totals;

pub(crate) use kept::KeptStacks;

/// A profile ready to be written, and notes about what was estimated or lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    pub profile: Profile,
    /// What was estimated or lost.
    pub notes: Vec<String>,
}

/// Prepares the analysed parts of a profile; `first` is the event type that comes first.
pub fn prepare(
    opened: &Opened<'_>,
    analysis: &Analysis<'_>,
    writer: &Writer,
    first: Option<usize>,
) -> Result<Prepared, FormatError> {
    let has_stacks = analysis.samples.is_some();
    let mut prepared = match (writer.needs, has_stacks) {
        (Needs::Stacks, _) => stacked(analysis),
        (Needs::Totals, false) => {
            Prepared { profile: with_all_details(opened, chosen(analysis), analysis)?, notes: Vec::new() }
        }
        (Needs::Totals, true) => totals::from_stacks(analysis),
    };
    prepared.notes.extend(namesakes::rename(&mut prepared.profile));
    if writer.needs == Needs::Totals
        && analysis.origin == InclusiveOrigin::File
        && !analysis.cycles.members.is_empty()
    {
        prepared.notes.push(
            "the inclusive costs that the file states are not written, for the format has no place for them: in \
             cycles, readers of calls work out others"
                .to_owned(),
        );
    }
    let first = first.filter(|first| *first < prepared.profile.events.len());
    prepared.profile.default_event = first.or_else(|| default_event(analysis.profile));
    // Readers of calls use the first event type; other formats state which one is the default, or have only one.
    let leading = first.or(prepared.profile.default_event.filter(|_| writer.needs == Needs::Totals));
    if let Some(leading) = leading {
        events::bring_first(&mut prepared.profile, leading);
    }
    if writer.names == Naming::Distinct {
        distinct::name_distinctly(&mut prepared.profile);
    }
    Ok(prepared)
}

/// The chosen parts as stacks: those of the file, or estimated ones if it has only calls.
fn stacked(analysis: &Analysis<'_>) -> Prepared {
    if analysis.samples.is_some() {
        return Prepared { profile: chosen(analysis), notes: Vec::new() };
    }
    stacks::from_calls(analysis, Vec::new())
}

/// The same. Estimated stacks have the inclusive costs of some members of cycles above them, one of each cycle; the last
/// ones are kept with the analysis.
pub(crate) fn stacked_through(analysis: &Analysis<'_>, through: &[FunctionId]) -> Arc<Prepared> {
    if analysis.samples.is_some() {
        return Arc::new(stacked(analysis));
    }
    analysis.lazy.stacks.of(through, || stacks::from_calls(analysis, through.to_vec()))
}

/// The profile with the chosen parts only.
fn chosen(analysis: &Analysis<'_>) -> Profile {
    let mut profile = analysis.profile.clone();
    let part = |part: &PartId| Part { selected: true, ..profile.parts[part.index()].clone() };
    profile.parts = analysis.parts.iter().map(part).collect();
    let place = |part: PartId| analysis.parts.iter().position(|chosen| *chosen == part).map(PartId::from);
    if let Details::Loaded(detail) = &mut profile.details {
        **detail = renumbered(detail, &place);
    }
    let data = &mut profile.data;
    let kept: Vec<(usize, PartId)> =
        data.part.iter().enumerate().filter_map(|(row, part)| Some((row, place(*part)?))).collect();
    data.name = kept.iter().map(|(row, _)| data.name[*row]).collect();
    data.stack = kept.iter().map(|(row, _)| data.stack[*row]).collect();
    data.accesses = kept.iter().map(|(row, _)| data.accesses[*row].clone()).collect();
    data.costs = rows(&data.costs, kept.iter().map(|(row, _)| *row));
    data.part = kept.into_iter().map(|(_, part)| part).collect();
    profile
}

fn rows(costs: &Costs, rows: impl Iterator<Item = usize>) -> Costs {
    let mut kept = Costs::new(costs.width(), costs.signed());
    rows.for_each(|row| kept.push(costs.row(row)));
    kept
}

/// The rows of the chosen parts, with their new part numbers.
fn renumbered(detail: &Detail, place: &impl Fn(PartId) -> Option<PartId>) -> Detail {
    let mut kept = Detail::default();
    append(&mut kept, detail, place);
    kept
}

/// Appends the rows of the chosen parts to a detail; `place` gives the new number of a part.
fn append(to: &mut Detail, from: &Detail, place: &impl Fn(PartId) -> Option<PartId>) {
    if to.lines.costs.width() == 0 {
        to.lines.costs = Costs::new(from.lines.costs.width(), from.lines.costs.signed());
    }
    if to.sites.costs.width() == 0 {
        to.sites.costs = Costs::new(from.sites.costs.width(), from.sites.costs.signed());
    }
    let (lines, sites, jumps) = (&from.lines, &from.sites, &from.jumps);
    for (row, part) in lines.part.iter().enumerate().filter_map(|(row, part)| Some((row, place(*part)?))) {
        to.lines.function.push(lines.function[row]);
        to.lines.part.push(part);
        to.lines.place.push(lines.place[row]);
        to.lines.costs.push(lines.costs.row(row));
    }
    for (row, part) in sites.part.iter().enumerate().filter_map(|(row, part)| Some((row, place(*part)?))) {
        to.sites.caller.push(sites.caller[row]);
        to.sites.callee.push(sites.callee[row]);
        to.sites.part.push(part);
        to.sites.place.push(sites.place[row]);
        to.sites.target.push(sites.target[row]);
        to.sites.count.push(sites.count[row]);
        to.sites.costs.push(sites.costs.row(row));
    }
    for (row, part) in jumps.part.iter().enumerate().filter_map(|(row, part)| Some((row, place(*part)?))) {
        to.jumps.function.push(jumps.function[row]);
        to.jumps.part.push(part);
        to.jumps.from.push(jumps.from[row]);
        to.jumps.to.push(jumps.to[row]);
        to.jumps.into.push(jumps.into[row]);
        to.jumps.executed.push(jumps.executed[row]);
        to.jumps.taken.push(jumps.taken[row]);
        to.jumps.conditional.push(jumps.conditional[row]);
    }
}

/// The profile with all costs by line, call site and jump that were left in the file.
fn with_all_details(
    opened: &Opened<'_>,
    mut profile: Profile,
    analysis: &Analysis<'_>,
) -> Result<Profile, FormatError> {
    if let Details::OnDemand(OnDemand { .. }) = profile.details {
        let place = |part: PartId| analysis.parts.iter().position(|chosen| *chosen == part).map(PartId::from);
        let mut all = Detail::default();
        for function in profile.functions.ids() {
            append(&mut all, &opened.detail(function)?, &place);
        }
        profile.details = Details::Loaded(Box::new(all));
    }
    Ok(profile)
}

/// An empty part with the labels of the chosen one, or called `all` if several parts are summed.
fn part_like(analysis: &Analysis<'_>) -> Part {
    let profile = analysis.profile;
    match analysis.parts.as_slice() {
        [chosen] => {
            let only = &profile.parts[chosen.index()];
            let empty = Part::new(&only.name, profile.events.len(), profile.signed);
            let (process, thread, source) = (only.process, only.thread, only.source.clone());
            Part { number: only.number, process, thread, source, trigger: only.trigger.clone(), ..empty }
        }
        _ => Part::new("all", profile.events.len(), profile.signed),
    }
}

#[cfg(test)]
mod tests;

//! Call paths at one process, thread or stream: `stencil@3`, `stencil@3.1`, `kernel@stream 7`.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::WhatIfError;
use crate::retime::{Factor, Scaled};
use crate::store::Trace;

/// Call paths at some locations, or everywhere where `locations` is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathsAtLocations {
    pub(super) paths: Vec<PathId>,
    pub(super) locations: Option<Vec<LocationId>>,
}

impl PathsAtLocations {
    /// Parses `PATH`, `PATH@PROCESS`, `PATH@PROCESS.THREAD` or `PATH@STREAM`. A path whose own name ends like that has
    /// priority.
    pub(super) fn named(trace: &Trace, name: &str) -> Result<Self, WhatIfError> {
        let everywhere = trace.paths_named(name);
        if !everywhere.is_empty() {
            return Ok(Self { paths: everywhere, locations: None });
        }
        let no_path = |name: &str| WhatIfError::NoPath { name: name.to_owned() };
        let Some((path, who)) = name.rsplit_once('@') else { return Err(no_path(name)) };
        let on_stream = stream(trace, who);
        let numbered = process_and_thread(who).map(|(process, thread)| locations(trace, process, thread));
        let Some(locations) = numbered.or(on_stream) else { return Err(no_path(name)) };
        let paths = trace.paths_named(path);
        if paths.is_empty() {
            return Err(no_path(path));
        }
        if locations.is_empty() {
            return Err(WhatIfError::NoPlace { name: who.to_owned() });
        }
        Ok(Self { paths, locations: Some(locations) })
    }

    /// The change that multiplies their exclusive time.
    pub(super) fn scaled(&self, factor: Factor) -> impl Iterator<Item = Scaled> + '_ {
        let somewhere = self.locations.iter().flatten().map(|&it| Some(it));
        let places: Vec<Option<LocationId>> =
            if self.locations.is_some() { somewhere.collect() } else { vec![None] };
        let scaled = move |path: PathId| {
            let places = places.clone().into_iter();
            places.map(move |location| Scaled { path, location, factor })
        };
        self.paths.iter().flat_map(move |&path| scaled(path))
    }

    /// The exclusive time of a call path at these locations.
    pub(super) fn ticks(&self, trace: &Trace, path: PathId) -> Ticks {
        let here = |location: &LocationId| self.locations.as_ref().is_none_or(|some| some.contains(location));
        trace.locations().filter(here).map(|location| own_time(trace, location, path)).sum()
    }
}

/// The accelerator stream of this label or name.
fn stream(trace: &Trace, name: &str) -> Option<Vec<LocationId>> {
    let labels = trace.location_labels();
    let is_called = |it: &LocationId| labels[it.index()] == name || trace.location(*it).name == name;
    let streams = trace.accelerators().streams.iter().map(|stream| stream.location);
    streams.into_iter().find(is_called).map(|it| vec![it])
}

/// Parses `3` as a process, `3.1` as a process and a thread.
fn process_and_thread(who: &str) -> Option<(u64, Option<usize>)> {
    match who.split_once('.') {
        Some((process, thread)) => Some((process.parse().ok()?, Some(thread.parse().ok()?))),
        None => Some((who.parse().ok()?, None)),
    }
}

/// All threads of the process of that rank, or one of them. If there is only one process, a single number names one of
/// its threads.
fn locations(trace: &Trace, process: u64, thread: Option<usize>) -> Vec<LocationId> {
    let processes = trace.processes();
    let one = |threads: &[LocationId], number: Option<usize>| number.and_then(|it| threads.get(it)).copied();
    if let ([(_, threads)], None) = (&processes[..], thread) {
        return one(threads, usize::try_from(process).ok()).into_iter().collect();
    }
    let is_wanted = |position: usize, id| trace.rank(id).unwrap_or(position as u64) == process;
    let mut found = processes.iter().enumerate().filter(|(position, (id, _))| is_wanted(*position, *id));
    let Some((_, (_, threads))) = found.next() else { return Vec::new() };
    match thread {
        Some(_) => one(threads, thread).into_iter().collect(),
        None => threads.clone(),
    }
}

pub(super) fn own_time(trace: &Trace, location: LocationId, path: PathId) -> Ticks {
    let uses = &trace.uses[location.index()];
    uses.binary_search_by_key(&path, |used| used.path).map_or(0, |at| uses[at].exclusive)
}

/// The name of a location as written behind `@`: `3`, `3.1` where its process has several threads, a stream by its label.
pub(crate) fn place_name(trace: &Trace, location: LocationId) -> String {
    let processes = trace.processes();
    let own = processes.iter().enumerate().find_map(|(position, (process, threads))| {
        let thread = threads.iter().position(|&it| it == location)?;
        Some((trace.rank(*process).unwrap_or(position as u64), thread, threads.len()))
    });
    match own {
        Some((_, thread, _)) if processes.len() == 1 => thread.to_string(),
        Some((process, _, 1)) => process.to_string(),
        Some((process, thread, _)) => format!("{process}.{thread}"),
        None => trace.location_labels()[location.index()].clone(),
    }
}

//! The figures that a reader must find in a generated file, stored beside it as JSON.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::costs::Costs;
use super::graph::Graph;
use super::lines::Program;
use super::names::Places;
use super::{Cost, EVENTS, Size, with_suffix};
use crate::dice::mixed;
use crate::error::Error;

/// How many functions are listed.
const TOP: usize = 20;
/// The answer for `x` is in `x.answer.json`.
const SUFFIX: &str = ".answer.json";

/// The expected figures of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub size: Size,
    /// Length of the file.
    pub bytes: u64,
    /// Names of the event types, in the order of all costs.
    pub events: Vec<String>,
    /// Total cost.
    pub totals: Cost,
    /// Number of functions.
    pub function_count: u64,
    /// Number of distinct pairs of caller and callee.
    pub call_count: u64,
    /// The functions with the largest self cost by the first event type, the largest first.
    pub top_self: Vec<Function>,
    /// The same by inclusive cost.
    pub top_inclusive: Vec<Function>,
    /// [`fingerprint`] of all functions, added up.
    pub fingerprint: u64,
}

/// A function and its costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// Self cost.
    #[serde(rename = "self")]
    pub own: Vec<u64>,
    /// Self cost and calls; of a member of a cycle, the largest lower bound, for calls inside cycles must not be added.
    pub inclusive: Vec<u64>,
    /// Number of calls, including those by itself and within a cycle; `None` where the format does not count.
    pub calls: Option<u64>,
}

impl Answer {
    /// Reads the answer for a file; `None` if it does not exist or has another format.
    pub fn beside(path: &Path) -> Result<Option<Self>, Error> {
        let path = with_suffix(path, SUFFIX);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => Ok(serde_json::from_slice(&read.map_err(Error::file("read", &path))?).ok()),
        }
    }

    /// Writes the answer beside the file.
    pub fn write_beside(&self, path: &Path) -> Result<(), Error> {
        let path = with_suffix(path, SUFFIX);
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|source| Error::Json { tool: "this benchmark", source })?;
        fs::write(&path, text).map_err(Error::file("write", &path))
    }
}

/// A number for a function's name, self and inclusive cost. The sum over all functions does not depend on their order
/// and tells whether every one of them is right.
pub fn fingerprint(name: &str, own: &[u64], inclusive: &[u64]) -> u64 {
    let numbers = name.bytes().map(u64::from).chain(own.iter().copied()).chain(inclusive.iter().copied());
    numbers.fold(0, |state, number| mixed(state.wrapping_add(1) ^ number))
}

/// Computes the expected figures from the graph and its costs; `bytes` is the length of the file.
pub(super) fn compute(program: &Program, graph: &Graph, costs: &Costs, bytes: u64) -> Answer {
    let places = Places::new(program.size);
    let all = || 0..program.size.functions;
    let listed = |cost: fn(&Costs, u32) -> &Cost| {
        let mut functions: Vec<u32> = all().collect();
        functions.sort_by_key(|function| std::cmp::Reverse(cost(costs, *function)[0]));
        functions.truncate(TOP);
        functions.into_iter().map(|it| function(places, graph, costs, it)).collect()
    };
    let print = |it| fingerprint(&places.function_name(it), costs.own(it), costs.inclusive(it));
    Answer {
        size: program.size,
        bytes,
        events: EVENTS.map(str::to_owned).to_vec(),
        totals: costs.total(),
        function_count: u64::from(program.size.functions),
        call_count: graph.len() as u64,
        top_self: listed(Costs::own),
        top_inclusive: listed(Costs::inclusive),
        fingerprint: all().map(print).fold(0, u64::wrapping_add),
    }
}

fn function(places: Places, graph: &Graph, costs: &Costs, function: u32) -> Function {
    Function {
        name: places.function_name(function),
        own: costs.own(function).to_vec(),
        inclusive: costs.inclusive(function).to_vec(),
        calls: Some(graph.called(function)),
    }
}

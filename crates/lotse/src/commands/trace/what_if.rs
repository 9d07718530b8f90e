//! `lotse trace what-if`.

use lotse_trace::analyze::{Latency, Request, what_if};
use lotse_trace::report;

use super::metrics::metrics;
use super::{ending, limit, print, subject_of};
use crate::args::trace_what_if::{LatencyArg, WhatIfArgs};
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &WhatIfArgs) -> Result<Exit, Failure> {
    let request = request(args);
    if request == Request::default() {
        return Err(Failure::usage(
            "nothing is to be changed: say what with --zero, --scale, --balance, --latency, --remove or --outside-lock",
        ));
    }
    for (name, _) in &request.removed {
        metrics(name, &[])?;
    }
    let (subject, damaged) = subject_of(&args.input, &args.cut, !args.output.json)?;
    let answer = what_if(&subject, &request).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let limit = limit(&args.output, args.limit, 10);
    let table = args.table.as_deref().unwrap_or("bounds");
    let names = &subject.facts.location_labels;
    print(&args.output, Some(table), &answer, || report::what_if(&answer, names, limit))?;
    Ok(ending(damaged))
}

/// The changes asked for; `METRIC@PATH` of `--remove` is split at the first `@`.
fn request(args: &WhatIfArgs) -> Request {
    let zero = args.zero.iter().map(|path| (path.clone(), 0.0));
    let removed = args.remove.iter().map(|text| match text.split_once('@') {
        Some((metric, path)) => (metric.to_owned(), Some(path.to_owned())),
        None => (text.clone(), None),
    });
    Request {
        balanced: args.balance.clone(),
        scaled: zero.chain(args.scale.iter().cloned()).collect(),
        latency: args.latency.map(|latency| match latency {
            LatencyArg::Add(seconds) => Latency::Add(seconds),
            LatencyArg::Times(factor) => Latency::Times(factor),
        }),
        removed: removed.collect(),
        outside_lock: args.outside_lock.clone(),
    }
}

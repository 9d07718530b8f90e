//! `lotse profile graph`.

use std::path::Path;

use lotse_profile::graph::{GraphQuery, graph};
use lotse_report::dot::dot;
use lotse_report::svg::call_graph;

use super::calls::find_function;
use super::top::grouping;
use super::tree::{drawn, not_additive};
use crate::args::profile_views::{DrawingArg, GraphArgs};
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: &GraphArgs) -> Result<Exit, Failure> {
    drawn((&args.input, &args.select, &args.events, &args.file), |analysis, column, title| {
        let found = args.function.as_deref().map(|name| find_function(analysis, name)).transpose()?;
        let query = GraphQuery {
            column,
            start: found.map(|found| found.function),
            depth: args.depth,
            node_share: args.node_share,
            edge_share: args.edge_share,
            group: args.group.map(grouping),
        };
        let drawn = graph(analysis, &query, title).map_err(not_additive)?;
        Ok(match format(args) {
            DrawingArg::Svg => call_graph(&drawn.labels, &drawn.pictured()).as_str().to_owned(),
            DrawingArg::Dot => dot(&drawn.title, &drawn.graph),
        })
    })
}

/// As asked for, else by the ending of the file.
fn format(args: &GraphArgs) -> DrawingArg {
    let ending = args.file.out.as_deref().and_then(Path::extension);
    let is_dot = ending.is_some_and(|ending| ending == "dot" || ending == "gv");
    args.to.unwrap_or(if is_dot { DrawingArg::Dot } else { DrawingArg::Svg })
}

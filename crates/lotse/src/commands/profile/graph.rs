//! `lotse profile graph`.

use std::path::Path;

use lotse_profile::graph::{GraphAnswer, GraphQuery, answer, graph};
use lotse_report::dot::dot;
use lotse_report::svg::{MOST_NODES, call_graph};

use super::calls::find_function;
use super::top::grouping;
use super::tree::{draw_picture, json_text, not_additive};
use crate::args::profile_views::{DrawingArg, GraphArgs};
use crate::exit::{Exit, Failure};

/// Draws the call graph, around a function if one is given, as SVG, as text for Graphviz or as JSON.
pub(crate) fn run(args: &GraphArgs) -> Result<Exit, Failure> {
    draw_picture((&args.input, &args.select, &args.events, &args.file), |drawing| {
        let analysis = drawing.analysis;
        let found = args.function.as_deref().map(|name| find_function(analysis, name)).transpose()?;
        let (start, note) = found.map_or((None, None), |(function, note)| (Some(function), note));
        drawing.remark(note.as_ref());
        let query = GraphQuery {
            column: drawing.column,
            start,
            depth: args.depth,
            node_share: args.node_share,
            edge_share: args.edge_share,
            nodes: node_limit(args),
            group: args.group.map(grouping),
        };
        if drawing.json {
            let answer = answer(analysis, &query).map_err(not_additive)?;
            let diagnostics = drawing.diagnostics(note);
            return json_text(&GraphAnswer { format: drawing.format(), diagnostics, ..answer });
        }
        let drawn = graph(analysis, &query, drawing.title).map_err(not_additive)?;
        drawing.remark(drawn.hidden.as_ref());
        Ok(match format(args) {
            DrawingArg::Svg => call_graph(&drawn.labels, &drawn.with_legend()).as_str().to_owned(),
            DrawingArg::Dot => dot(&drawn.title, &drawn.graph),
        })
    })
}

/// The largest number of functions: as asked for, but a picture has at most [`MOST_NODES`].
fn node_limit(args: &GraphArgs) -> Option<usize> {
    let given = (args.nodes > 0).then_some(args.nodes);
    match format(args) {
        DrawingArg::Svg => Some(given.map_or(MOST_NODES, |given| given.min(MOST_NODES))),
        DrawingArg::Dot => given,
    }
}

/// The format asked for, else by the extension of the file.
fn format(args: &GraphArgs) -> DrawingArg {
    let ending = args.file.out.as_deref().and_then(Path::extension);
    let is_dot = ending.is_some_and(|ending| ending == "dot" || ending == "gv");
    args.to.unwrap_or(if is_dot { DrawingArg::Dot } else { DrawingArg::Svg })
}

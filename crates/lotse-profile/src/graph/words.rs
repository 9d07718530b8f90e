//! The title, legend and notes of a graph.

use lotse_report::number::format_share;
use lotse_report::svg::{CallGraph, CallNode, Labels};

use super::{Graph, GraphQuery, HiddenElements};
use crate::analysis::Analysis;
use crate::report::Numbers;
use crate::unfold::{threshold, whole_note};

/// Adds a description of the picture, as a title line and as a box. The caller fills in the costs.
pub(super) fn describe(
    analysis: &Analysis<'_>,
    query: &GraphQuery<'_>,
    title: &str,
    (graph, hidden): (CallGraph, HiddenElements),
) -> Graph {
    let whole = whole_note(analysis, query.column, query.column.total(&analysis.totals));
    let cuts = cuts(query, &hidden);
    let line = format!("{title} · {whole} · {}", cuts.join(", "));
    let legend = CallNode { label: whole, details: cuts, share: 0.0, is_cycle: false };
    let labels = Labels {
        title: title.to_owned(),
        description: line.clone(),
        quantity: query.column.name.clone(),
        unit: query.column.base,
    };
    Graph {
        labels,
        title: line,
        legend,
        hidden: hidden_note(query, &hidden),
        graph,
        costs: Vec::new(),
        hidden_elements: hidden,
    }
}

/// The limits and what they hide, in lines that fit into a box.
fn cuts(query: &GraphQuery<'_>, hidden: &HiddenElements) -> Vec<String> {
    let of = if query.start.is_some() { " of the function" } else { "" };
    let most = query.nodes.filter(|_| hidden.beyond > 0);
    let most = most.map_or_else(String::new, |most| format!(", at most {most}"));
    vec![
        format!("functions ≥ {}{of}{most}", threshold(query.node_share)),
        format!("calls ≥ {}{of}", threshold(query.edge_share)),
        format!("hidden: {}", counted(hidden.functions, "function")),
        format!("({} of self cost), {}", format_share(hidden.own, 1), counted(hidden.calls, "call")),
    ]
}

/// A sentence about what is hidden, and the options that show more; `None` if nothing is hidden.
fn hidden_note(query: &GraphQuery<'_>, hidden: &HiddenElements) -> Option<String> {
    let calls = counted(hidden.calls, "call");
    match (hidden.functions, hidden.calls) {
        (0, 0) => return None,
        (0, _) => return Some(format!("the graph hides {calls}; --edge-share 0 shows all")),
        _ => {}
    }
    let more = match (hidden.beyond, query.start) {
        (1.., _) => "--nodes 0 shows more, with --to dot all of them",
        (0, Some(_)) => {
            "they have nothing to do with the function, or cost less than --node-share and --edge-share"
        }
        (0, None) => "--node-share 0 and --edge-share 0 show all",
    };
    Some(format!(
        "the graph hides {} with {} of the self cost, and {calls}; {more}",
        counted(hidden.functions, "function"),
        format_share(hidden.own, 1)
    ))
}

fn counted(count: usize, one: &str) -> String {
    format!("{} {one}{}", Numbers::Readable.count(count as u64), if count == 1 { "" } else { "s" })
}

//! Writes a page with every picture of profiles to standard output, to look at; with `dot` the call graph as DOT.

use std::io::{self, Write};

use lotse_model::Unit;
use lotse_report::svg::{
    CallEdge, CallGraph, CallNode, CostNode, FlameGrowth, Labels, Svg, call_graph, flame, treemap,
};
use lotse_report::{Block, Document, Figure, Options, dot, format};

fn main() -> io::Result<()> {
    let text = match std::env::args().nth(1).as_deref() {
        Some("dot") => dot::dot("Calls", &calls(40)),
        Some("flame") => flame(&labels("Flame graph"), &tree(), FlameGrowth::Up).as_str().to_owned(),
        Some("treemap") => treemap(&labels("Treemap"), &tree()).as_str().to_owned(),
        Some("graph") => call_graph(&labels("Call graph"), &calls(40)).as_str().to_owned(),
        _ => page()?,
    };
    io::stdout().lock().write_all(text.as_bytes())
}

fn page() -> io::Result<String> {
    let mut document = Document::new();
    document.heading(1, "Gallery").paragraph("Every picture of a profile, with made-up numbers.");
    figure(&mut document, "Flame graph", flame(&labels("Flame graph"), &tree(), FlameGrowth::Up));
    figure(&mut document, "Icicles", flame(&labels("Icicles"), &tree(), FlameGrowth::Down));
    figure(&mut document, "Treemap", treemap(&labels("Treemap"), &tree()));
    figure(&mut document, "Call graph", call_graph(&labels("Call graph"), &calls(12)));
    figure(&mut document, "Larger call graph", call_graph(&labels("Larger call graph"), &calls(40)));
    let html = format::named("html").ok_or_else(|| io::Error::other("no format html"))?;
    html.to_string(&document, Options::default())
}

fn labels(title: &str) -> Labels {
    Labels {
        title: title.into(),
        description: "Made-up costs.".into(),
        quantity: "CPU time".into(),
        unit: Unit::Seconds,
    }
}

fn figure(document: &mut Document, title: &str, svg: Svg) {
    let (caption, alt) = ("Made-up numbers.".to_owned(), "Made-up costs of some functions.".to_owned());
    document.push(Block::Figure(Figure { svg, title: title.to_owned(), caption, alt }));
}

/// A deterministic pseudo-random generator (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() * end as f64) as usize
    }
}

const NAMES: [&str; 14] = [
    "main",
    "core::iter::traits::iterator::Iterator::fold",
    "alloc::vec::Vec<T>::push",
    "parse_line",
    "Lexer::next_token",
    "hashbrown::raw::RawTable<T,A>::reserve_rehash",
    "std::collections::hash::map::HashMap<K,V>::insert",
    "__memmove_avx_unaligned_erms",
    "_int_malloc",
    "solve",
    "Matrix::multiply",
    "operator<<(std::ostream&, Box const&)",
    "write_all",
    "宽_字符",
];
const OBJECTS: [&str; 5] = ["sort", "libc.so.6", "libstdc++.so.6", "libm.so.6", "[kernel]"];

/// A random tree of up to 4000 nodes in breadth-first order: each node divides most of its cost among its children.
fn tree() -> Vec<CostNode<'static>> {
    let mut dice = Dice(88_172_645_463_325_252);
    let row = |parent: Option<usize>, name: usize, value: f64| CostNode {
        parent,
        label: NAMES[name].into(),
        value,
        detail: "sort.c:123".into(),
        key: OBJECTS[name % OBJECTS.len()].into(),
        whole: None,
    };
    let mut rows = vec![row(None, 0, 12.5)];
    let mut depths = vec![0];
    let mut next = 0;
    while next < rows.len() && rows.len() < 4000 {
        let mut left = rows[next].value * (0.75 + 0.25 * dice.roll());
        while depths[next] < 22 && left > rows[0].value * 0.0001 && dice.roll() > 0.04 {
            let part = left * (0.3 + 0.68 * dice.roll());
            rows.push(row(Some(next), dice.below(NAMES.len()), part));
            depths.push(depths[next] + 1);
            left -= part;
        }
        next += 1;
    }
    rows
}

/// A random call graph of `count` functions, with one edge back, one loop and one cycle.
fn calls(count: usize) -> CallGraph {
    let mut dice = Dice(4_101_842_887_655_102_017);
    let nodes = (0..count).map(|i| {
        let share = 1.0 / (1.0 + 0.35 * i as f64);
        let details = vec![format!("{:.2} s  ({:.1} %)", 12.5 * share, 100.0 * share), "sort.c".to_owned()];
        CallNode { label: NAMES[i % NAMES.len()].to_owned(), details, share, is_cycle: i == 5 }
    });
    let nodes: Vec<CallNode> = nodes.collect();
    let mut edges = Vec::new();
    let mut add = |from: usize, to: usize, share: f64| {
        edges.push(CallEdge {
            from,
            to,
            label: String::new(),
            share,
            count: Some((1e5 * share * share) as u64 + 1),
        });
    };
    for (to, node) in nodes.iter().enumerate().skip(1) {
        let from = dice.below(to.min(1 + to / 2));
        add(from, to, node.share * 0.8);
        if dice.roll() > 0.6 {
            add(dice.below(to), to, node.share * 0.2);
        }
    }
    add(7, 2, 0.05);
    add(4, 4, 0.1);
    CallGraph { nodes, edges }
}

//! The text is as expected, and Graphviz reads it with every name intact.

use std::io::Write;
use std::process::{Command, Stdio};

use super::dot;
use crate::svg::{CallEdge, CallGraph, CallNode};
use expect_test::expect;

fn node(label: &str, share: f64, is_cycle: bool) -> CallNode {
    CallNode { label: label.into(), details: vec!["1.5 s".into(), "a.c:7".into()], share, is_cycle }
}

fn graph(name: &str) -> CallGraph {
    let edge = |from, to, share| CallEdge { from, to, label: String::new(), share, count: Some(1234) };
    let edges = vec![edge(0, 1, 0.25), edge(1, 1, f64::NAN), edge(0, 5, 1.0)];
    CallGraph { nodes: vec![node("main", 1.0, false), node(name, 0.25, true)], edges }
}

/// The SVG that Graphviz draws; `None` if it is not installed.
fn drawn(text: &str) -> Option<String> {
    let mut dot = Command::new("dot");
    dot.arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = dot.spawn() else {
        println!("skipped: dot (Graphviz) not found");
        return None;
    };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_text_is_as_expected() {
    expect![[r##"
        digraph "a \"title\"" {
          graph [label="a \"title\"", labelloc=t, fontname="sans-serif"]
          node [shape=box, style="filled,rounded", fontname="monospace", fontsize=11]
          edge [fontname="sans-serif", fontsize=10, color="#5f6870"]
          n0 [label="main\n1.5 s\na.c:7", tooltip="main\n100.00 %", fillcolor="#f08c5a"]
          n1 [label="operator<<\n1.5 s\na.c:7", tooltip="operator<<\n25.00 %", fillcolor="#f8c6ad", peripheries=2]
          n0 -> n1 [label="25.00 %\n1,234 ×", penwidth=2.10]
          n1 -> n1 [label="0.00 %\n1,234 ×", penwidth=0.80]
        }
    "##]].assert_eq(&dot("a \"title\"", &graph("operator<<")));
}

#[test]
fn graphviz_reads_every_name() {
    let names = [
        "plain",
        "<b>html</b>",
        "a\"]; evil [label=\"x",
        "back\\slash\\N\\G\\",
        "&lt; &#65; &amp;",
        "two\nlines\u{1b}",
        "宽 → ∞",
        "",
        "}; digraph {",
        "// comment /* # */",
    ];
    for name in names {
        let Some(svg) = drawn(&dot(name, &graph(name))) else { return };
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let tree = roxmltree::Document::parse_with_options(&svg, options).unwrap();
        let texts: Vec<String> =
            tree.descendants().filter_map(|node| node.text()).map(str::to_owned).collect();
        let shown = crate::format::one_line(name);
        // Graphviz writes spaces as no-break spaces.
        let found = texts.iter().any(|text| text.replace('\u{a0}', " ") == shown);
        assert!(found || name.is_empty(), "{name}\n{svg}");
        assert_eq!(svg.matches("class=\"edge\"").count(), 2);
    }
}

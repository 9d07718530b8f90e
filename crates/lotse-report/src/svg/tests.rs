//! Every plot on ordinary and on degenerate input: well-formed, finite, without panics.

use super::{
    BoxSeries, Forest, ForestRow, Labels, RunOrder, RunPoint, RunSeries, Sample, Side, Svg, box_plot, ecdf,
    forest, histogram, run_order,
};
use expect_test::expect_file;
use lotse_model::Unit;

const NASTY: &str = "a<b>&\"c\"\n| \\ ]]> 宽\u{1b}";

fn labels() -> Labels {
    Labels {
        title: "Times <of> & \"all\"".into(),
        description: NASTY.into(),
        quantity: "wall time".into(),
        unit: Unit::Seconds,
    }
}

/// Values for which plots easily break.
fn nasty_samples() -> Vec<Vec<f64>> {
    vec![
        vec![],
        vec![f64::NAN],
        vec![0.0],
        vec![1.5],
        vec![2.0; 40],
        vec![-1.0, 0.0, 1.0],
        vec![1e-300, 1e300],
        vec![-f64::MAX, f64::MAX],
        vec![f64::INFINITY, 1.0, f64::NEG_INFINITY],
        vec![1.0, 1.0 + 1e-15],
        vec![f64::MIN_POSITIVE, 5e-324],
        (0..5000).map(f64::from).collect(),
    ]
}

fn boxed(values: &[f64]) -> BoxSeries {
    let at = |share: f64| values.get((values.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    BoxSeries {
        name: NASTY.into(),
        whisker_low: at(0.0),
        q1: at(0.25),
        median: at(0.5),
        q3: at(0.75),
        whisker_high: at(0.99),
        mean: at(0.5),
        outliers: values.to_vec(),
    }
}

fn runs(values: &[f64], drift: Option<(f64, f64)>) -> RunSeries {
    let point = |(run, &value): (usize, &f64)| RunPoint { run: run as f64, value, contended: run % 3 == 1 };
    RunSeries { name: NASTY.into(), points: values.iter().enumerate().map(point).collect(), drift }
}

fn check(svg: &Svg) {
    let text = svg.as_str();
    let tree = roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let root = tree.root_element();
    let child =
        |name: &str| root.children().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name)));
    assert!(root.attribute("viewBox").is_some());
    assert!(child("title").is_some() && child("desc").is_some());
    assert!(!text.contains("NaN\"") && !text.contains("inf"), "{text}");
    let foreign = |name: &str| matches!(name, "script" | "image" | "foreignObject" | "use" | "a");
    assert!(!tree.descendants().any(|node| foreign(node.tag_name().name())));
}

#[test]
fn nothing_breaks_a_plot() {
    let all: Vec<Sample> =
        nasty_samples().into_iter().map(|values| Sample { name: NASTY.into(), values }).collect();
    for one in all.iter().map(std::slice::from_ref).chain([&all[..], &[]]) {
        check(&ecdf(&labels(), one));
        check(&histogram(&labels(), one));
        check(&box_plot(&labels(), &one.iter().map(|sample| boxed(&sample.values)).collect::<Vec<_>>()));
        let series = one.iter().map(|sample| runs(&sample.values, Some((1.0, f64::MAX)))).collect();
        check(&run_order(&labels(), &RunOrder { series, boundaries: vec![0.5, f64::NAN] }));
    }
}

#[test]
fn nothing_breaks_a_forest_plot() {
    let ends = [0.0, -1.0, 1.0, 0.5, 1e-300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let row =
        |low: f64, high: f64| ForestRow { name: NASTY.into(), ratio: high, low, high, side: Side::Undecided };
    let rows: Vec<ForestRow> =
        ends.iter().flat_map(|&low| ends.iter().map(move |&high| row(low, high))).collect();
    for delta in [None, Some(0.01), Some(f64::NAN), Some(f64::MAX), Some(-1.0)] {
        for row in &rows {
            check(&forest(&labels(), &Forest { rows: vec![row.clone()], delta, sides: None }));
        }
        check(&forest(&labels(), &Forest { rows: rows.clone(), delta, sides: Some(["faster", "slower"]) }));
    }
    check(&forest(&labels(), &Forest::default()));
}

#[test]
fn a_small_plot_is_as_agreed() {
    let rows = vec![
        ForestRow { name: "new".into(), ratio: 0.95, low: 0.93, high: 0.97, side: Side::Better },
        ForestRow { name: "old".into(), ratio: 1.01, low: 0.98, high: f64::INFINITY, side: Side::Undecided },
    ];
    let plot = Forest { rows, delta: Some(0.01), sides: Some(["faster", "slower"]) };
    let labels = Labels { quantity: "ratio of wall times".into(), ..labels() };
    expect_file!["../../tests/golden/forest.svg"].assert_eq(forest(&labels, &plot).as_str());
}

#[test]
fn a_box_plot_is_as_agreed() {
    let series = boxed(&[0.010, 0.011, 0.0115, 0.012, 0.013, 0.020]);
    expect_file!["../../tests/golden/box.svg"].assert_eq(box_plot(&labels(), &[series]).as_str());
}

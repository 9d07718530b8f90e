//! Every plot on ordinary and on degenerate input: well-formed, finite, without panics.

use super::{
    Bar, BoxSeries, Forest, ForestRow, ForestVerdict, Labels, RunOrder, RunPoint, RunSeries, Sample, Svg,
    bars, box_plot, ecdf, forest, histogram, run_order,
};
use expect_test::expect_file;
use lotse_model::Unit;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_oneof, proptest};

const NASTY: &str = "a<b>&\"c\"\n| \\ ]]> 宽\u{1b}";

pub(super) fn labels() -> Labels {
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
        let bar = |&value: &f64| Bar { name: NASTY.into(), value, range: Some((value / 2.0, value * 2.0)) };
        let all: Vec<Bar> = one.iter().flat_map(|sample| sample.values.iter().take(20).map(bar)).collect();
        check(&bars(&labels(), &all));
        check(&histogram(&labels(), one));
        check(&box_plot(&labels(), &one.iter().map(|sample| boxed(&sample.values)).collect::<Vec<_>>()));
        let series = one.iter().map(|sample| runs(&sample.values, Some((1.0, f64::MAX)))).collect();
        check(&run_order(&labels(), &RunOrder { series, boundaries: vec![0.5, f64::NAN], axis: None }));
    }
}

#[test]
fn nothing_breaks_a_forest_plot() {
    let ends = [0.0, -1.0, 1.0, 0.5, 1e-300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let row = |low: f64, high: f64| ForestRow {
        name: NASTY.into(),
        ratio: high,
        low,
        high,
        side: ForestVerdict::Undecided,
    };
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
fn a_small_plot_is_as_expected() {
    let rows = vec![
        ForestRow { name: "new".into(), ratio: 0.95, low: 0.93, high: 0.97, side: ForestVerdict::Better },
        ForestRow {
            name: "old".into(),
            ratio: 1.01,
            low: 0.98,
            high: f64::INFINITY,
            side: ForestVerdict::Undecided,
        },
    ];
    let plot = Forest { rows, delta: Some(0.01), sides: Some(["faster", "slower"]) };
    let labels = Labels { quantity: "ratio of wall times".into(), ..labels() };
    expect_file!["../../tests/golden/forest.svg"].assert_eq(forest(&labels, &plot).as_str());
}

#[test]
fn a_box_plot_is_as_expected() {
    let series = boxed(&[0.010, 0.011, 0.0115, 0.012, 0.013, 0.020]);
    expect_file!["../../tests/golden/box.svg"].assert_eq(box_plot(&labels(), &[series]).as_str());
}

/// All points of all shapes and texts, and the corner opposite to the origin.
fn points(svg: &Svg) -> (Vec<(f64, f64)>, (f64, f64)) {
    let tree = roxmltree::Document::parse(svg.as_str()).unwrap();
    let numbers = |text: &str| -> Vec<f64> {
        text.split([' ', ',']).map(|number| number.parse().unwrap_or_else(|_| panic!("{text}"))).collect()
    };
    let mut points = Vec::new();
    for node in tree.descendants().filter(|node| node.attribute("width") != Some("100%")) {
        let at = |name: &str| node.attribute(name).map(|text| numbers(text)[0]);
        for (x, y) in [("x", "y"), ("x1", "y1"), ("x2", "y2"), ("cx", "cy")] {
            points.extend(at(x).zip(at(y)));
        }
        if let (Some((x, y)), Some((width, height))) = (at("x").zip(at("y")), at("width").zip(at("height"))) {
            points.push((x + width, y + height));
        }
        let list = node.attribute("points").filter(|list| !list.is_empty()).map_or_else(Vec::new, numbers);
        points.extend(list.chunks(2).map(|pair| (pair[0], pair[1])));
    }
    let corner = numbers(tree.root_element().attribute("viewBox").unwrap());
    (points, (corner[2], corner[3]))
}

/// Well-formed, and nothing is drawn beyond the picture.
pub(super) fn is_inside(svg: &Svg) -> bool {
    check(svg);
    let (points, (right, bottom)) = points(svg);
    points.iter().all(|(x, y)| (0.0..=right).contains(x) && (0.0..=bottom).contains(y))
}

/// Ordinary values, and now and then one from the ends of what a number can be.
fn values() -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![
        6 => 0.0..1.0f64,
        2 => any::<f64>(),
        1 => prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::MAX), Just(-f64::MAX), Just(f64::MIN_POSITIVE)],
    ];
    vec(value, 0..30)
}

fn samples() -> impl Strategy<Value = Vec<Sample>> {
    vec(("\\PC{0,60}", values()).prop_map(|(name, values)| Sample { name, values }), 0..9)
}

fn rows() -> impl Strategy<Value = Vec<ForestRow>> {
    let end = || prop_oneof![4 => 0.5..2.0f64, 1 => any::<f64>()];
    let side = prop_oneof![
        Just(ForestVerdict::Better),
        Just(ForestVerdict::Worse),
        Just(ForestVerdict::Equivalent),
        Just(ForestVerdict::Undecided)
    ];
    let row = ("\\PC{0,60}", end(), end(), end(), side);
    vec(row.prop_map(|(name, ratio, low, high, side)| ForestRow { name, ratio, low, high, side }), 0..9)
}

proptest! {
    #[test]
    fn distributions_stay_in_their_picture(samples in samples()) {
        prop_assert!(is_inside(&ecdf(&labels(), &samples)));
        prop_assert!(is_inside(&histogram(&labels(), &samples)));
        let boxes: Vec<BoxSeries> = samples.iter().map(|sample| boxed(&sample.values)).collect();
        prop_assert!(is_inside(&box_plot(&labels(), &boxes)));
    }

    #[test]
    fn runs_stay_in_their_picture(
        samples in samples(), drift in option::of((any::<f64>(), any::<f64>())), boundaries in values(),
    ) {
        let series = samples.iter().map(|sample| runs(&sample.values, drift)).collect();
        let plot = RunOrder { series, boundaries, axis: Some("result") };
        prop_assert!(is_inside(&run_order(&labels(), &plot)));
    }

    #[test]
    fn ratios_stay_in_their_picture(rows in rows(), delta in option::of(any::<f64>())) {
        let plot = Forest { rows, delta, sides: Some(["faster", "slower"]) };
        prop_assert!(is_inside(&forest(&labels(), &plot)));
    }

    /// A distribution function only rises, from the first value to the last.
    #[test]
    fn a_distribution_only_rises(values in vec(-1e6..1e6f64, 1..2000)) {
        let svg = ecdf(&labels(), &[Sample { name: "a".into(), values }]);
        let tree = roxmltree::Document::parse(svg.as_str()).unwrap();
        let stairs = tree.descendants().find_map(|node| node.attribute("points")).unwrap();
        let corners: Vec<(f64, f64)> = stairs
            .split(' ')
            .map(|pair| pair.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        // Up is towards smaller numbers.
        prop_assert!(corners.windows(2).all(|two| two[0].0 <= two[1].0 && two[0].1 >= two[1].1), "{stairs}");
        prop_assert!(corners.len() <= 2002);
        let height = corners[0].1 - corners[corners.len() - 1].1;
        prop_assert!((height - 280.0).abs() < 0.02, "from none to all: {height}");
    }
}

#[test]
fn a_plot_of_nothing_says_so() {
    let empty = [Sample { name: "a".into(), values: vec![f64::NAN] }];
    let no_runs = RunOrder { series: vec![runs(&[f64::NAN], None)], boundaries: vec![1.0], axis: None };
    for svg in [
        ecdf(&labels(), &empty),
        histogram(&labels(), &empty),
        box_plot(&labels(), &[boxed(&[])]),
        run_order(&labels(), &no_runs),
        forest(&labels(), &Forest::default()),
    ] {
        assert!(svg.as_str().contains(">no values</text>"), "{}", svg.as_str());
    }
}

/// Curves of ordinary and of degenerate points.
#[test]
fn curves_are_drawn() {
    use super::{Curve, CurveMark, CurvePoint, curve};
    for values in nasty_samples() {
        let point = |(index, value): (usize, &f64)| CurvePoint {
            x: index as f64,
            y: *value,
            band: (value / 2.0, value * 2.0),
        };
        let points: Vec<CurvePoint> = values.iter().enumerate().map(point).collect();
        let marks = vec![
            CurveMark { x: 1.0, text: NASTY.into() },
            CurveMark { x: f64::NAN, text: "nowhere".into() },
            CurveMark { x: 2.0, text: "leaves L2".into() },
        ];
        let svg = curve(&labels(), &Curve { across: NASTY.into(), points, marks });
        assert!(svg.as_str().starts_with("<svg") && !svg.as_str().contains("NaN"));
        assert!(!svg.as_str().contains("inf,") && !svg.as_str().contains("nowhere"));
    }
}

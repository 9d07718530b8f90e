//! Nodes and labels do not overlap, links lead downwards unless they close a cycle, and the work is bounded.

use super::{Course, GraphLayout, Link, Size, layered};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};

const BOX: Size = Size { width: 100.0, height: 40.0 };
const LABEL: Size = Size { width: 50.0, height: 14.0 };

fn links(pairs: &[(usize, usize)]) -> Vec<Link> {
    pairs.iter().map(|&(from, to)| Link { from, to, label: LABEL }).collect()
}

/// All boxes and labels by their middle and size.
fn boxes(nodes: &[Size], links: &[Link], layout: &GraphLayout) -> Vec<((f64, f64), Size)> {
    let labels = layout.routes.iter().zip(links).filter_map(|(route, link)| {
        let (x, y) = route.as_ref()?.label;
        Some(((x + link.label.width / 2.0, y), link.label))
    });
    layout.centres.iter().copied().zip(nodes.iter().copied()).chain(labels).collect()
}

fn overlap(a: &((f64, f64), Size), b: &((f64, f64), Size)) -> bool {
    (a.0.0 - b.0.0).abs() + 1e-6 < (a.1.width + b.1.width) / 2.0
        && (a.0.1 - b.0.1).abs() + 1e-6 < (a.1.height + b.1.height) / 2.0
}

#[test]
fn a_diamond_is_symmetric() {
    let layout = layered(&[BOX; 4], &links(&[(0, 1), (0, 2), (1, 3), (2, 3)]));
    let centres = &layout.centres;
    assert!((centres[0].0 - centres[3].0).abs() < 1.0, "{centres:?}");
    assert!((centres[1].0 + centres[2].0 - 2.0 * centres[0].0).abs() < 1.0, "{centres:?}");
    assert_eq!(centres[1].1, centres[2].1);
}

#[test]
fn a_cycle_has_one_link_upwards() {
    let layout = layered(&[BOX; 3], &links(&[(0, 1), (1, 2), (2, 0), (1, 1), (0, 9)]));
    let courses: Vec<Option<Course>> =
        layout.routes.iter().map(|route| route.as_ref().map(|route| route.course)).collect();
    let (down, up) = (Some(Course::Down), Some(Course::Up));
    assert_eq!(courses, [down, down, up, Some(Course::Loop), None]);
}

#[test]
fn what_is_tangled_is_untangled() {
    let layout = layered(&[BOX; 6], &links(&[(0, 5), (1, 4), (2, 3)]));
    let x = |node: usize| layout.centres[node].0;
    assert!([(0, 5), (1, 4), (2, 3)].iter().all(|&(a, b)| (x(a) - x(b)).abs() < 1.0), "{:?}", layout.centres);
}

#[test]
fn degenerate_graphs_have_layouts() {
    assert_eq!(layered(&[], &links(&[(0, 0)])).routes, [None]);
    let odd = Size { width: f64::NAN, height: f64::INFINITY };
    let layout = layered(&[odd, BOX], &[Link { from: 0, to: 1, label: odd }]);
    assert!(layout.size.width.is_finite() && layout.size.height.is_finite());
}

#[test]
fn large_graphs_take_no_long_time() {
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let tangle: Vec<(usize, usize)> = (0..2000).map(|_| (random(500), random(500))).collect();
    let chain: Vec<(usize, usize)> = (0..499).map(|i| (i, i + 1)).chain(tangle.iter().copied()).collect();
    for pairs in [tangle, chain] {
        let mut layout = None;
        let spent = test_support::cpu_time(|| layout = Some(layered(&[BOX; 500], &links(&pairs))));
        assert!(layout.unwrap().centres.iter().all(|centre| centre.0.is_finite()));
        assert!(
            spent.is_none_or(|spent| spent.as_secs() < 20),
            "CPU time in an unoptimised build: {spent:?}"
        );
    }
}

fn graphs() -> impl Strategy<Value = (Vec<Size>, Vec<Link>)> {
    let size = || (1.0..200.0f64, 1.0..80.0f64).prop_map(|(width, height)| Size { width, height });
    (1..25usize).prop_flat_map(move |count| {
        let link = (0..count, 0..count, size()).prop_map(|(from, to, label)| Link { from, to, label });
        (vec(size(), count), vec(link, 0..40))
    })
}

/// A second loop at a node would be drawn over the first.
fn without_second_loops(links: Vec<Link>) -> Vec<Link> {
    let mut seen = std::collections::BTreeSet::new();
    links.into_iter().filter(|link| link.from != link.to || seen.insert(link.from)).collect()
}

proptest! {
    #[test]
    fn nothing_overlaps_and_links_lead_down((nodes, links) in graphs()) {
        let mut links = without_second_loops(links);
        for link in links.iter_mut().filter(|link| link.from == link.to) {
            link.label.height = nodes[link.from].height / 2.0;
        }
        let layout = layered(&nodes, &links);
        let boxes = boxes(&nodes, &links, &layout);
        for (i, one) in boxes.iter().enumerate() {
            prop_assert!(!boxes[..i].iter().any(|other| overlap(one, other)), "{i} {boxes:?}");
            let (x, y) = one.0;
            prop_assert!(x - one.1.width / 2.0 >= -1e-6 && x + one.1.width / 2.0 <= layout.size.width + 1e-6);
            prop_assert!(y - one.1.height / 2.0 >= -1e-6 && y + one.1.height / 2.0 <= layout.size.height + 1e-6);
        }
        for (link, route) in links.iter().zip(&layout.routes) {
            let route = route.as_ref().unwrap();
            let falls = route.points.windows(2).all(|two| two[0].1 <= two[1].1);
            let rises = route.points.windows(2).all(|two| two[0].1 >= two[1].1);
            let (from, to) = (layout.centres[link.from].1, layout.centres[link.to].1);
            match route.course {
                Course::Down => prop_assert!(falls && from < to),
                Course::Up => prop_assert!(rises && from > to),
                Course::Loop => prop_assert_eq!(link.from, link.to),
            }
        }
        prop_assert_eq!(&layered(&nodes, &links), &layout);
    }

    #[test]
    fn graphs_without_cycles_lead_down_only(pairs in vec((0..30usize, 0..30usize), 0..80)) {
        let pairs: Vec<(usize, usize)> = pairs.into_iter().filter(|(from, to)| from < to).collect();
        let layout = layered(&[BOX; 30], &links(&pairs));
        prop_assert!(layout.routes.iter().flatten().all(|route| route.course == Course::Down));
    }

    #[test]
    fn any_links_have_a_layout(pairs in vec((any::<usize>(), 0..4usize), 0..20)) {
        let layout = layered(&[BOX; 3], &links(&pairs));
        prop_assert_eq!(layout.routes.len(), pairs.len());
    }
}

//! Frames are as wide as their share, children are within their parents, and the size is limited.

use super::super::cost_tree::CostTree;
use super::super::cost_tree::tests::{row, trees};
use super::super::tests::{is_inside, labels};
use super::layout::{MOST_FRAMES, MOST_ROWS, frames};
use super::{CostNode, FlameGrowth, flame};
use expect_test::expect_file;
use proptest::prelude::{prop_assert, proptest};

fn shares(rows: &[CostNode<'_>]) -> Vec<(f64, f64, usize)> {
    let (frames, _) = frames(&CostTree::new(rows));
    frames.iter().map(|frame| (frame.start, frame.share, frame.depth)).collect()
}

#[test]
fn frames_are_as_wide_as_their_share() {
    let rows = [
        row(None, "main", 8.0),
        row(Some(0), "parse", 2.0),
        row(Some(0), "run", 4.0),
        row(Some(2), "step", 1.0),
        row(None, "idle", 8.0),
    ];
    let expected = [(0.0, 0.5, 0), (0.0, 0.125, 1), (0.125, 0.25, 1), (0.125, 0.0625, 2), (0.5, 0.5, 0)];
    assert_eq!(shares(&rows), expected);
}

#[test]
fn a_small_flame_graph_is_as_expected() {
    let mut rows = vec![
        row(None, "main", 1.0),
        row(Some(0), "<T as core::iter::Iterator>::fold", 0.4),
        row(Some(0), "b\" onload=\"x", 0.3),
        row(Some(1), "tiny", 0.000_01),
    ];
    rows[1].detail = "libcore <1.95>\nsrc/iter.rs:7".into();
    let svg = flame(&labels(), &rows, FlameGrowth::Up);
    assert!(is_inside(&svg));
    expect_file!["../../../tests/golden/flame.svg"].assert_eq(svg.as_str());
}

#[test]
fn a_long_chain_is_truncated_with_a_note() {
    let rows: Vec<CostNode<'_>> = (0..1_000_000usize).map(|i| row(i.checked_sub(1), "again", 5.0)).collect();
    let svg = flame(&labels(), &rows, FlameGrowth::Down);
    assert!(svg.as_str().len() < 200_000);
    assert!(svg.as_str().contains(&format!("999,700 deeper than {MOST_ROWS} levels; together 100.0 %")));
}

#[test]
fn a_crowd_is_truncated_with_a_note() {
    let mut rows: Vec<CostNode<'_>> = vec![row(None, "all", 1.0)];
    for level in 0..10 {
        let first = rows.len();
        let parent = |i: usize| if level == 0 { 0 } else { first - 5000 + i };
        let next: Vec<CostNode<'_>> = (0..5000).map(|i| row(Some(parent(i)), "each", 0.000_2)).collect();
        rows.extend(next);
    }
    let (shown, left_out) = frames(&CostTree::new(&rows));
    assert_eq!((shown.len(), left_out.crowded), (MOST_FRAMES, 50_001 - MOST_FRAMES));
    assert!(shown.iter().all(|frame| frame.depth <= 4), "the upper rows go first");
    assert!(flame(&labels(), &rows, FlameGrowth::Up).as_str().contains("besides the 20,000 widest"));
}

#[test]
fn long_names_do_not_multiply() {
    let long = "very_long_name::".repeat(100_000);
    let rows: Vec<CostNode<'_>> = (0..1000).map(|_| row(None, &long, 1.0)).collect();
    assert!(flame(&labels(), &rows, FlameGrowth::Up).as_str().len() < 2_000_000);
}

#[test]
fn an_empty_picture_says_no_values() {
    for rows in [&[][..], &[row(None, "a", 0.0)], &[row(Some(7), "a", f64::NAN)]] {
        assert!(flame(&labels(), rows, FlameGrowth::Up).as_str().contains(">no values</text>"));
    }
}

proptest! {
    #[test]
    fn frames_stand_on_their_parents_side_by_side(rows in trees()) {
        let tree = CostTree::new(&rows);
        let (shown, left_out) = frames(&tree);
        let hidden = left_out.narrow + left_out.deep + left_out.crowded;
        prop_assert!(shown.len() + hidden == rows.len());
        prop_assert!((0.0..1.0 + 1e-9).contains(&left_out.share));
        let at = |node: usize| shown.iter().find(|frame| frame.node == node);
        for frame in &shown {
            let end = frame.start + frame.share;
            prop_assert!(frame.start >= 0.0 && end <= 1.0 + 1e-9);
            prop_assert!((frame.share - tree.values[frame.node] / tree.total).abs() < 1e-12);
            if let Some(parent) = tree.parent(frame.node) {
                let parent = at(parent).unwrap();
                prop_assert!(parent.depth + 1 == frame.depth);
                prop_assert!(frame.start >= parent.start && end <= parent.start + parent.share + 1e-9);
            }
            for other in shown.iter().filter(|other| other.depth == frame.depth && other.node > frame.node) {
                let apart = other.start >= end - 1e-9 || other.start + other.share <= frame.start + 1e-9;
                prop_assert!(apart, "{frame:?} {other:?}");
            }
        }
    }

    #[test]
    fn flame_graphs_stay_in_their_picture(rows in trees()) {
        prop_assert!(is_inside(&flame(&labels(), &rows, FlameGrowth::Up)));
        prop_assert!(is_inside(&flame(&labels(), &rows, FlameGrowth::Down)));
    }
}

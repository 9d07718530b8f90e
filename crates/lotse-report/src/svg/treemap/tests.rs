//! Areas are proportional to costs, rectangles are inside their parents and do not overlap their siblings.

use super::super::cost_tree::CostTree;
use super::super::cost_tree::tests::{row, trees};
use super::super::tests::{is_inside, labels};
use super::layout::{Tile, tiles};
use super::squarify::{Rect, squarify};
use super::{CostNode, treemap};
use expect_test::expect_file;
use proptest::collection::vec;
use proptest::prelude::{prop_assert, proptest};

const WHOLE: Rect = Rect { x: 10.0, y: 20.0, width: 600.0, height: 400.0 };

fn contains(outer: &Rect, inner: &Rect) -> bool {
    let near = 1e-6;
    inner.x >= outer.x - near
        && inner.y >= outer.y - near
        && inner.x + inner.width <= outer.x + outer.width + near
        && inner.y + inner.height <= outer.y + outer.height + near
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    let near = 1e-6;
    a.x + near < b.x + b.width
        && b.x + near < a.x + a.width
        && a.y + near < b.y + b.height
        && b.y + near < a.y + a.height
}

fn falling(mut areas: Vec<f64>) -> Vec<f64> {
    areas.sort_by(|a, b| b.total_cmp(a));
    let sum: f64 = areas.iter().sum();
    areas.iter().map(|area| area / sum * WHOLE.area()).collect()
}

#[test]
fn the_example_of_the_paper() {
    let whole = Rect { x: 0.0, y: 0.0, width: 6.0, height: 4.0 };
    let places = squarify(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], whole);
    assert_eq!(places[0], Rect { x: 0.0, y: 0.0, width: 3.0, height: 2.0 });
    assert_eq!(places[1], Rect { x: 0.0, y: 2.0, width: 3.0, height: 2.0 });
    assert!((places[2].width / places[2].height - 12.0 / 7.0 / (7.0 / 3.0)).abs() < 1e-9);
    assert!((places[6].area() - 1.0).abs() < 1e-9);
}

#[test]
fn a_small_treemap_is_as_expected() {
    let rows = [
        row(None, "main", 10.0),
        row(Some(0), "<T as core::iter::Iterator>::fold", 6.0),
        row(Some(0), "b\" onload=\"x", 3.0),
        row(Some(1), "inner", 2.0),
        row(Some(1), "tiny", 0.000_01),
    ];
    let svg = treemap(&labels(), &rows);
    assert!(is_inside(&svg));
    expect_file!["../../../tests/golden/treemap.svg"].assert_eq(svg.as_str());
}

#[test]
fn deep_and_wide_trees_are_truncated_with_a_note() {
    let deep: Vec<CostNode<'_>> = (0..1_000_000usize).map(|i| row(i.checked_sub(1), "again", 5.0)).collect();
    let wide: Vec<CostNode<'_>> = (0..1_000_000).map(|_| row(None, "each", 5.0)).collect();
    for rows in [&deep, &wide] {
        let svg = treemap(&labels(), rows);
        assert!(svg.as_str().len() < 200_000);
        assert!(svg.as_str().contains("too small"));
    }
    for rows in [&[][..], &[row(None, "a", 0.0)], &[row(Some(7), "a", f64::NAN)]] {
        assert!(treemap(&labels(), rows).as_str().contains(">no values</text>"));
    }
}

fn tile(tiles: &[Tile], node: usize) -> &Tile {
    tiles.iter().find(|tile| tile.node == node).unwrap()
}

proptest! {
    #[test]
    fn parts_have_their_areas_and_do_not_overlap(areas in vec(0.01..100.0f64, 1..80)) {
        let areas = falling(areas);
        let places = squarify(&areas, WHOLE);
        for (i, (area, place)) in areas.iter().zip(&places).enumerate() {
            prop_assert!((place.area() / area - 1.0).abs() < 1e-6, "{area} {place:?}");
            prop_assert!(contains(&WHOLE, place));
            prop_assert!(!places[..i].iter().any(|other| overlap(place, other)));
        }
    }

    #[test]
    fn tiles_lie_in_their_parents(rows in trees()) {
        let tree = CostTree::new(&rows);
        let tiles = tiles(&tree, WHOLE);
        for (i, one) in tiles.iter().enumerate() {
            let parent = tree.parent(one.node);
            let outer = parent.map_or(WHOLE, |parent| tile(&tiles, parent).rect);
            prop_assert!(contains(&outer, &one.rect));
            for other in tiles[..i].iter().filter(|other| tree.parent(other.node) == parent) {
                prop_assert!(!overlap(&one.rect, &other.rect));
                let ratio = one.rect.area() / other.rect.area();
                let expected = tree.values[one.node] / tree.values[other.node];
                prop_assert!((ratio / expected - 1.0).abs() < 1e-6, "{ratio} {expected}");
            }
        }
    }

    #[test]
    fn treemaps_stay_in_their_picture(rows in trees()) {
        prop_assert!(is_inside(&treemap(&labels(), &rows)));
    }
}

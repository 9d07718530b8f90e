//! Divides a rectangle into rectangles of given areas that are nearly square (Bruls, Huizing and van Wijk, Squarified
//! Treemaps, 2000).
//!
//! Areas are placed in descending order in strips along the shorter side of the remaining rectangle. A strip takes further
//! areas as long as this improves its worst aspect ratio.
//!
//! ```text
//! areas 6, 6, 4, 3, 2, 2, 1 in 6 x 4:
//! ┌──────┬────┬──┐
//! │  6   │ 4  │3 │     first strip: 6 and 6 (upright)
//! │      │    │  │     second strip: 4 and 3
//! ├──────┼──┬─┴┬─┤     then one strip each: 2, 2, 1
//! │  6   │2 │2 │1│
//! └──────┴──┴──┴─┘
//! ```

/// A rectangle by its upper left corner and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub(super) fn area(&self) -> f64 {
        self.width * self.height
    }

    /// The rectangle without a border on each side, and without a further strip at the top.
    pub(super) fn inside(&self, border: f64, top: f64) -> Self {
        Self {
            x: self.x + border,
            y: self.y + border + top,
            width: (self.width - 2.0 * border).max(0.0),
            height: (self.height - 2.0 * border - top).max(0.0),
        }
    }
}

/// A rectangle for each of the areas, which must be descending and add up to at most the area of the whole.
pub(super) fn squarify(areas: &[f64], whole: Rect) -> Vec<Rect> {
    let mut places = Vec::with_capacity(areas.len());
    let mut left = whole;
    while places.len() < areas.len() {
        let rest = &areas[places.len()..];
        let side = left.width.min(left.height);
        let count = strip_length(rest, side);
        left = cut_strip(&rest[..count], left, &mut places);
    }
    places
}

/// The number of areas for one strip along a side.
fn strip_length(areas: &[f64], side: f64) -> usize {
    let (mut sum, mut worst) = (0.0, f64::INFINITY);
    for (i, area) in areas.iter().enumerate() {
        sum += area;
        // The first area is the longest along the strip and the last one the shortest; one of them has the worst ratio.
        let thickness = sum / side;
        let ratio = |area: f64| (thickness * thickness / area).max(area / (thickness * thickness));
        let next = ratio(areas[0]).max(ratio(*area));
        if i > 0 && (next > worst || next.is_nan()) {
            return i;
        }
        worst = next;
    }
    areas.len()
}

/// Places the areas as a strip at the left or at the top; returns the remaining rectangle.
fn cut_strip(areas: &[f64], left: Rect, places: &mut Vec<Rect>) -> Rect {
    let sum: f64 = areas.iter().sum();
    let upright = left.width >= left.height;
    let (side, across) = if upright { (left.height, left.width) } else { (left.width, left.height) };
    let thickness = if side > 0.0 { (sum / side).min(across) } else { 0.0 };
    let mut at = 0.0;
    for area in areas {
        let length = if sum > 0.0 { side * (area / sum) } else { 0.0 };
        places.push(if upright {
            Rect { x: left.x, y: left.y + at, width: thickness, height: length }
        } else {
            Rect { x: left.x + at, y: left.y, width: length, height: thickness }
        });
        at += length;
    }
    if upright {
        Rect { x: left.x + thickness, width: left.width - thickness, ..left }
    } else {
        Rect { y: left.y + thickness, height: left.height - thickness, ..left }
    }
}

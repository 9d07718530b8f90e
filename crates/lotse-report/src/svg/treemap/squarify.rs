//! Cuts a rectangle into parts of given areas that are about square.
//!
//! The largest parts go first, in strips along the shorter side of what is left; a strip takes parts as long as that
//! makes its worst part squarer (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000).

/// A rectangle by its upper left corner and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rect {
    pub(super) fn area(&self) -> f64 {
        self.width * self.height
    }

    /// Without a border on each side, and without more at the top.
    pub(super) fn inside(&self, border: f64, top: f64) -> Self {
        Self {
            x: self.x + border,
            y: self.y + border + top,
            width: (self.width - 2.0 * border).max(0.0),
            height: (self.height - 2.0 * border - top).max(0.0),
        }
    }
}

/// A place for each of the areas, which fall from first to last and add up to no more than the rectangle has.
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

/// How many of the areas go into one strip along a side.
fn strip_length(areas: &[f64], side: f64) -> usize {
    let (mut sum, mut worst) = (0.0, f64::INFINITY);
    for (i, area) in areas.iter().enumerate() {
        sum += area;
        // The first is the longest along the strip, the last the shortest.
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

/// Lays the areas out as a strip at the left or at the top; gives back what is left of the rectangle.
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

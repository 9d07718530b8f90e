//! Names of series beside their colours, above a plot.

use super::canvas::{Anchor, Canvas, WIDTH, shortened, text_width};
use super::colour::Colour;

const LETTERS: usize = 40;
const ROW: f64 = 20.0;
const LEFT: f64 = 16.0;

/// Draws a mark at a point.
pub(super) type Mark = fn(&mut Canvas, (f64, f64), usize);

/// Where each name goes: rows filled from the left.
pub(super) struct Legend {
    places: Vec<(f64, f64, String)>,
    rows: f64,
}

impl Legend {
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut x, mut row) = (LEFT, 0.0);
        let mut places = Vec::new();
        for name in names {
            let short = shortened(name, LETTERS);
            let width = 24.0 + text_width(&short) + 16.0;
            if x > LEFT && x + width > WIDTH {
                (x, row) = (LEFT, row + 1.0);
            }
            places.push((x, 18.0 + row * ROW, short));
            x += width;
        }
        Self { rows: if places.is_empty() { 0.0 } else { row + 1.0 }, places }
    }

    pub(super) fn height(&self) -> f64 {
        self.rows * ROW + 12.0
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, mark: Mark) {
        for (i, (x, y, name)) in self.places.iter().enumerate() {
            canvas.coloured(Colour::Series(i), |canvas| mark(canvas, (x + 10.0, *y - 4.0), i));
            canvas.coloured(Colour::Ink, |canvas| canvas.text((x + 24.0, *y), Anchor::Start, name));
        }
    }
}

/// Says that there is nothing to see.
pub(super) fn nothing(canvas: &mut Canvas) {
    let middle = (canvas.width() / 2.0, canvas.height() / 2.0);
    canvas.coloured(Colour::Soft, |canvas| canvas.text(middle, Anchor::Middle, "no values"));
}

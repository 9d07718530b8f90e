//! The legend above a plot: the names of the series with their marks.

use super::canvas::{Anchor, Canvas, WIDTH, shortened, text_width};
use super::colour::Colour;

const LETTERS: usize = 40;
const ROW: f64 = 20.0;
const LEFT: f64 = 16.0;

/// Draws the mark of a series at a point.
pub(super) type Mark = fn(&mut Canvas, (f64, f64), usize);

/// The positions of the names, in rows from left to right.
pub(super) struct Legend {
    /// x, y and shortened name.
    entries: Vec<(f64, f64, String)>,
    rows: f64,
}

impl Legend {
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut x, mut row) = (LEFT, 0.0);
        let mut entries = Vec::new();
        for name in names {
            let short = shortened(name, LETTERS);
            let width = 24.0 + text_width(&short) + 16.0;
            if x > LEFT && x + width > WIDTH {
                (x, row) = (LEFT, row + 1.0);
            }
            entries.push((x, 18.0 + row * ROW, short));
            x += width;
        }
        Self { rows: if entries.is_empty() { 0.0 } else { row + 1.0 }, entries }
    }

    pub(super) fn height(&self) -> f64 {
        self.rows * ROW + 12.0
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, mark: Mark) {
        for (i, (x, y, name)) in self.entries.iter().enumerate() {
            canvas.coloured(Colour::Series(i), |canvas| mark(canvas, (x + 10.0, *y - 4.0), i));
            canvas.coloured(Colour::Ink, |canvas| canvas.text((x + 24.0, *y), Anchor::Start, name));
        }
    }
}

/// Writes "no values" into an empty plot.
pub(super) fn draw_no_values(canvas: &mut Canvas) {
    let middle = (canvas.width() / 2.0, canvas.height() / 2.0);
    canvas.coloured(Colour::Soft, |canvas| canvas.text(middle, Anchor::Middle, "no values"));
}

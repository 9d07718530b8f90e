//! What the wide pictures of profiles share: their size, the letters of names, and the line below that says what the
//! picture does not show.

use super::canvas::{Anchor, Canvas, shortened};
use super::colour::Colour;

/// Pictures of trees are so wide; a page scales them.
pub(super) const WIDE: f64 = 1200.0;
/// The height of the note.
pub(super) const NOTE: f64 = 48.0;
/// Names stand in letters of one width, so that it is known how many fit.
pub(super) const MONO: &str =
    "font-family=\"ui-monospace, monospace\" font-size=\"11\" fill=\"currentColor\"";
/// The width of such a letter: 0.602 em in the widest of the usual fonts.
pub(super) const MONO_LETTER: f64 = 6.63;

/// Two lines below a picture that ends at `bottom`.
pub(super) fn note(canvas: &mut Canvas, bottom: f64, lines: &[String; 2]) {
    let letters = (canvas.width() / 7.0) as usize;
    canvas.coloured(Colour::Soft, |canvas| {
        for (line, y) in lines.iter().zip([20.0, 37.0]).filter(|(line, _)| !line.is_empty()) {
            canvas.text((10.0, bottom + y), Anchor::Start, &shortened(line, letters));
        }
    });
}

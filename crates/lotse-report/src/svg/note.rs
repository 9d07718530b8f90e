//! Constants of the wide pictures of profiles, and the note below them that states what the picture does not show.

use super::canvas::{Anchor, Canvas, shortened};
use super::colour::Colour;

/// The width of pictures of trees; a page scales them.
pub(super) const WIDE: f64 = 1200.0;
/// The height of the note.
pub(super) const NOTE: f64 = 48.0;
/// Names are in a monospace font, so that the number of characters that fit is known.
pub(super) const MONO: &str =
    "font-family=\"ui-monospace, monospace\" font-size=\"11\" fill=\"currentColor\"";
/// The width of a monospace character: 0.602 em in the widest of the usual fonts.
pub(super) const MONO_LETTER: f64 = 6.63;

/// Writes two lines below a picture that ends at `bottom`.
pub(super) fn note(canvas: &mut Canvas, bottom: f64, lines: &[String; 2]) {
    let letters = (canvas.width() / 7.0) as usize;
    canvas.coloured(Colour::Soft, |canvas| {
        for (line, y) in lines.iter().zip([20.0, 37.0]).filter(|(line, _)| !line.is_empty()) {
            canvas.text((10.0, bottom + y), Anchor::Start, &shortened(line, letters));
        }
    });
}

//! Writes shapes as SVG. Colours are set on groups; shapes use the current colour.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::colour::{Colour, style_sheet};
use super::{Labels, Svg};
use crate::format::html::escaped;
use crate::format::one_line;
use crate::shorten::{NARROWEST, NameKind};

/// The width of plots of numbers; a page scales them.
pub(super) const WIDTH: f64 = 760.0;
/// About the width of a character of the labels.
const LETTER: f64 = 6.8;

/// The point of a text at which it is positioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture under construction. The origin is the upper left corner.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    body: String,
    styles: String,
}

impl Canvas {
    pub(super) fn new(height: f64) -> Self {
        Self::sized(WIDTH, height)
    }

    pub(super) fn sized(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new(), styles: String::new() }
    }

    pub(super) fn width(&self) -> f64 {
        self.width
    }

    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// Adds rules to the picture's style sheet.
    pub(super) fn style(&mut self, rules: &str) {
        self.styles.push_str(rules);
    }

    /// Draws in a colour.
    pub(super) fn coloured(&mut self, colour: Colour, draw: impl FnOnce(&mut Self)) {
        self.raw(&format!("<g {}>\n", colour.attributes()));
        draw(self);
        self.raw("</g>\n");
    }

    /// Draws a group of shapes with a tooltip.
    pub(super) fn named(&mut self, colour: Colour, name: &str, draw: impl FnOnce(&mut Self)) {
        self.coloured(colour, |canvas| {
            canvas.raw(&format!("<title>{}</title>\n", escaped(&one_line(name))));
            draw(canvas);
        });
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64, dashes: &str) {
        let dashes = dash_attribute(dashes);
        self.raw(&format!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"currentColor\" stroke-width=\"{width}\"{dashes}/>\n",
            px(from.0), px(from.1), px(to.0), px(to.1)
        ));
    }

    /// A rectangle between two opposite corners, filled with the given opacity.
    pub(super) fn rectangle(&mut self, a: (f64, f64), b: (f64, f64), opacity: f64, outline: bool) {
        let stroke = if outline { " stroke=\"currentColor\" stroke-width=\"1.5\"" } else { "" };
        self.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"currentColor\" fill-opacity=\"{opacity}\"{stroke}/>\n",
            px(a.0.min(b.0)), px(a.1.min(b.1)), px((a.0 - b.0).abs()), px((a.1 - b.1).abs())
        ));
    }

    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64, opacity: f64) {
        self.raw(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\" fill=\"currentColor\" fill-opacity=\"{opacity}\"/>\n",
            px(at.0),
            px(at.1)
        ));
    }

    pub(super) fn ring(&mut self, at: (f64, f64), radius: f64) {
        self.raw(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.3\"/>\n",
            px(at.0), px(at.1)
        ));
    }

    /// A closed, filled shape.
    pub(super) fn polygon(&mut self, points: &[(f64, f64)], opacity: f64) {
        let points = joined(points);
        self.raw(&format!(
            "<polygon points=\"{points}\" fill=\"currentColor\" fill-opacity=\"{opacity}\"/>\n"
        ));
    }

    pub(super) fn diamond(&mut self, (x, y): (f64, f64), radius: f64) {
        self.polygon(&[(x - radius, y), (x, y - radius), (x + radius, y), (x, y + radius)], 1.0);
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], width: f64, dashes: &str) {
        let (points, dashes) = (joined(points), dash_attribute(dashes));
        self.raw(&format!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"{dashes}/>\n"
        ));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.raw(&format!(
            "<text x=\"{}\" y=\"{}\"{} fill=\"currentColor\">{}</text>\n",
            px(at.0),
            px(at.1),
            anchor_attribute(anchor),
            escaped(&one_line(text))
        ));
    }

    /// A vertical text, read upwards, centred at a point.
    pub(super) fn upward_text(&mut self, (x, y): (f64, f64), text: &str) {
        let (x, y) = (px(x), px(y));
        self.raw(&format!(
            "<text transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\" fill=\"currentColor\">{}</text>\n",
            escaped(&one_line(text))
        ));
    }

    /// The finished picture.
    pub(super) fn finish(self, labels: &Labels) -> Svg {
        let (width, height) = (px(self.width), px(self.height));
        let head = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lotse-plot\" role=\"img\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
             <title>{}</title>\n<desc>{}</desc>\n<style>{}{}</style>\n",
            escaped(&one_line(&labels.title)),
            escaped(&one_line(&labels.description)),
            style_sheet(),
            self.styles
        );
        let paper = format!(
            "<rect {} width=\"100%\" height=\"100%\" fill=\"currentColor\"/>\n",
            Colour::Paper.attributes()
        );
        Svg([&head, &paper, &self.body, "</svg>\n"].concat())
    }

    /// Appends markup, in which texts must be escaped already.
    pub(super) fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
    }
}

/// The approximate width of a text in pixels.
pub(super) fn text_width(text: &str) -> f64 {
    text.width() as f64 * LETTER
}

/// A text cut to this many columns, with an ellipsis at the end.
pub(super) fn shortened(text: &str, letters: usize) -> String {
    // Names can be megabytes long, so only the part that can be shown is processed.
    let head = text.char_indices().nth(4 * letters + 8).map(|(end, _)| &text[..end]);
    let line = one_line(head.unwrap_or(text));
    if head.is_none() && line.width() <= letters {
        return line;
    }
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width < letters
    };
    let kept: String = line.chars().take_while(fits).collect();
    kept.trim_end().to_owned() + "…"
}

/// The name of a function in at most this many columns, shortened as in tables.
pub(super) fn shortened_name(name: &str, letters: usize) -> String {
    const LONGEST: usize = 2000;
    if letters < NARROWEST || name.len() > LONGEST {
        return shortened(name, letters);
    }
    crate::shorten::shortened(NameKind::Function, &one_line(name), letters)
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|&(x, y)| format!("{},{}", px(x), px(y))).collect::<Vec<_>>().join(" ")
}

fn dash_attribute(dashes: &str) -> String {
    if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") }
}

fn anchor_attribute(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    }
}

/// A coordinate rounded to a hundredth of a pixel, which keeps files small; 0 if it is not finite.
pub(super) fn px(value: f64) -> f64 {
    if value.is_finite() { (value * 100.0).round() / 100.0 + 0.0 } else { 0.0 }
}

//! Plots as self-contained SVG.

/// A picture made by this crate: well-formed, without scripts and without anything fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Svg(String);

impl Svg {
    /// The markup, from `<svg` on.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

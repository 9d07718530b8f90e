//! Flame graphs: a call tree drawn from its roots upwards, or downwards as icicles.

use lotse_report::svg::{FlameGrowth, Svg};

use crate::analysis::Analysis;
use crate::unfold::{NotAdditive, Picture, UnfoldQuery, unfold};

/// Unfolds the call tree and draws it.
pub fn flame(
    analysis: &Analysis<'_>,
    query: &UnfoldQuery<'_>,
    title: &str,
    growth: FlameGrowth,
) -> Result<Svg, NotAdditive> {
    let tree = unfold(analysis, query);
    let picture = Picture::new(analysis, &tree, query, title)?;
    Ok(lotse_report::svg::flame(&picture.labels, &picture.rows, growth))
}

//! Flame graphs: an unfolded tree drawn from its roots up, or as icicles down.

use lotse_report::svg::{FlameGrowth, Svg};

use crate::analysis::Analysis;
use crate::unfold::{NotAdditive, Picture, Query, unfold};

/// Unfolds and draws; `title` says of what.
pub fn flame(
    analysis: &Analysis<'_>,
    query: &Query<'_>,
    title: &str,
    growth: FlameGrowth,
) -> Result<Svg, NotAdditive> {
    let tree = unfold(analysis, query);
    let picture = Picture::new(analysis, &tree, query, title)?;
    Ok(lotse_report::svg::flame(&picture.labels, &picture.rows, growth))
}

//! Treemaps: callees inside their callers, or callers inside their callees.

use lotse_report::svg::Svg;

use crate::analysis::Analysis;
use crate::unfold::{NotAdditive, Picture, UnfoldQuery, unfold};

/// Unfolds the call tree and draws it.
pub fn treemap(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>, title: &str) -> Result<Svg, NotAdditive> {
    let tree = unfold(analysis, query);
    let picture = Picture::new(analysis, &tree, query, title)?;
    Ok(lotse_report::svg::treemap(&picture.labels, &picture.rows))
}

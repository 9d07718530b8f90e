//! Rule: the footprint counts elements, although the cache holds lines.

use lotse_model::Rule;
use lotse_model::finding::Finding;

use super::{FitData, PRIOR};

pub(super) static RULE: Rule = Rule {
    id: "fit-elements-not-lines",
    version: 1,
    title: "the footprint counts elements, not lines",
    meaning: "Bytes of elements fit the cache, the lines that hold them do not. The cache holds lines, so what looks like \
              a full cache is one that overflows.",
    computation: "X1 is at most 100 %, and the lines that one execution of the localised loops touches are more than the \
                  cache has.",
    example: "Three tiles of 52 x 52 floats are 32 448 bytes of 32 768, but 156 rows of 4.2 lines are 42 000 bytes.",
    picture: "",
    advice: "Fit with the footprint in lines, or with misses.",
    thresholds: &[],
    prior: PRIOR,
    references: &["M. Wolfe: High Performance Compilers for Parallel Computing, 1996"],
};

/// One finding if observations fit the cache when counted in elements but not in lines, with the largest of them as the example.
pub(super) fn find(data: &FitData<'_>) -> Vec<Finding> {
    let pairs = data.observations.iter().zip(data.line_bytes).zip(data.labels);
    let over: Vec<_> = pairs.filter(|((row, lines), _)| row.x1 <= 100.0 && **lines > data.capacity).collect();
    let Some(((row, lines), label)) = over.iter().max_by(|a, b| a.0.1.total_cmp(b.0.1)) else {
        return Vec::new();
    };
    let bytes = row.x1 / 100.0 * data.capacity;
    let text = format!(
        "{} of {} observations fit the cache of {} bytes in elements but not in lines; at {label}, {bytes:.0} bytes of \
         elements lie in {lines:.0} bytes of lines",
        over.len(),
        data.observations.len(),
        data.capacity
    );
    vec![super::finding(
        data,
        &RULE,
        1.0,
        text,
        vec![("observations", over.len() as f64), ("line_bytes", **lines)],
    )]
}

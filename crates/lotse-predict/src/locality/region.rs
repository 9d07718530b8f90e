//! The bytes that one class touches during one execution of some loops.
//!
//! An address is `constant + sum of factor * variable`. Sorted by the size of the factors, the variables are the dimensions
//! of the region: `A[i][j]` of 8-byte elements in rows of 1000 has the dimensions (8000, rows) and (8, columns). The count
//! of a dimension is the average number of its values for fixed values of the larger dimensions, so that the total of a triangle
//! is right. A dimension whose stride is not larger than the extent of the smaller dimensions is merged with them into one run of
//! contiguous bytes. So rows that are touched completely make one run, and so does `A[i + j]`.
//!
//! ```text
//! A[i][j], i < 10, j < 1000 of 1000   ->  one run of 80 000 bytes
//! A[i][j], i < 10, j < 100 of 1000    ->  10 runs of 800 bytes, 8000 bytes apart
//! A[j][0], j < 1000                   ->  1000 runs of 8 bytes, 8000 bytes apart
//! ```

use crate::algebra::gcd;

/// One dimension of a region: neighbours are `stride` bytes apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dimension {
    pub(super) stride: i128,
    /// Average number of values, at least 1.
    pub(super) count: f64,
}

/// A set of equal runs of bytes at regular distances.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Region {
    /// Offset of the first byte from the beginning of the array.
    pub(super) low: i128,
    /// Bytes from the first to the last byte touched, inclusive.
    pub(super) span: f64,
    /// Bytes from the first to the last byte of one run, inclusive. Gaps within a run are smaller than a line.
    pub(super) run: f64,
    /// Distances and numbers of runs, the largest distance first.
    pub(super) outer: Vec<Dimension>,
    /// Number of distinct bytes touched.
    pub(super) bytes: f64,
    /// Expected number of distinct lines touched.
    pub(super) lines: f64,
    /// Bytes of a line.
    pub(super) line: u64,
    /// Whether the class may touch less than this.
    pub(super) upper_bound: bool,
}

impl Region {
    /// The region of accesses of `width` bytes with these dimensions, the largest stride first.
    ///
    /// A run of n bytes that starts at a random multiple of g bytes touches (n - g) / line + 1 lines on average.
    pub(super) fn new(low: i128, width: u32, dimensions: &[Dimension], line: u64) -> Self {
        let (line_bytes, width) = (line as f64, f64::from(width));
        let mut runs = MergedRuns { run: width, bytes: width, outer: Vec::new() };
        for dimension in dimensions.iter().rev() {
            runs.extend(*dimension, line_bytes);
        }
        let granule = dimensions.iter().fold(i128::from(line), |all, dimension| gcd(all, dimension.stride));
        let granule = (granule as f64).min(width.max(1.0));
        let per_run = (runs.run - granule).max(0.0) / line_bytes + 1.0;
        let count: f64 = runs.outer.iter().map(|dimension| dimension.count).product();
        let reach: f64 = runs.outer.iter().map(|d| d.stride as f64 * (d.count - 1.0)).sum();
        let span = runs.run + reach;
        // Runs that are less than a line apart share lines, so there are no more lines than in the whole span.
        let lines = (count * per_run).min(span / line_bytes + 1.0);
        runs.outer.reverse();
        Self {
            low,
            span,
            run: runs.run,
            outer: runs.outer,
            bytes: runs.bytes,
            lines,
            line,
            upper_bound: false,
        }
    }

    /// The share of this region's lines, 0 to 1, that another region of the same array covers.
    pub(super) fn covered_by(&self, other: &Self) -> f64 {
        if let Some(share) = self.covered_by_aligned(other) {
            return share;
        }
        let (a, b) = (self.low as f64, other.low as f64);
        let common = (a + self.span).min(b + other.span) - a.max(b);
        if common <= 0.0 {
            0.0
        } else {
            (common / self.span).min(1.0) * (other.density() / self.density()).min(1.0)
        }
    }

    /// The same for two regions whose runs have the same distances, such as two columns of a matrix; `None` if distances differ.
    ///
    /// The offset between the regions is written as a number of strides in each dimension and a rest. The covered share is the
    /// product of the overlaps of all dimensions and of the overlap of two runs at that rest.
    fn covered_by_aligned(&self, other: &Self) -> Option<f64> {
        let alike = self.outer.len() == other.outer.len() && !self.outer.is_empty();
        let mut pairs = self.outer.iter().zip(&other.outer);
        if !alike || pairs.any(|(own, others)| own.stride != others.stride) {
            return None;
        }
        let mut begin = self.low - other.low;
        let mut share = 1.0;
        for (own, others) in self.outer.iter().zip(&other.outer) {
            let runs = begin.div_euclid(own.stride);
            begin -= runs * own.stride;
            // A run that begins in the gap before the next run of the other region is closer to that run.
            let runs = if begin > own.stride / 2 && begin as f64 >= other.run { runs + 1 } else { runs };
            let common = (runs as f64 + own.count).min(others.count) - (runs as f64).max(0.0);
            share *= (common / own.count).clamp(0.0, 1.0);
        }
        let innermost = self.outer.last().map_or(1, |dimension| dimension.stride);
        let after = begin as f64;
        let before = after - innermost as f64;
        Some(share * self.shared(after, other.run).max(self.shared(before, other.run)))
    }

    /// The share of a run's lines that a run of `other` bytes covers which begins `begin` bytes before it.
    fn shared(&self, begin: f64, other: f64) -> f64 {
        let common = (begin + self.run).min(other) - begin.max(0.0);
        match common > 0.0 {
            true => (common / self.run).min(1.0),
            // Runs that do not overlap may still share a line.
            false => (1.0 + common / self.line as f64).max(0.0) * (self.line as f64 / self.run).min(1.0),
        }
    }

    /// The share of the lines in the address range that are touched.
    fn density(&self) -> f64 {
        (self.lines / (self.span / self.line as f64).max(1.0)).min(1.0)
    }
}

/// A region under construction, from the smallest stride to the largest.
struct MergedRuns {
    run: f64,
    bytes: f64,
    /// The smallest distance first.
    outer: Vec<Dimension>,
}

impl MergedRuns {
    /// Adds the next larger dimension: lengthens the run if the gaps stay below a line, else repeats it.
    fn extend(&mut self, dimension: Dimension, line: f64) {
        let Dimension { stride, count } = dimension;
        let stride_bytes = stride as f64;
        if count <= 1.0 {
            return;
        }
        let longer = self.run + stride_bytes * (count - 1.0);
        if !self.outer.is_empty() || (stride_bytes > self.run && stride_bytes >= line) {
            self.bytes *= count;
            self.outer.push(dimension);
        } else {
            self.bytes = (self.bytes * count).min(longer);
            self.run = longer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dimension, Region};

    fn region(width: u32, dimensions: &[(i128, f64)]) -> Region {
        let dimensions: Vec<Dimension> =
            dimensions.iter().map(|&(stride, count)| Dimension { stride, count }).collect();
        Region::new(0, width, &dimensions, 64)
    }

    /// Bytes and lines worked out by hand; a run of n bytes at a random multiple of 8 touches (n - 8)/64 + 1 lines.
    #[test]
    fn regions_by_hand() {
        let cases = [
            ("one element", region(8, &[]), 8.0, 1.0),
            ("a full row", region(8, &[(8, 1000.0)]), 8000.0, 7992.0 / 64.0 + 1.0),
            ("a full matrix", region(8, &[(8000, 10.0), (8, 1000.0)]), 80000.0, 79992.0 / 64.0 + 1.0),
            ("a block", region(8, &[(8000, 10.0), (8, 100.0)]), 8000.0, 10.0 * (792.0 / 64.0 + 1.0)),
            ("a column", region(8, &[(8000, 1000.0)]), 8000.0, 1000.0),
            ("every other element", region(8, &[(16, 100.0)]), 800.0, (1592.0 - 8.0) / 64.0 + 1.0),
            ("A[i + j]", region(8, &[(8, 50.0), (8, 50.0)]), 99.0 * 8.0, 98.0 * 8.0 / 64.0 + 1.0),
        ];
        for (name, region, bytes, lines) in cases {
            assert!((region.bytes - bytes).abs() < 1e-9, "{name}: {} bytes", region.bytes);
            assert!((region.lines - lines).abs() < 1e-9, "{name}: {} lines", region.lines);
        }
    }

    /// Columns of a matrix with rows of 320 doubles share lines only if they are less than a line apart.
    #[test]
    fn columns_cover_each_other_only_where_they_are_near() {
        let column = |at: i128, first: i128| {
            let rows = [Dimension { stride: 2560, count: 320.0 }];
            Region::new(first * 2560 + at * 8, 8, &rows, 64)
        };
        let covered = |at: i128| column(at, 0).covered_by(&column(100, 0));
        assert_eq!([covered(100), covered(104), covered(180), covered(2)], [1.0, 0.625, 0.0, 0.0]);
        assert_eq!(column(100, 160).covered_by(&column(100, 0)), 0.5, "half of the rows");
        // The left half of the matrix contains its columns and no others.
        let half = region(8, &[(2560, 320.0), (8, 160.0)]);
        assert_eq!([column(5, 0).covered_by(&half), column(300, 0).covered_by(&half)], [1.0, 0.0]);
        // The last element of a row is adjacent to the first element of the next row.
        assert!(column(319, 0).covered_by(&column(0, 1)) > 0.8);
    }

    /// Rows of 1000 elements of which 998 are touched share lines at their ends.
    #[test]
    fn nearly_full_rows_have_the_lines_of_their_span() {
        let inner = region(8, &[(8000, 100.0), (8, 998.0)]);
        assert!((inner.lines - inner.span / 64.0).abs() < 1.5, "{}", inner.lines);
    }
}

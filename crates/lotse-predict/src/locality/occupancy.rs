//! How regions spread over the sets of a cache, and which share of their lines survives.
//!
//! A line is still there when it is touched again if its set has received at most `ways` different lines in between, itself
//! included. The number of lines that one region puts into a set is computed exactly: runs at a distance of 3200 bytes, for
//! example, start in every other set of 64, so 400 of them meet only 32 sets. Where a region begins relative to the others
//! is unknown, so the lines that others put into the same set are taken as independent and random:
//!
//! ```text
//! survives(region) = average over its lines of P(own lines in the set + lines of all others in it <= ways)
//! ```

use std::collections::BTreeMap;

use super::classes::{ClassId, Classes};
use super::footprint::Footprint;
use super::region::Region;
use crate::algebra::gcd;
use crate::machine::Cache;

/// Caches with more sets than this are looked at with one alignment of regions.
const MANY_SETS: u64 = 1024;

/// `shares[n]`: share of the sets that hold n lines; the last one stands for more than `ways`.
type Histogram = Vec<f64>;

/// The share of each class's lines that survive while the whole footprint is touched.
pub(super) fn survival(footprint: &Footprint, classes: &Classes, cache: &Cache) -> BTreeMap<ClassId, f64> {
    let ways = usize::try_from(cache.ways).unwrap_or(usize::MAX);
    let regions = || footprint.regions.iter();
    if footprint.lines.ceil() <= cache.ways as f64 {
        return regions().map(|(class, _)| (*class, 1.0)).collect();
    }
    if footprint.lines > 2.0 * cache.lines() as f64 {
        return regions().map(|(class, _)| (*class, 0.0)).collect();
    }
    // Bytes that are less than a way apart are in different sets.
    let way = (cache.sets() * cache.line) as f64;
    let at_most: f64 = regions().map(|(_, (region, _))| (region.span / way).ceil() + 1.0).sum();
    if at_most <= cache.ways as f64 {
        return regions().map(|(class, _)| (*class, 1.0)).collect();
    }
    let own: Vec<(ClassId, Histogram)> = regions()
        .map(|(class, (region, lines))| (*class, histogram(region, lines / region.lines, cache)))
        .collect();
    let share = |index: usize| {
        let mut others = vec![0.0; ways + 2];
        others[0] = 1.0;
        for (_, histogram) in own.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, own)| own)
        {
            others = both(&others, histogram);
        }
        surviving(&own[index].1, &others)
    };
    let alone: BTreeMap<ClassId, f64> =
        own.iter().enumerate().map(|(index, (class, _))| (*class, share(index))).collect();
    let together = |class: ClassId| {
        // Lines that a larger region of the array has, too, survive as those do.
        let mates = classes.mates(class).filter(|mate| alone.contains_key(mate));
        let largest = mates.max_by(|a, b| footprint.lines_of(*a).total_cmp(&footprint.lines_of(*b)));
        let own = footprint.lines_of(class) / footprint.raw_lines_of(class);
        own * alone[&class] + (1.0 - own) * largest.map_or(1.0, |mate| alone[&mate])
    };
    alone.keys().map(|class| (*class, together(*class))).collect()
}

/// The share of lines in sets that hold at most `ways` lines in all.
fn surviving(own: &Histogram, others: &Histogram) -> f64 {
    let ways = own.len() - 2;
    let (mut lines, mut kept) = (0.0, 0.0);
    for (count, share) in own.iter().enumerate().skip(1) {
        let weight = count as f64 * share;
        lines += weight;
        if count <= ways {
            kept += weight * others[..=ways - count].iter().sum::<f64>();
        }
    }
    if lines > 0.0 { kept / lines } else { 1.0 }
}

/// The histogram of the sum of two independent numbers of lines.
fn both(a: &Histogram, b: &Histogram) -> Histogram {
    let mut sum = vec![0.0; a.len()];
    for (i, x) in a.iter().enumerate().filter(|(_, x)| **x > 0.0) {
        for (j, y) in b.iter().enumerate().filter(|(_, y)| **y > 0.0) {
            sum[(i + j).min(a.len() - 1)] += x * y;
        }
    }
    sum
}

/// Lines in each set for one region, of which only `share` counts because other regions have the rest.
fn histogram(region: &Region, share: f64, cache: &Cache) -> Histogram {
    let last = usize::try_from(cache.ways).unwrap_or(0) + 1;
    let mut shares = vec![0.0; last + 1];
    let mut put = |lines: f64, weight: f64| {
        let whole = lines.floor();
        let index = |lines: f64| (lines as usize).min(last);
        shares[index(whole)] += weight * (1.0 - (lines - whole));
        shares[index(whole + 1.0)] += weight * (lines - whole);
    };
    let sets = cache.sets() as f64;
    if region.outer.is_empty() || share < 0.999 {
        put(region.lines * share / sets, 1.0);
    } else {
        // Where in a line the region begins is unknown and decides which runs share a set.
        // With many sets chance evens it out.
        let alignments: i128 = if cache.sets() > MANY_SETS { 1 } else { 4 };
        for alignment in 0..alignments {
            let low = region.low + i128::from(cache.line) * alignment / alignments;
            for lines in lines_per_set(&Region { low, ..region.clone() }, cache) {
                put(lines, 1.0 / sets / alignments as f64);
            }
        }
    }
    shares
}

/// The number of lines that runs at regular distances put into each set.
fn lines_per_set(region: &Region, cache: &Cache) -> Vec<f64> {
    let (line, sets) = (i128::from(cache.line), i128::from(cache.sets()));
    let unit = region.outer.iter().fold(line, |unit, dimension| gcd(unit, dimension.stride)).max(1);
    let slots = (sets * line / unit) as usize;
    let mut starts = vec![0.0; slots];
    starts[(region.low.rem_euclid(sets * line) / unit) as usize] = 1.0;
    for dimension in &region.outer {
        let step = (dimension.stride / unit).rem_euclid(slots as i128) as usize;
        starts = repeated(&starts, step, dimension.count.round().max(1.0));
    }
    let whole: f64 = starts.iter().sum();
    let per_run = region.lines / whole.max(1.0);
    let mut per_set = vec![0.0; sets as usize];
    for (slot, runs) in starts.iter().enumerate().filter(|(_, runs)| **runs > 0.0) {
        let first = slot * unit as usize / line as usize;
        cover(&mut per_set, first, per_run, *runs);
    }
    per_set
}

/// Adds runs of `length` lines that begin in set `first`.
fn cover(per_set: &mut [f64], first: usize, length: f64, runs: f64) {
    let sets = per_set.len();
    let around = (length / sets as f64).floor();
    if around > 0.0 {
        per_set.iter_mut().for_each(|lines| *lines += runs * around);
    }
    let rest = length - around * sets as f64;
    for offset in 0..rest.ceil() as usize {
        per_set[(first + offset) % sets] += runs * (rest - offset as f64).min(1.0);
    }
}

/// Every start repeated `count` times, `step` slots apart, around the slots.
///
/// Slots that differ by multiples of the step form cycles. A count of whole cycles adds the sum of a cycle to all of its
/// slots; what is left is a window that slides along the cycle, so that the work does not grow with the count.
fn repeated(starts: &[f64], step: usize, count: f64) -> Vec<f64> {
    let slots = starts.len();
    let cycles = gcd(step as i128, slots as i128).max(1) as usize;
    let period = slots / cycles;
    let whole = (count / period as f64).floor();
    let window = (count - whole * period as f64) as usize;
    let mut result = vec![0.0; slots];
    for cycle in 0..cycles {
        let slot = |index: usize| (cycle + (index % period) * step) % slots;
        let total: f64 = (0..period).map(|index| starts[slot(index)]).sum();
        if total == 0.0 {
            continue;
        }
        let mut sliding: f64 = (1..window).map(|back| starts[slot(period - back)]).sum();
        for index in 0..period {
            if window > 0 {
                sliding += starts[slot(index)];
            }
            result[slot(index)] = whole * total + sliding;
            if window > 0 {
                sliding -= starts[slot(index + period - (window - 1))];
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{lines_per_set, repeated, survival};
    use crate::locality::classes::{ClassId, Classes};
    use crate::locality::footprint::Footprint;
    use crate::locality::region::{Dimension, Region};
    use crate::machine::Cache;

    const L1: fn() -> Cache = || Cache { name: "L1".into(), capacity: 49152, line: 64, ways: 12 };

    fn column(stride: i128, count: f64) -> Region {
        Region::new(0, 8, &[Dimension { stride, count }], 64)
    }

    fn share(regions: Vec<Region>) -> Vec<f64> {
        let mut footprint = Footprint::default();
        for (index, region) in regions.into_iter().enumerate() {
            footprint.lines += region.lines;
            let lines = region.lines;
            footprint.regions.insert(ClassId(index), (region, lines));
        }
        survival(&footprint, &Classes::of_arrays(footprint.regions.len()), &L1()).into_values().collect()
    }

    #[test]
    fn repetitions_as_made_one_by_one() {
        for (slots, step, count) in [(64, 50, 400), (64, 64, 5), (48, 7, 3), (32, 0, 9), (16, 4, 11)] {
            let mut starts = vec![0.0; slots];
            (starts[0], starts[5]) = (1.0, 2.0);
            let mut expected = vec![0.0; slots];
            for (slot, start) in starts.iter().enumerate() {
                (0..count).for_each(|turn| expected[(slot + turn * step) % slots] += start);
            }
            assert_eq!(repeated(&starts, step, count as f64), expected, "{slots} {step} {count}");
        }
    }

    /// A column of 400 doubles with rows of 400: 3200 bytes are 50 lines, every other set of 64 is met, 32 * 12 = 384.
    #[test]
    fn a_column_of_400_meets_only_384_places() {
        let per_set = lines_per_set(&column(3200, 400.0), &L1());
        assert_eq!(per_set.iter().filter(|lines| **lines > 0.0).count(), 32);
        assert!(share(vec![column(3200, 384.0)])[0] > 0.999);
        let partly = share(vec![column(3200, 400.0)])[0];
        assert!(partly < 0.6, "{partly}");
        // One more element in every row, and all sets are met.
        assert!(share(vec![column(3208, 400.0)])[0] > 0.9);
    }

    #[test]
    fn a_power_of_two_stays_in_one_set() {
        assert_eq!(share(vec![column(4096, 13.0)]), [0.0]);
        assert_eq!(share(vec![column(4096, 12.0)]), [1.0]);
    }

    /// One column thrashes its set while a row that is spread over all sets survives nearly everywhere.
    #[test]
    fn one_class_survives_beside_another_that_does_not() {
        let row = Region::new(0, 8, &[Dimension { stride: 8, count: 1000.0 }], 64);
        let shares = share(vec![column(4096, 100.0), row]);
        assert_eq!(shares[0], 0.0);
        assert!(shares[1] > 0.95, "{shares:?}");
    }

    /// Bytes that are less than a way apart never meet in a set: the answer is known without looking at sets.
    #[test]
    fn data_within_a_way_each_survive() {
        let block = |stride, count| Region::new(0, 8, &[Dimension { stride, count }], 64);
        // Five columns of 4096 bytes each, and the twelve ways of the cache.
        let columns: Vec<Region> = (0..5).map(|_| block(512, 8.0)).collect();
        assert_eq!(share(columns), [1.0; 5]);
        // Columns of twelve ways each fill it twice.
        let columns: Vec<Region> = (0..2).map(|_| block(4096, 12.0)).collect();
        assert!(share(columns).iter().all(|share| *share < 0.99));
    }

    /// A cache with many sets and data near its size: the work is bounded.
    #[test]
    fn many_sets_take_no_time() {
        let last = Cache { name: "L3".into(), capacity: 48 << 20, line: 64, ways: 16 };
        let mut footprint = Footprint::default();
        for index in 0..3 {
            let rows = [Dimension { stride: 16_004, count: 1000.0 }];
            let region = Region::new(0, 4000, &rows, 64);
            footprint.lines += region.lines;
            let lines = region.lines;
            footprint.regions.insert(ClassId(index), (region, lines));
        }
        let start = std::time::Instant::now();
        let shares = survival(&footprint, &Classes::of_arrays(3), &last);
        assert!(shares.values().all(|share| *share > 0.9), "{shares:?}");
        assert!(start.elapsed().as_secs() < 5);
    }
}

//! How regions are distributed over the sets of a cache, and which share of their lines survives.
//!
//! A line is still in the cache when it is touched again if at most `ways` different lines of its set, including itself, were
//! touched in between. The number of lines that one region has in each set is computed exactly: 400 runs at a distance of 3200
//! bytes, for example, start in every second of 64 sets, so they use only 32 sets. Where a region begins relative to other regions
//! is unknown, so the numbers of lines that other regions have in the same set are assumed to be independent and random:
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

/// For caches with more sets than this, only one alignment of a region is evaluated.
const MANY_SETS: u64 = 1024;

/// `shares[n]` is the share of the sets that have n lines of a region; the last entry stands for more than `ways` lines.
type Histogram = Vec<f64>;

/// The share of each class's lines that survive while the whole footprint is touched once.
///
/// Footprints that certainly fit or certainly do not fit are decided by their size. Otherwise the histogram of each region is
/// compared with the convolution of the histograms of all others.
pub(super) fn survival(footprint: &Footprint, classes: &Classes, cache: &Cache) -> BTreeMap<ClassId, f64> {
    let ways = usize::try_from(cache.ways).unwrap_or(usize::MAX);
    let regions = || footprint.regions.iter();
    if footprint.lines.ceil() <= cache.ways as f64 {
        return regions().map(|(class, _)| (*class, 1.0)).collect();
    }
    if footprint.lines > 2.0 * cache.lines() as f64 {
        return regions().map(|(class, _)| (*class, 0.0)).collect();
    }
    // Lines whose distance is less than the size of a way are in different sets.
    let way = (cache.sets() * cache.line) as f64;
    let lines_per_set: f64 = regions().map(|(_, (region, _))| (region.span / way).ceil() + 1.0).sum();
    if lines_per_set <= cache.ways as f64 {
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
            others = convolved(&others, histogram);
        }
        surviving_share(&own[index].1, &others)
    };
    let alone: BTreeMap<ClassId, f64> =
        own.iter().enumerate().map(|(index, (class, _))| (*class, share(index))).collect();
    let together = |class: ClassId| {
        // Lines that are also in a larger region of the array survive like the lines of that region.
        let same_array = classes.of_same_array(class).filter(|other| alone.contains_key(other));
        let largest = same_array.max_by(|a, b| footprint.lines_of(*a).total_cmp(&footprint.lines_of(*b)));
        let own = footprint.lines_of(class) / footprint.raw_lines_of(class);
        own * alone[&class] + (1.0 - own) * largest.map_or(1.0, |other| alone[&other])
    };
    alone.keys().map(|class| (*class, together(*class))).collect()
}

/// The share of a region's lines that are in sets with at most `ways` lines of all regions together.
fn surviving_share(own: &Histogram, others: &Histogram) -> f64 {
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
fn convolved(a: &Histogram, b: &Histogram) -> Histogram {
    let mut sum = vec![0.0; a.len()];
    for (i, x) in a.iter().enumerate().filter(|(_, x)| **x > 0.0) {
        for (j, y) in b.iter().enumerate().filter(|(_, y)| **y > 0.0) {
            sum[(i + j).min(a.len() - 1)] += x * y;
        }
    }
    sum
}

/// The histogram of one region. Only `share` of its lines count; the others belong to a larger region of the array.
fn histogram(region: &Region, share: f64, cache: &Cache) -> Histogram {
    let last = usize::try_from(cache.ways).unwrap_or(0) + 1;
    let mut shares = vec![0.0; last + 1];
    let mut add_sets = |lines: f64, weight: f64| {
        let whole = lines.floor();
        let index = |lines: f64| (lines as usize).min(last);
        shares[index(whole)] += weight * (1.0 - (lines - whole));
        shares[index(whole + 1.0)] += weight * (lines - whole);
    };
    let sets = cache.sets() as f64;
    if region.outer.is_empty() || share < 0.999 {
        add_sets(region.lines * share / sets, 1.0);
    } else {
        // The position within a line at which the region begins is unknown and decides which runs share a set, so several
        // positions are averaged. With many sets the differences average out.
        let alignments: i128 = if cache.sets() > MANY_SETS { 1 } else { 4 };
        for alignment in 0..alignments {
            let low = region.low + i128::from(cache.line) * alignment / alignments;
            for lines in lines_per_set(&Region { low, ..region.clone() }, cache) {
                add_sets(lines, 1.0 / sets / alignments as f64);
            }
        }
    }
    shares
}

/// The number of lines of a region in each set.
///
/// The sets are divided into slots of the greatest common divisor of line size and strides, so that every run starts at the
/// beginning of a slot. `starts` counts the runs that start in each slot, dimension by dimension.
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
        add_runs(&mut per_set, first, per_run, *runs);
    }
    per_set
}

/// Adds `runs` runs of `length` lines each that begin in set `first`.
fn add_runs(per_set: &mut [f64], first: usize, length: f64, runs: f64) {
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

/// Repeats every start `count` times at distances of `step` slots, modulo the number of slots.
///
/// Slots that differ by multiples of the step form cycles. Every complete round through a cycle adds the sum of the cycle to each
/// of its slots. The remaining repetitions are a sliding sum over a window of the cycle. So the work does not depend on the count.
///
/// ```text
/// 8 slots, step 2: cycles 0 2 4 6 and 1 3 5 7. A start at slot 0, 6 repetitions: one round (0 2 4 6) and a window of 2 (0 2).
/// ```
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

    /// A column of 400 doubles with rows of 400: 3200 bytes are 50 lines, so every second of 64 sets is used, 32 * 12 = 384 lines.
    #[test]
    fn a_column_of_400_has_room_for_384_lines() {
        let per_set = lines_per_set(&column(3200, 400.0), &L1());
        assert_eq!(per_set.iter().filter(|lines| **lines > 0.0).count(), 32);
        assert!(share(vec![column(3200, 384.0)])[0] > 0.999);
        let partly = share(vec![column(3200, 400.0)])[0];
        assert!(partly < 0.6, "{partly}");
        // With one more element per row all sets are used.
        assert!(share(vec![column(3208, 400.0)])[0] > 0.9);
    }

    #[test]
    fn a_power_of_two_stays_in_one_set() {
        assert_eq!(share(vec![column(4096, 13.0)]), [0.0]);
        assert_eq!(share(vec![column(4096, 12.0)]), [1.0]);
    }

    /// A column thrashes its set, while a row that is distributed over all sets survives in nearly all of them.
    #[test]
    fn one_class_survives_beside_another_that_does_not() {
        let row = Region::new(0, 8, &[Dimension { stride: 8, count: 1000.0 }], 64);
        let shares = share(vec![column(4096, 100.0), row]);
        assert_eq!(shares[0], 0.0);
        assert!(shares[1] > 0.95, "{shares:?}");
    }

    /// Lines whose distance is less than the size of a way are never in the same set, so no set needs to be examined.
    #[test]
    fn data_within_a_way_each_survive() {
        let block = |stride, count| Region::new(0, 8, &[Dimension { stride, count }], 64);
        // Five columns of 4096 bytes each in a cache of twelve ways.
        let columns: Vec<Region> = (0..5).map(|_| block(512, 8.0)).collect();
        assert_eq!(share(columns), [1.0; 5]);
        // Two columns that need twelve ways each.
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

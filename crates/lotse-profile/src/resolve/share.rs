//! Divides an integer in proportion to weights, so that the shares add up to it.

use lotse_model::profile::Costs;

/// Divides by the largest remainder method: every share is rounded down, and the rest goes to the shares that lost most.
/// For example, 10 by weights 1, 1, 1 gives 4, 3, 3.
pub(super) fn divide(whole: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let exact = |&weight: &u64| u128::from(whole) * u128::from(weight);
    let mut shares: Vec<u64> = weights.iter().map(|weight| (exact(weight) / sum) as u64).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(exact(&weights[at]) % sum));
    let rest = whole - shares.iter().sum::<u64>();
    order.into_iter().take(rest as usize).for_each(|at| shares[at] += 1);
    shares
}

/// Divides every cost of a row; the result has a row for each weight.
pub(super) fn divide_row(row: &[u64], signed: bool, weights: &[u64]) -> Costs {
    let mut cells = vec![0; row.len() * weights.len()];
    for (event, &cost) in row.iter().enumerate() {
        let negative = signed && (cost as i64) < 0;
        let magnitude = if negative { (cost as i64).unsigned_abs() } else { cost };
        for (piece, share) in divide(magnitude, weights).into_iter().enumerate() {
            cells[piece * row.len() + event] = if negative { share.wrapping_neg() } else { share };
        }
    }
    if row.is_empty() { Costs::new(0, signed) } else { Costs::from_cells(row.len(), signed, cells) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{divide, divide_row};

    #[test]
    fn the_largest_remainders_get_what_is_left() {
        assert_eq!(divide(1, &[1, 3]), [0, 1]);
        assert_eq!(divide(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(divide(7, &[0, 2, 2]), [0, 4, 3]);
        assert_eq!(divide(5, &[0, 0]), [0, 0]);
    }

    #[test]
    fn negative_costs_are_divided_as_well() {
        let costs = divide_row(&[-5_i64 as u64, 4], true, &[1, 1]);
        assert_eq!((costs.value(0, 0), costs.value(1, 0), costs.total(0)), (-3, -2, -5));
        assert_eq!((costs.value(0, 1), costs.value(1, 1)), (2, 2));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(whole: u64, weights in proptest::collection::vec(1_u64.., 1..9)) {
            prop_assert_eq!(divide(whole, &weights).iter().map(|&it| u128::from(it)).sum::<u128>(), u128::from(whole));
        }
    }
}

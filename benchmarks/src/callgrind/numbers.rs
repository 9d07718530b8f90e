//! Fast formatting of numbers, for files of half a gigabyte.

use std::cmp::Ordering;

/// Appends a number in decimal.
pub(super) fn push(text: &mut Vec<u8>, mut number: u64) {
    const MOST_DIGITS: usize = 20;
    let mut digits = [0; MOST_DIGITS];
    let mut at = MOST_DIGITS;
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

/// Appends a source line as valgrind does: relative to the last one of the function if that is near.
pub(super) fn push_position(text: &mut Vec<u8>, line: u32, last: Option<u32>) {
    const NEAR: u32 = 100;
    let Some(last) = last.filter(|last| line.abs_diff(*last) < NEAR) else {
        return push(text, u64::from(line));
    };
    match line.cmp(&last) {
        Ordering::Equal => return text.push(b'*'),
        Ordering::Greater => text.push(b'+'),
        Ordering::Less => text.push(b'-'),
    }
    push(text, u64::from(line.abs_diff(last)));
}

/// Appends costs, each after a blank; zeros at the end are left out.
pub(super) fn push_costs(text: &mut Vec<u8>, costs: &[u64]) {
    let length = costs.iter().rposition(|cost| *cost != 0).map_or(0, |last| last + 1);
    for cost in &costs[..length] {
        text.push(b' ');
        push(text, *cost);
    }
}

#[cfg(test)]
mod tests {
    use super::{push, push_costs, push_position};

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut text = Vec::new();
        write(&mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 9, 10, 1234, u64::MAX] {
            assert_eq!(text(|to| push(to, number)), number.to_string());
        }
    }

    #[test]
    fn near_lines_are_relative() {
        let check = |line, last, expected| assert_eq!(text(|to| push_position(to, line, last)), expected);
        check(7, Some(7), "*");
        check(8, Some(7), "+1");
        check(7, Some(106), "-99");
        check(7, Some(107), "7");
        check(107, Some(7), "107");
        check(7, None, "7");
    }

    #[test]
    fn zeros_at_the_end_are_left_out() {
        assert_eq!(text(|to| push_costs(to, &[3, 0, 1, 0, 0])), " 3 0 1");
        assert_eq!(text(|to| push_costs(to, &[0, 0])), "");
    }
}

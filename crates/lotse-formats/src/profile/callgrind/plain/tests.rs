//! Plain lines, against reading word by word.

use proptest::prelude::*;

use super::{LineFormat, Positions, Stop, lines};
use crate::profile::callgrind::scan::{CostEnd, Position, Scan};

fn format(addresses: bool, lines: bool, width: usize) -> LineFormat {
    LineFormat { addresses, lines, width, ..LineFormat::default() }
}

fn start() -> Positions {
    let position = |value| Position { value, absolute: false };
    Positions { address: position(1000), line: position(100) }
}

/// Where reading stopped, and the cells.
fn read(text: &str, format: &LineFormat, most: usize) -> (Stop, Vec<u64>) {
    let bytes = [text.as_bytes(), &[b'#'; 80]].concat();
    let mut cells = vec![0; format.width];
    let stop = lines(Scan::new(&bytes, 0, bytes.len()), format, start(), &mut cells, most);
    (stop, cells)
}

/// The same, word by word; only whole lines, and up to the first that is not read in full.
fn slowly(text: &str, format: &LineFormat) -> (Stop, Vec<u64>) {
    let mut stop = Stop { at: 0, positions: start() };
    let mut cells = vec![0; format.width];
    while stop.at < text.len() {
        let (mut scan, mut now, mut sums) =
            (Scan::new(text.as_bytes(), stop.at, text.len()), stop.positions, cells.clone());
        let good = (!format.addresses || scan.position(&mut now.address))
            && (!format.lines || scan.position(&mut now.line));
        if !good || scan.add_costs(&mut sums) != CostEnd::Line {
            break;
        }
        scan.skip_line();
        (stop, cells) = (Stop { at: scan.at, positions: now }, sums);
    }
    (stop, cells)
}

#[test]
fn plain_lines_are_read_up_to_the_first_other_one() {
    let text = "16 5 1 2 3\n+4 * 10 20\n* -2 100\n* *\n-20 +1 123456789012 0 7 \nfn=x\n";
    let (stop, cells) = read(text, &format(true, true, 3), usize::MAX);
    assert_eq!((&text[stop.at..], &cells[..]), ("fn=x\n", &[123_456_789_123, 22, 10][..]));
    let Positions { address, line } = stop.positions;
    assert_eq!((address.value, address.absolute, line.value, line.absolute), (0, true, 4, true));
    let (stop, cells) = read(text, &format(true, true, 3), 1);
    assert_eq!((&text[..stop.at], &cells[..]), ("16 5 1 2 3\n", &[1, 2, 3][..]));
}

#[test]
fn a_line_that_is_not_plain_changes_nothing() {
    for odd in [
        "0x10 1 1",
        "+ 1 1",
        "3:4 1 1",
        "3\t4 1",
        "*5 1 1",
        "1 1 1\r",
        "++1 1 1",
        "",
        "1 1  1",
        "1 1 -1",
        "1 1 1x",
        "1 1 12345678901234567",
        "1 1 1 2 3",
        "1 1 9 .",
        "1",
        ",1 1 1",
        "1 1 é",
    ] {
        let text = format!("{odd}\n5 5 5\n");
        let (stop, cells) = read(&text, &format(true, true, 2), usize::MAX);
        assert_eq!((stop, cells), (Stop { at: 0, positions: start() }, vec![0, 0]), "{odd:?}");
    }
    let full = |text: &str| {
        let bytes = [text.as_bytes(), &[b'#'; 80]].concat();
        let mut cells = [7, u64::MAX - 1];
        let scan = Scan::new(&bytes, 0, bytes.len());
        (lines(scan, &format(false, true, 2), start(), &mut cells, 1).at, cells)
    };
    assert_eq!(full("1 5 2\n"), (0, [7, u64::MAX - 1]));
    assert_eq!(full("1 5 1\n"), (6, [12, u64::MAX]));
}

#[test]
fn lines_up_to_the_longest_are_plain() {
    for length in 1..80 {
        let costs = format!("1 {}", "7 ".repeat(length));
        let text = format!("{}\n", costs.get(..length).unwrap());
        let (stop, _) = read(&text, &format(false, true, 40), usize::MAX);
        assert_eq!(stop.at, if text.len() <= super::LONGEST { text.len() } else { 0 }, "{length}");
    }
    let text = b"1 1\n";
    let mut cells = [0];
    let near_end = lines(Scan::new(text, 0, text.len()), &format(false, true, 1), start(), &mut cells, 9);
    assert_eq!((near_end.at, cells), (0, [0]));
}

proptest! {
    #[test]
    fn what_is_read_is_what_reading_word_by_word_gives(
        text in "((\\+|-)?[0-9]{1,9}|\\*|x|)( [0-9]{1,4}| \\*| \\+[0-9]{1,2}| -3|  1| [0-9]{9,20}){0,9}\n(.{0,9}\n){0,3}",
        (addresses, width) in (any::<bool>(), 1_usize..9),
    ) {
        let format = format(addresses, true, width);
        let (stop, cells) = read(&text, &format, usize::MAX);
        let whole = &text[..stop.at];
        prop_assert_eq!((stop, cells), slowly(whole, &format));
    }
}

proptest! {
    #[test]
    fn lines_of_callgrind_are_plain(
        costs in prop::collection::vec(("\\*|[+-]?[0-9]{1,8}", prop::collection::vec(0_u64..100_000_000, 1..6)), 1..9)
    ) {
        let line = |(position, costs): &(String, Vec<u64>)| {
            let words: Vec<String> = costs.iter().map(u64::to_string).collect();
            format!("{position} {}\n", words.join(" "))
        };
        let text: String = costs.iter().map(line).collect();
        let format = format(false, true, 5);
        let (stop, cells) = read(&text, &format, usize::MAX);
        prop_assert_eq!(stop.at, text.len());
        prop_assert_eq!((stop, cells), slowly(&text, &format));
    }
}

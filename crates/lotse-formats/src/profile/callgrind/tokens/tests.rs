//! Numbers and lists of a window, against simple decoders.

use proptest::prelude::*;

use super::{Added, Tokens, WINDOW, value_of};

fn padded(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(128, b'#');
    bytes
}

/// The sums, what was added and the offset after it.
fn added(text: &str, width: usize) -> (Vec<u64>, Added, usize) {
    let bytes = padded(text);
    let (mut tokens, mut cells) = (Tokens::new(&bytes).unwrap(), vec![0; width]);
    let added = tokens.add_to(&mut cells);
    (cells, added, tokens.at)
}

#[test]
fn numbers_of_a_line_are_added() {
    let text = "0 7 12 12345678 123456789\n99";
    let (cells, done, at) = added(text, 9);
    assert_eq!(cells, [0, 7, 12, 12_345_678, 123_456_789, 0, 0, 0, 0]);
    assert_eq!((done.cells, &text[at..]), (5, "\n99"));
    assert_eq!(added("1234567890123456 9\n", 2).0, [1_234_567_890_123_456, 9]);
    let (cells, _, at) = added("1 2 3\n", 2);
    assert_eq!((cells, at), (vec![1, 2], 4));
    assert_eq!(added("1 2 \n", 9).2, 4);
}

#[test]
fn a_list_ends_where_it_is_unusual() {
    for (text, count, end) in [
        ("12345678901234567 1\n", 0, 0),
        ("", 0, 0),
        (" 1\n", 0, 0),
        ("x\n", 0, 0),
        ("-1\n", 0, 0),
        ("1  2\n", 1, 2),
        ("1\t2\n", 1, 1),
        ("1 2\r\n", 2, 3),
        ("1 2x\n", 2, 3),
        ("1 -2\n", 1, 2),
    ] {
        let (_, done, at) = added(text, 9);
        assert_eq!((done.cells, at), (count, end), "{text:?}");
    }
}

#[test]
fn numbers_beyond_the_window_are_left() {
    let text = "1234567 ".repeat(10);
    let (_, done, at) = added(&text, 20);
    assert_eq!((done.cells, at), (4, WINDOW));
    let (_, done, at) = added(&text[3..], 20);
    assert_eq!((done.cells, at), (4, WINDOW - 3));
    let bytes = padded(&text);
    assert!(Tokens::new(&bytes[..WINDOW + 7]).is_none());
}

#[test]
fn sums_that_do_not_fit_are_noticed() {
    let bytes = padded("1 1\n");
    let mut cells = [u64::MAX, 1];
    let added = Tokens::new(&bytes).unwrap().add_to(&mut cells);
    assert_eq!((added.fits, cells), (false, [u64::MAX, 2]));
}

proptest! {
    #[test]
    fn digits_are_decoded_as_the_standard_library_does(digits in "[0-9]{1,8}", rest in "[ -~]{8}") {
        let eight = format!("{digits}{rest}");
        let eight = u64::from_le_bytes(*eight.as_bytes().first_chunk().unwrap());
        prop_assert_eq!(value_of(eight, digits.len()), digits.parse::<u64>().unwrap());
    }

    #[test]
    fn lists_are_those_of_splitting(text in "(0|[0-9]{1,18}|[0-9]{1,4}|-| |x){0,5}( [0-9]{1,9}){0,9}\n") {
        let (cells, done, at) = added(&text, 8);
        let mut plain = Vec::new();
        let mut rest = &text[..];
        while plain.len() < 8 {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            let fits_window = text.len() - rest.len() + length < WINDOW;
            if !(1..=16).contains(&length) || !fits_window {
                break;
            }
            plain.push(rest[..length].parse::<u64>().unwrap());
            rest = &rest[length..];
            match rest.strip_prefix(' ') {
                Some(next) => rest = next,
                None => break,
            }
        }
        prop_assert_eq!(done.cells, plain.len());
        prop_assert_eq!(&cells[..plain.len()], &plain[..]);
        prop_assert_eq!(&text[at..], rest);
    }
}

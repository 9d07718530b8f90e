//! Small handwritten files, in all layouts.

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::{SampleTime, claim, read};
use crate::format::Confidence;
use crate::reading::Reading;

fn reading(bytes: &[u8]) -> Reading<Profile> {
    let reading = read(&Memory { name: "x", bytes }, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

struct GmonWriter {
    bytes: Vec<u8>,
    big: bool,
    wide: bool,
}

impl GmonWriter {
    fn put(&mut self, number: u64, length: usize) {
        let bytes = number.to_le_bytes();
        let mut bytes = bytes[..length].to_vec();
        if self.big {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
    }

    fn word(&mut self, number: u64) {
        self.put(number, if self.wide { 8 } else { 4 });
    }

    fn gnu(big: bool, wide: bool, rate: u64) -> Vec<u8> {
        let mut writer = Self { bytes: b"gmon".to_vec(), big, wide };
        writer.put(1, 4);
        writer.bytes.extend([0; 12]);
        writer.bytes.push(0);
        writer.word(0x1000);
        writer.word(0x100a);
        writer.put(3, 4);
        writer.put(rate, 4);
        writer.bytes.extend(b"seconds\0\0\0\0\0\0\0\0s");
        [5, 0, 700].into_iter().for_each(|bin| writer.put(bin, 2));
        for count in [3, 4] {
            writer.bytes.push(1);
            writer.word(0x1000);
            writer.word(0x1004);
            writer.put(count, 4);
        }
        writer.bytes.push(2);
        writer.put(1, 4);
        writer.word(0x1004);
        writer.word(9);
        writer.bytes
    }

    fn bsd(big: bool, wide: bool) -> Vec<u8> {
        let mut writer = Self { bytes: Vec::new(), big, wide };
        writer.word(0x1000);
        writer.word(0x100a);
        writer.put(if wide { 46 } else { 38 }, 4);
        writer.put(0x0005_1879, 4);
        writer.put(100, 4);
        writer.bytes.extend([0; 12]);
        [5, 0, 700].into_iter().for_each(|bin| writer.put(bin, 2));
        [0x1000, 0x1004, 7].into_iter().for_each(|number| writer.word(number));
        writer.bytes
    }
}

fn as_lines(profile: &Profile) -> Vec<String> {
    let part = &profile.parts[0];
    let own = part.own.function.iter().enumerate();
    let own = own.map(|(row, &id)| format!("{} {:?}", profile.function_name(id), part.own.costs.row(row)));
    let calls = (0..part.calls.len()).map(|row| {
        let [caller, callee] =
            [&part.calls.caller, &part.calls.callee].map(|it| profile.function_name(it[row]));
        format!("{caller} -> {callee} {}", part.calls.count[row])
    });
    own.chain(calls).collect()
}

const LAYOUTS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

#[test]
fn all_layouts_give_the_same_profile() {
    for (big, wide) in LAYOUTS {
        let bytes = GmonWriter::gnu(big, wide, 100);
        assert_eq!(claim(&Memory { name: "x", bytes: &bytes }), Confidence::Certain);
        let reading = reading(&bytes);
        assert_eq!(reading.diagnostics, [], "{big} {wide}");
        assert_eq!(
            as_lines(&reading.value),
            ["0x1000-0x1003 [50000, 0]", "0x1006-0x100a [7000000, 0]", "0x1004 [0, 9]", "0x1000 -> 0x1004 7"]
        );
        assert!(!reading.value.parts[0].calls.has_costs());
        assert_eq!(reading.value.events[0].unit_label(), "us");
        assert_eq!(reading.value.unresolved.len(), 4);
    }
}

#[test]
fn the_bsd_format_is_recognised_by_its_version() {
    for (big, wide) in LAYOUTS {
        let bytes = GmonWriter::bsd(big, wide);
        let reading = reading(&bytes);
        assert_eq!(reading.diagnostics, [], "{big} {wide}");
        let expected = ["0x1000-0x1003 [50000]", "0x1006-0x100a [7000000]", "0x1000 -> 0x1004 7"];
        assert_eq!(as_lines(&reading.value), expected);
        let cut = self::reading(&bytes[..bytes.len() - 1]);
        assert_eq!(as_lines(&cut.value), expected[..2]);
        assert!(!cut.complete());
    }
}

/// Found by fuzzing: bins of one byte are named like blocks.
#[test]
fn a_bin_of_one_byte_may_be_a_block() {
    let bytes = GmonWriter::gnu(false, true, 100);
    let high = 20 + 1 + 8;
    let narrow = [&bytes[..high], &0x1006_u64.to_le_bytes(), &bytes[high + 8..]].concat();
    let narrow: Vec<u8> =
        narrow.iter().enumerate().map(|(at, &byte)| if at == high + 8 { 6 } else { byte }).collect();
    let bins = high + 8 + 4 + 4 + 16;
    let bytes = [&narrow[..bins], &[0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0], &narrow[bins + 6..]].concat();
    assert_eq!(as_lines(&reading(&bytes).value), ["0x1004 [30000, 9]", "0x1000 -> 0x1004 7"]);
}

#[test]
fn rates_are_exact_where_they_can_be() {
    let tick = |rate| (SampleTime::from_rate(rate).exponent, SampleTime::from_rate(rate).cost(10));
    assert_eq!(tick(100), (-6, 100_000));
    assert_eq!(tick(1000), (-6, 10_000));
    assert_eq!(tick(1), (-6, 10_000_000));
    assert_eq!(tick(250), (-6, 40_000));
    assert_eq!(tick(1024), (-10, 97_656_250));
    assert_eq!(tick(60), (-9, 166_666_667));
}

#[test]
fn damage_is_reported_and_the_rest_kept() {
    let bytes = GmonWriter::gnu(false, true, 100);
    let arcs = bytes.len() - 21 - 2 * 21;
    let bad = reading(&[&bytes[..arcs], b"\x07"].concat());
    assert_eq!(bad.diagnostics[0].to_string(), format!("byte {arcs}: expected a histogram, calls or blocks"));
    assert_eq!(as_lines(&bad.value), ["0x1000-0x1003 [50000]", "0x1006-0x100a [7000000]"]);
    let newer = read(&Memory { name: "x", bytes: b"gmon\x02\0\0\0" }, &Sequential).unwrap_err();
    assert_eq!(newer.to_string(), "x has the version 2; this Lotse reads version 1");
    assert!(read(&Memory { name: "x", bytes: b"gmon" }, &Sequential).is_err());
}

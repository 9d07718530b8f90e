//! Xdebug cachegrind file: written by PHP's profiler in the syntax of callgrind, with some differences.
//!
//! Memory costs may be negative, sums follow the costs, internal functions come before their callers, and old
//! versions have no numbers for names.

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use super::callgrind::{Dialect, Writer, claim, read_alone};
use crate::error::FormatError;
use crate::format::{Format, Reader};
use crate::reading::Reading;

pub(crate) const FORMAT: Format = Format {
    id: "xdebug",
    title: "Xdebug cachegrind file",
    extensions: &[],
    claim: |source| claim(source.bytes(), Writer::Xdebug),
    reader: Reader::Profile(read),
};

const DIALECT: Dialect = Dialect { id: FORMAT.id, signed: true };

fn read(source: &dyn Source, workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    read_alone(source, &DIALECT, workers)
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Memory;
    use lotse_model::work::Sequential;

    use crate::{detail, read_profile};

    const FILE: &str = "version: 1\ncreator: xdebug 3.0.2 (PHP 7.4.14)\ncmd: /a.php\npart: 1\npositions: line\n\n\
        events: Time_(10ns) Memory_(bytes)\n\nfl=(1) php:internal\nfn=(1) php::strlen\n3 5 -16\n\n\
        fl=(2) /a.php\nfn=(2) {main}\n1 9 100\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 5 -16\n\nsummary: 14 84\n";

    #[test]
    fn costs_below_zero_and_sums_after_the_costs() {
        let source = Memory { name: "cachegrind.out.1", bytes: FILE.as_bytes() };
        let reading = read_profile(&source, None, &Sequential).unwrap();
        assert_eq!((reading.format_id, reading.diagnostics.len()), ("xdebug", 0));
        let profile = reading.value;
        assert_eq!(profile.check(), Ok(()));
        assert!(profile.signed);
        let part = &profile.parts[0];
        assert_eq!((part.own.costs.value(0, 1), part.own.costs.total(1)), (-16, 84));
        assert_eq!(part.calls.costs.value(0, 1), -16);
        assert_eq!(part.stated[0].costs, [14, 84]);
        let units: Vec<String> = profile.events.iter().map(|event| event.unit_label()).collect();
        assert_eq!(units, ["10ns", "bytes"]);
        let lines = detail(&source, &profile, part.own.function[0]).unwrap().lines;
        assert_eq!(lines.costs.value(0, 1), -16);
    }

    #[test]
    fn old_versions_have_no_numbers() {
        let text = "version: 0.9.6\ncmd: a.php\npart: 1\n\nevents: Time\n\nfl=php:internal\nfn=php::a\0b\n1 2\n\n\
                    fl=a.php\nfn={main}\n\nsummary: 7\n\n1 5\ncfn=php::a\0b\ncalls=1 0 0\n1 2\n";
        let reading = read_profile(&Memory { name: "x", bytes: text.as_bytes() }, None, &Sequential).unwrap();
        assert!(reading.complete(), "{:?}", reading.diagnostics);
        let profile = reading.value;
        assert_eq!(profile.functions.len(), 2);
        assert_eq!(profile.function_file(profile.parts[0].calls.callee[0]), Some("php:internal"));
        assert_eq!(profile.parts[0].own.costs.total(0), 7);
    }
}

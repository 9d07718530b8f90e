//! Cachegrind out file: costs by line in the syntax of callgrind, without calls, objects or numbers for names.

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use super::callgrind::{Dialect, Writer, claim, read_alone};
use crate::error::FormatError;
use crate::format::{Format, Reader};
use crate::reading::Reading;

pub(crate) const FORMAT: Format = Format {
    id: "cachegrind",
    title: "Cachegrind out file",
    extensions: &[],
    claim: |source| claim(source.bytes(), Writer::Cachegrind),
    reader: Reader::Profile(read),
};

const DIALECT: Dialect = Dialect { id: FORMAT.id, signed: false };

fn read(source: &dyn Source, workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    read_alone(source, &DIALECT, workers)
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Memory;
    use lotse_model::work::Sequential;

    use crate::{detail, read_profile};

    #[test]
    fn functions_of_different_files_are_distinct() {
        let text = "desc: I1 cache: 1\ncmd: ./x\nevents: Ir Dr\nfl=a.c\nfn=f\n5 1 .\n6 2\nfl=a.h\nfn=f\n1 4 5\n\
                    summary: 7 5\n";
        let source = Memory { name: "cachegrind.out.1", bytes: text.as_bytes() };
        let reading = read_profile(&source, None, &Sequential).unwrap();
        assert_eq!((reading.format_id, reading.diagnostics.len()), ("cachegrind", 0));
        let profile = reading.value;
        let part = &profile.parts[0];
        assert_eq!(part.own.costs.cells(), [3, 0, 4, 5]);
        assert_eq!(part.stated[0].costs, [7, 5]);
        let lines = detail(&source, &profile, part.own.function[0]).unwrap().lines;
        let numbers: Vec<u32> = lines.place.iter().map(|place| place.line).collect();
        assert_eq!(numbers, [5, 6]);
    }
}

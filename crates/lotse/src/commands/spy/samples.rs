//! Samples of the unrecorded run: turns their addresses into stacks of source lines.

use std::collections::HashMap;
use std::path::Path;

use lotse_formats::history::{StoredSamples, StoredStack};
use lotse_host::FileSource;
use lotse_host::spy::{ProgramSamples, program_samples};
use lotse_model::bytes::Source;
use lotse_profile::resolve::{Binaries, Files};
use lotse_profile::{MappedFrame, MappedStack, mapped_stacks};
use lotse_spy::FrameTable;
use lotse_symbols::{Binary, InlineFrame};

use crate::exit::{Exit, Failure};

/// Reads all samples that the programs of the run left in a folder.
pub(super) fn read(folder: &Path) -> Result<StoredSamples, Failure> {
    let missing = |error: &dyn std::error::Error| Failure::new(Exit::Missing, error);
    let (programs, refused) = program_samples(folder).map_err(|error| missing(&error))?;
    let mut table = SampleTable::default();
    table.samples.missing = refused;
    for ProgramSamples { file, period } in programs {
        let file = FileSource::open(&file).map_err(|error| missing(&error))?;
        let binaries = Binaries { files: &LocalFiles, given: &[] };
        let stacks = mapped_stacks(&file, &binaries).map_err(|error| missing(&error))?;
        table.add(&stacks, period);
    }
    Ok(table.finish())
}

/// The files of this machine; no debuginfod server is asked.
struct LocalFiles;

impl Files for LocalFiles {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        FileSource::open(Path::new(path)).ok().map(|file| Box::new(file) as Box<dyn Source>)
    }
}

/// Samples counted by stack, where equal stacks of source lines are one stack.
#[derive(Default)]
struct SampleTable {
    samples: StoredSamples,
    frames: FrameTable,
    stacks: HashMap<(Vec<u32>, bool), usize>,
    /// The frames of source lines at each address, the innermost (inlined) one first.
    places: HashMap<MappedFrame, Vec<u32>>,
}

impl SampleTable {
    fn finish(self) -> StoredSamples {
        let (texts, frames) = self.frames.into_parts();
        StoredSamples { texts, frames, ..self.samples }
    }

    fn add(&mut self, stacks: &[MappedStack], period: u64) {
        self.resolve(stacks);
        for stack in stacks {
            let frames: Vec<u32> =
                stack.frames.iter().flat_map(|frame| &self.places[frame]).copied().collect();
            let is_cut = !stack.is_whole;
            let next = self.samples.stacks.len();
            let number = *self.stacks.entry((frames.clone(), is_cut)).or_insert(next);
            if number == next {
                self.samples.stacks.push(StoredStack { frames, is_cut, ..StoredStack::default() });
            }
            let known = &mut self.samples.stacks[number];
            known.samples += 1;
            known.time += period;
        }
    }

    /// Finds the source frames of all addresses, one file after the other. Files without line information have none.
    fn resolve(&mut self, stacks: &[MappedStack]) {
        let mut by_path: HashMap<&str, Vec<&MappedFrame>> = HashMap::new();
        for frame in stacks.iter().flat_map(|stack| &stack.frames) {
            if !self.places.contains_key(frame) {
                self.places.insert(frame.clone(), Vec::new());
                by_path.entry(&frame.path).or_default().push(frame);
            }
        }
        for (path, frames) in by_path {
            let Ok(file) = FileSource::open(Path::new(path)) else { continue };
            let Ok(binary) = Binary::parse(file.bytes()) else { continue };
            if !binary.has_lines() {
                continue;
            }
            for frame in frames {
                let numbers =
                    source_frames(&binary, frame.offset).into_iter().map(|frame| self.frames.number(frame));
                let numbers = numbers.collect();
                self.places.insert(frame.clone(), numbers);
            }
        }
    }
}

/// The source frames at an offset of a file. An instruction without a line, which the compiler generated or merged, gets the
/// line of the nearest instruction before it in the same function.
fn source_frames(binary: &Binary<'_>, offset: u64) -> Vec<InlineFrame> {
    /// The number of bytes before an instruction in which a line is searched.
    const BEFORE: u64 = 48;
    let Some(address) = binary.address_of_offset(offset) else { return Vec::new() };
    let start = binary.function_at(address).map_or(address, |function| function.range().start);
    let frames = |at: u64| binary.resolve(at).frames;
    let has_line =
        |frames: &Vec<InlineFrame>| frames.first().is_some_and(|innermost| innermost.line.is_some());
    let before = (start.max(address.saturating_sub(BEFORE))..=address).rev();
    before.map(frames).find(has_line).unwrap_or_else(|| frames(address))
}

#[cfg(test)]
mod tests {
    use lotse_host::FileSource;
    use lotse_model::bytes::Source as _;
    use lotse_profile::{MappedFrame, MappedStack};
    use lotse_symbols::Binary;

    use super::{SampleTable, read};

    /// A place of this program with a line, in its own file.
    fn own_place() -> MappedFrame {
        let path = std::env::current_exe().unwrap();
        let file = FileSource::open(&path).unwrap();
        let binary = Binary::parse(file.bytes()).unwrap();
        let is_ours =
            |name: &str| name.contains("commands") && name.contains("samples") && name.contains("own_place");
        let address = binary.symbols().find(|function| is_ours(function.name)).unwrap().range().start;
        let mut offsets = (0..1024).map(|page| address.wrapping_sub(4096 * page));
        let offset = offsets.find(|&offset| binary.address_of_offset(offset) == Some(address)).unwrap();
        MappedFrame { path: path.display().to_string(), offset }
    }

    #[test]
    fn equal_stacks_are_counted_together_by_lines() {
        let mut table = SampleTable::default();
        let gone = MappedFrame { path: "/nowhere".to_owned(), offset: 16 };
        let stack = |is_whole| MappedStack { frames: vec![gone.clone(), own_place()], is_whole };
        table.add(&[stack(true), stack(true), stack(false)], 10);
        table.add(&[stack(true)], 20);
        let samples = table.finish();
        let counted: Vec<_> =
            samples.stacks.iter().map(|stack| (stack.samples, stack.time, stack.is_cut)).collect();
        assert_eq!(counted, [(3, 40, false), (1, 10, true)]);
        let outermost = samples.frames[*samples.stacks[0].frames.last().unwrap() as usize];
        assert!(samples.texts[outermost.0 as usize].contains("own_place"), "{:?}", samples.texts);
        assert!(samples.texts[outermost.1 as usize].ends_with("samples.rs") && outermost.2 > 0);
    }

    #[test]
    fn programs_that_were_not_sampled_say_why() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("unsampled-7"), "a reason").unwrap();
        std::fs::write(folder.path().join("time-7"), "0.1 a").unwrap();
        let samples = read(folder.path()).unwrap_or_else(|failure| panic!("{}", failure.message));
        assert_eq!((samples.missing, samples.stacks.len()), (vec!["a reason".to_owned()], 0));
        std::fs::write(folder.path().join("samples-8-1"), "no perf.data").unwrap();
        let samples = read(folder.path()).unwrap_or_else(|failure| panic!("{}", failure.message));
        assert_eq!(samples.stacks.len(), 0);
    }
}

//! Names that a history keeps of an executable: taken from it when recording ends, used instead of it afterwards.

use std::collections::{BTreeSet, HashMap};

use lotse_formats::history::StoredNames;
use lotse_symbols::Binary;

use super::image::{SourceFrame, source_frame};

/// The names of places of an executable; `names` says which file it is.
pub(crate) fn stored(binary: &Binary<'_>, places: &BTreeSet<u64>, names: StoredNames) -> StoredNames {
    let mut table = Table { names, texts: HashMap::new(), frames: HashMap::new() };
    for &place in places {
        // As for return addresses everywhere: the call lies before.
        let address = place.saturating_sub(1);
        let frames = binary.resolve(address).frames.into_iter().map(|frame| table.frame(frame)).collect();
        let function = binary.function_at(address).map_or(0, |function| function.range().start);
        table.names.places.push((place, function, frames));
    }
    table.names.sizes = binary.type_sizes().into_iter().collect();
    table.names.sizes.sort_unstable();
    table.names
}

struct Table {
    names: StoredNames,
    texts: HashMap<String, u32>,
    frames: HashMap<(u32, u32, u32, u32), u32>,
}

impl Table {
    fn frame(&mut self, frame: lotse_symbols::Frame) -> u32 {
        let key = (
            self.text(frame.function.unwrap_or_default()),
            self.text(frame.file.unwrap_or_default()),
            frame.line.unwrap_or(0),
            frame.column.unwrap_or(0),
        );
        let list = &mut self.names.frames;
        *self.frames.entry(key).or_insert_with(|| {
            list.push(key);
            (list.len() - 1) as u32
        })
    }

    fn text(&mut self, text: String) -> u32 {
        if let Some(&known) = self.texts.get(&text) {
            return known;
        }
        let number = self.names.texts.len() as u32;
        self.names.texts.push(text.clone());
        self.texts.insert(text, number);
        number
    }
}

/// The frames at a place, the innermost first; none where the place is not in the table.
pub(super) fn frames(names: &StoredNames, place: u64) -> Vec<SourceFrame> {
    let Some((_, _, frames)) = find(names, place) else { return Vec::new() };
    frames.iter().filter_map(|&number| frame(names, number)).map(source_frame).collect()
}

/// Where the compiled function around a place begins.
pub(super) fn function(names: &StoredNames, place: u64) -> u64 {
    find(names, place).map_or(0, |(_, function, _)| *function)
}

pub(super) fn size(names: &StoredNames, name: &str) -> Option<u64> {
    let at = names.sizes.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
    Some(names.sizes[at].1)
}

fn find(names: &StoredNames, place: u64) -> Option<&(u64, u64, Vec<u32>)> {
    names.places.get(names.places.binary_search_by_key(&place, |known| known.0).ok()?)
}

fn frame(names: &StoredNames, number: u32) -> Option<lotse_symbols::Frame> {
    let &(function, file, line, column) = names.frames.get(number as usize)?;
    let text = |number: u32| names.texts.get(number as usize).filter(|text| !text.is_empty()).cloned();
    let known = |number: u32| (number > 0).then_some(number);
    Some(lotse_symbols::Frame {
        function: text(function),
        file: text(file),
        line: known(line),
        column: known(column),
    })
}

//! Source frames as a history stores them: each text and each frame once, referred to by number.

use std::collections::HashMap;

use lotse_symbols::InlineFrame;

/// Function and file as indices into the texts, then line and column; 0 for a line or column that is not known.
pub type StoredFrame = (u32, u32, u32, u32);

/// Interns frames and their texts.
#[derive(Debug, Default)]
pub struct FrameTable {
    texts: Interner<String>,
    frames: Interner<StoredFrame>,
}

impl FrameTable {
    /// The number of a frame; equal frames have the same number.
    pub fn number(&mut self, frame: InlineFrame) -> u32 {
        let key = (
            self.texts.number_of(frame.function.into_iter().collect()),
            self.texts.number_of(frame.file.into_iter().collect()),
            frame.line.unwrap_or(0),
            frame.column.unwrap_or(0),
        );
        self.frames.number_of(key)
    }

    /// All texts and all frames, in the order of their numbers.
    pub fn into_parts(self) -> (Vec<String>, Vec<StoredFrame>) {
        (self.texts.list, self.frames.list)
    }
}

/// Assigns consecutive numbers to distinct values.
#[derive(Debug)]
struct Interner<T> {
    list: Vec<T>,
    known: HashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { list: Vec::new(), known: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Interner<T> {
    fn number_of(&mut self, value: T) -> u32 {
        let list = &mut self.list;
        *self.known.entry(value).or_insert_with_key(|value| {
            list.push(value.clone());
            (list.len() - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use lotse_symbols::InlineFrame;

    use super::FrameTable;

    #[test]
    fn equal_frames_and_texts_are_stored_once() {
        let frame = |function: &str, line: u32| InlineFrame {
            function: Some(function.to_owned()),
            file: Some("a.rs".to_owned()),
            line: Some(line),
            column: None,
        };
        let mut table = FrameTable::default();
        let numbers = [("f", 1), ("g", 1), ("f", 1), ("f", 2)].map(|(f, line)| table.number(frame(f, line)));
        assert_eq!(numbers, [0, 1, 0, 2]);
        let (texts, frames) = table.into_parts();
        assert_eq!(texts, ["f", "a.rs", "g"]);
        assert_eq!(frames, [(0, 1, 1, 0), (2, 1, 1, 0), (0, 1, 2, 0)]);
    }
}

//! The messages of a pprof file by kind, before references are resolved.

use super::wire::{FieldValue, MessageBytes};
use crate::diagnostics::Diagnostics;

/// The top-level fields of a file.
#[derive(Debug, Default)]
pub(super) struct Messages<'a> {
    pub(super) sample_types: Vec<MessageBytes<'a>>,
    pub(super) samples: Vec<MessageBytes<'a>>,
    pub(super) mappings: Vec<MessageBytes<'a>>,
    pub(super) locations: Vec<MessageBytes<'a>>,
    pub(super) functions: Vec<MessageBytes<'a>>,
    pub(super) strings: Vec<&'a [u8]>,
    /// Indices of comments.
    pub(super) comments: Vec<u64>,
    pub(super) drop_frames: u64,
    pub(super) time: i64,
    pub(super) duration: i64,
    pub(super) default_type: u64,
    pub(super) period_type: Option<MessageBytes<'a>>,
    pub(super) period: i64,
}

impl<'a> Messages<'a> {
    /// Collects the fields up to the first broken one.
    pub(super) fn collect(bytes: &'a [u8], diagnostics: &mut Diagnostics) -> Self {
        let mut messages = Self::default();
        for field in (MessageBytes { bytes, at: 0 }).fields() {
            match field.and_then(|(number, value)| messages.add(number, value)) {
                Ok(()) => {}
                Err(flaw) => {
                    diagnostics.loss(flaw.place, format!("{}; what follows is left out", flaw.message))
                }
            }
        }
        messages
    }

    /// Stores a field by its number in `profile.proto`.
    fn add(&mut self, number: u64, value: FieldValue<'a>) -> Result<(), crate::reading::Diagnostic> {
        match (number, value) {
            (1, FieldValue::Bytes(encoded)) => self.sample_types.push(encoded),
            (2, FieldValue::Bytes(encoded)) => self.samples.push(encoded),
            (3, FieldValue::Bytes(encoded)) => self.mappings.push(encoded),
            (4, FieldValue::Bytes(encoded)) => self.locations.push(encoded),
            (5, FieldValue::Bytes(encoded)) => self.functions.push(encoded),
            (6, FieldValue::Bytes(encoded)) => self.strings.push(encoded.bytes),
            (7, FieldValue::Number(index)) => self.drop_frames = index,
            (9, FieldValue::Number(time)) => self.time = time as i64,
            (10, FieldValue::Number(duration)) => self.duration = duration as i64,
            (11, FieldValue::Bytes(encoded)) => self.period_type = Some(encoded),
            (12, FieldValue::Number(period)) => self.period = period as i64,
            (13, FieldValue::Bytes(packed)) => packed.numbers(&mut self.comments)?,
            (13, FieldValue::Number(index)) => self.comments.push(index),
            (14, FieldValue::Number(index)) => self.default_type = index,
            // Ignored: frames to keep in spite of `drop_frames`, a link to documentation.
            _ => {}
        }
        Ok(())
    }
}

/// A sample as in the file.
#[derive(Debug, Default)]
pub(super) struct PprofSample<'a> {
    pub(super) locations: Vec<u64>,
    pub(super) values: Vec<u64>,
    pub(super) labels: Vec<MessageBytes<'a>>,
}

impl<'a> PprofSample<'a> {
    /// Replaces the contents by those of a message; buffers are reused.
    pub(super) fn read(&mut self, encoded: MessageBytes<'a>) -> Result<(), crate::reading::Diagnostic> {
        self.locations.clear();
        self.values.clear();
        self.labels.clear();
        for field in encoded.fields() {
            match field? {
                (1, FieldValue::Bytes(packed)) => packed.numbers(&mut self.locations)?,
                (1, FieldValue::Number(id)) => self.locations.push(id),
                (2, FieldValue::Bytes(packed)) => packed.numbers(&mut self.values)?,
                (2, FieldValue::Number(value)) => self.values.push(value),
                (3, FieldValue::Bytes(label)) => self.labels.push(label),
                _ => {}
            }
        }
        Ok(())
    }
}

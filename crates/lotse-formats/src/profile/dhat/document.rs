//! The JSON as it is, kept up to where it breaks.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::error::Flaw;
use crate::json::{self, Collect};

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) version: u64,
    pub(super) mode: String,
    /// What costs are called where they are no bytes (`bsu`).
    pub(super) bytes: Option<String>,
    /// What is counted where it is no blocks (`bksu`).
    pub(super) blocks: Option<String>,
    /// The unit of times (`tu`).
    pub(super) time: String,
    pub(super) command: Option<String>,
    pub(super) process: Option<u64>,
    /// When it ended (`te`).
    pub(super) end: Option<u64>,
    pub(super) points: Vec<Point>,
    pub(super) frames: Vec<String>,
}

/// A program point; the names are those of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Point {
    /// Bytes in total.
    pub(super) tb: u64,
    /// Blocks in total.
    pub(super) tbk: u64,
    /// Lifetimes of all blocks.
    pub(super) tl: Option<u64>,
    /// Bytes at the global maximum.
    pub(super) gb: Option<u64>,
    /// Blocks at the global maximum.
    pub(super) gbk: Option<u64>,
    /// Bytes at the end.
    pub(super) eb: Option<u64>,
    /// Blocks at the end.
    pub(super) ebk: Option<u64>,
    /// Bytes read.
    pub(super) rb: Option<u64>,
    /// Bytes written.
    pub(super) wb: Option<u64>,
    /// Accesses by byte, run-length encoded.
    pub(super) acc: Vec<i64>,
    /// Frames, the innermost first.
    pub(super) fs: Vec<u32>,
}

impl Document {
    /// What is good of the text, and where it breaks.
    pub(super) fn parse(text: &str) -> (Self, Option<Flaw>) {
        let mut document = Self::default();
        let flaw = json::parse(text, Filling(&mut document)).err();
        (document, flaw)
    }
}

struct Filling<'a>(&'a mut Document);

impl<'de> DeserializeSeed<'de> for Filling<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Filling<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of DHAT")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let document = self.0;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "dhatFileVersion" => document.version = map.next_value()?,
                "mode" => document.mode = map.next_value()?,
                "bsu" => document.bytes = map.next_value()?,
                "bksu" => document.blocks = map.next_value()?,
                "tu" => document.time = map.next_value()?,
                "cmd" => document.command = map.next_value()?,
                "pid" => document.process = map.next_value()?,
                "te" => document.end = map.next_value()?,
                "pps" => map.next_value_seed(Collect(&mut document.points))?,
                "ftbl" => map.next_value_seed(Collect(&mut document.frames))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

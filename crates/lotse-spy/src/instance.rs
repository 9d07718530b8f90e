//! Instances of data structures, and the code places that create and use them.

use std::collections::BTreeSet;

use lotse_formats::history::StoredSamples;
use lotse_model::site::SourceSite;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::container::Container;
use crate::nesting::LoopTable;
use crate::samples::RunSamples;

/// An instance, numbered by the producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(transparent)]
pub struct InstanceId(pub u64);

/// A thread, numbered by the producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ThreadId(pub u32);

/// Index of a code place in the [`CodeTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CodeId(pub u32);

/// A loop of the program, numbered by the producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LoopId(pub u32);

/// One data structure of the recorded program, such as one `Vec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    pub id: InstanceId,
    pub container: Container,
    /// Element size in bytes; 0 if unknown.
    pub element_size: u32,
    /// Where it was created.
    pub site: CodeId,
    /// The thread that created it.
    pub thread: ThreadId,
}

impl Instance {
    /// An instance created by the first thread.
    #[must_use]
    pub fn new(id: u64, container: Container, element_size: u32, site: CodeId) -> Self {
        Self { id: InstanceId(id), container, element_size, site, thread: ThreadId::default() }
    }
}

/// A code place: a source position that creates or uses a data structure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Code {
    /// The library method called there, if any: `push`, `binary_search`, `contains_key`.
    pub method: Option<String>,
    /// The position in user code, followed by those of its callers as far as known.
    #[serde(with = "crate::digest::places")]
    pub chain: Vec<SourceSite>,
}

/// All code places of the program by number, and its loops.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeTable {
    codes: Vec<Code>,
    /// The loops around them.
    pub(crate) loops: LoopTable,
    /// Functions that were seen to call themselves, directly or not.
    pub(crate) recursive: BTreeSet<String>,
    /// Samples of an unrecorded run, by loop and call. Not part of a digest, because samples may be added to a history later.
    #[serde(skip)]
    pub(crate) samples: RunSamples,
}

impl CodeTable {
    /// Adds a place. The caller makes sure that equal places are added once.
    pub fn add(&mut self, code: Code) -> CodeId {
        self.codes.push(code);
        CodeId((self.codes.len() - 1) as u32)
    }

    /// Sets the samples of an unrecorded run, from which the shares of loops and calls are computed.
    pub fn set_samples(&mut self, samples: &StoredSamples) {
        self.samples = RunSamples::new(samples, &self.loops);
    }

    /// A code place without known callers.
    #[must_use]
    pub fn code_at(file: &str, line: u32, column: u32, function: &str, method: Option<&str>) -> Code {
        let (file, function) = (file.to_owned(), Some(function.to_owned()));
        let site = SourceSite { file, line: Some(line), column: Some(column), function };
        Code { method: method.map(str::to_owned), chain: vec![site] }
    }

    /// The place with this number.
    #[must_use]
    pub fn get(&self, code: CodeId) -> Option<&Code> {
        self.codes.get(code.0 as usize)
    }

    /// The source position in user code.
    #[must_use]
    pub fn site(&self, code: CodeId) -> Option<&SourceSite> {
        self.get(code)?.chain.first()
    }

    /// The library method called at a place.
    #[must_use]
    pub fn method(&self, code: CodeId) -> Option<&str> {
        self.get(code)?.method.as_deref()
    }
}

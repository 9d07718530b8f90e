//! Resolves the names of chunks to objects, files and functions, across chunks and parts.
//!
//! A function is identified by its object, name and file. The file is the one current where the function is first
//! named, with two exceptions:
//!
//! - A call that names no file says nothing about the file of its callee. The file then comes from an `fn=` line of
//!   the same number, or else of the same name and object.
//! - An `fn=` line without costs and calls only gives a number its name. The file then comes from the first `fn=` line
//!   of the number that has costs. (yappi lists all files and then all functions before the costs, so that the last
//!   file of the list is current at every name.)
//!
//! ```text
//! fl=(1) a.c
//! fn=(1) main
//! 5 10
//! cfn=(2) f        callee without a file: for now f in a.c
//! calls=1 20
//! 6 30
//! fl=(2) b.c
//! fn=(2)           number 2 has costs here: f is in b.c
//! 20 30
//! ```

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{Builder, readable};

use super::chunk::CallgrindChunk;
use super::faults::{FaultKind, Faults};
use super::names::{ChunkName, FunctionRef, IndirectRef, NameContext, Numbering};

/// The meaning of the numbers of one part. Numbers of the previous part of the same file keep their meaning.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) objects: Numbering,
    pub(super) files: Numbering,
    /// Index into [`Identities::named`].
    pub(super) functions: Numbering,
    object: u32,
    file: u32,
}

impl Scope {
    /// The empty scope of a part of `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let numbering = || Numbering::new(bytes);
        Self { objects: numbering(), files: numbering(), functions: numbering(), ..Self::default() }
    }
}

/// What the entries of a chunk stand for in the profile.
#[derive(Debug)]
pub(super) struct ResolvedNames {
    /// By entry of the chunk's files.
    pub(super) files: Vec<u32>,
    /// By block of the chunk: the index of its function in [`Identities::named`].
    pub(super) callers: Vec<u32>,
    /// By row of the chunk's calls: the index of the callee in [`Identities::named`].
    pub(super) callees: Vec<u32>,
}

/// A function as it was first named.
#[derive(Debug, Clone)]
struct NamedFunction<'a> {
    text: NameOrNumber<'a>,
    object: ObjectId,
    file: FileId,
    /// Whether the file is only assumed, because a call named none.
    file_assumed: bool,
    /// Whether no `fn=` line of it with costs has been seen yet.
    without_costs: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum NameOrNumber<'a> {
    Name(&'a [u8]),
    Number(u64),
}

/// All functions of all parts, in the order in which they are first named.
#[derive(Debug, Default)]
pub(super) struct Identities<'a> {
    named: Vec<NamedFunction<'a>>,
}

impl<'a> Identities<'a> {
    /// Resolves the names of the next chunk of a part. `older` is the scope of the previous part of the same file.
    pub(super) fn add(
        &mut self,
        chunk: &mut CallgrindChunk<'a>,
        scope: &mut Scope,
        older: Option<&Scope>,
        builder: &mut Builder,
    ) -> ResolvedNames {
        let (objects, files) = objects_and_files(chunk, scope, older, builder);
        let namings = self.namings(chunk, (&objects, &files), scope);
        let callers = chunk.blocks.iter().map(|block| (block.function, block.start));
        let callers = self.references(callers, chunk, &namings, scope, older);
        for (block, &caller) in chunk.blocks.iter().zip(&callers.0) {
            let named = &mut self.named[caller as usize];
            if named.file_assumed || (named.without_costs && !block.empty) {
                (named.file, named.file_assumed) = (FileId(files[block.file as usize]), false);
                named.without_costs = block.empty;
            }
        }
        let calls = &chunk.calls;
        let callees = calls.callee.iter().zip(&calls.caller);
        let callees = callees.map(|(&callee, &caller)| (callee, chunk.blocks[caller as usize].start));
        let callees = self.references(callees, chunk, &namings, scope, older);
        for at in callers.1.into_iter().chain(callees.1) {
            chunk.faults.add(at, FaultKind::Undefined);
        }
        (scope.object, scope.file) = (objects[chunk.object as usize], files[chunk.file as usize]);
        ResolvedNames { files, callers: callers.0, callees: callees.0 }
    }

    /// Registers the functions that the chunk names; gives back their indices, by naming.
    fn namings(
        &mut self,
        chunk: &mut CallgrindChunk<'a>,
        (objects, files): (&[u32], &[u32]),
        scope: &mut Scope,
    ) -> Vec<u32> {
        let mut indices = Vec::with_capacity(chunk.functions.namings.len());
        for naming in &chunk.functions.namings {
            let known = naming.number.and_then(|number| scope.functions.get(number));
            if let Some(known) = known {
                if self.named[known as usize].text != NameOrNumber::Name(naming.text) {
                    chunk.faults.add(naming.at, FaultKind::Redefined);
                }
                indices.push(known);
                continue;
            }
            let NameContext { object, file, file_assumed } = naming.context;
            let (object, file) = (ObjectId(objects[object as usize]), FileId(files[file as usize]));
            let index = self.push(NamedFunction {
                text: NameOrNumber::Name(naming.text),
                object,
                file,
                file_assumed,
                without_costs: true,
            });
            if let Some(number) = naming.number {
                scope.functions.set(number, index);
            }
            indices.push(index);
        }
        indices
    }

    /// Resolves references to functions; also gives back the places near which undefined numbers are used.
    fn references(
        &mut self,
        references: impl Iterator<Item = (FunctionRef, usize)>,
        chunk: &CallgrindChunk<'a>,
        namings: &[u32],
        scope: &mut Scope,
        older: Option<&Scope>,
    ) -> (Vec<u32>, Vec<usize>) {
        let (mut indices, mut undefined) = (Vec::with_capacity(references.size_hint().0), Vec::new());
        for (reference, at) in references {
            let number = match reference.number() {
                Some(number) => u64::from(number),
                None => match chunk.functions.others[reference.other()] {
                    IndirectRef::Number(number) => number,
                    IndirectRef::Naming(naming) => {
                        indices.push(namings[naming as usize]);
                        continue;
                    }
                },
            };
            let known = scope.functions.get(number);
            indices.push(known.unwrap_or_else(|| {
                let index = older.and_then(|older| older.functions.get(number)).unwrap_or_else(|| {
                    undefined.push(at);
                    self.push(NamedFunction::from_number(number))
                });
                scope.functions.set(number, index);
                index
            }));
        }
        (indices, undefined)
    }

    fn push(&mut self, named: NamedFunction<'a>) -> u32 {
        self.named.push(named);
        self.named.len() as u32 - 1
    }

    /// Makes the functions of the profile; one for each of [`Identities::named`], where equal ones are the same function.
    pub(super) fn into_functions(mut self, builder: &mut Builder) -> Vec<FunctionId> {
        if self.named.iter().any(|named| named.file_assumed) {
            self.settle_assumed_files();
        }
        let function = |named: &NamedFunction<'_>| match named.text {
            NameOrNumber::Name(text) => builder.function(&readable(text), named.object, named.file),
            NameOrNumber::Number(number) => {
                builder.function(&format!("({number})"), named.object, named.file)
            }
        };
        self.named.iter().map(function).collect()
    }

    /// Gives functions whose file is only assumed the file of a function of the same name and object, if there is one.
    fn settle_assumed_files(&mut self) {
        let (mut exact, mut first) = (HashSet::new(), HashMap::new());
        for named in self.named.iter().filter(|named| !named.file_assumed) {
            exact.insert((named.text.clone(), named.object, named.file));
            first.entry((named.text.clone(), named.object)).or_insert(named.file);
        }
        for named in self.named.iter_mut().filter(|named| named.file_assumed) {
            if !exact.contains(&(named.text.clone(), named.object, named.file))
                && let Some(&file) = first.get(&(named.text.clone(), named.object))
            {
                named.file = file;
            }
        }
    }
}

impl NamedFunction<'_> {
    /// A function of which only the number is known.
    fn from_number(number: u64) -> Self {
        Self {
            text: NameOrNumber::Number(number),
            object: ObjectId(0),
            file: FileId(0),
            file_assumed: true,
            without_costs: true,
        }
    }
}

/// The name of an object or file, empty where callgrind does not know it.
fn known_name(text: &[u8]) -> std::borrow::Cow<'_, str> {
    if text == b"???" { "".into() } else { readable(text) }
}

/// The ids of a chunk's objects and files. Ids are given in the order of the file, independent of how it is split.
fn objects_and_files(
    chunk: &mut CallgrindChunk<'_>,
    scope: &mut Scope,
    older: Option<&Scope>,
    builder: &mut Builder,
) -> (Vec<u32>, Vec<u32>) {
    let (mut objects, mut files) = (vec![scope.object], vec![scope.file]);
    let faults = &mut chunk.faults;
    loop {
        let object = chunk.objects.entries.get(objects.len());
        let file = chunk.files.entries.get(files.len());
        match (object, file) {
            (Some(object), file) if file.is_none_or(|file| object.at < file.at) => {
                let intern = &mut |text: &[u8]| builder.object(&known_name(text)).0;
                let older = older.map(|older| &older.objects);
                objects.push(resolve(object, &mut scope.objects, older, faults, intern));
            }
            (_, Some(file)) => {
                let intern = &mut |text: &[u8]| builder.file(&known_name(text)).0;
                let older = older.map(|older| &older.files);
                files.push(resolve(file, &mut scope.files, older, faults, intern));
            }
            (_, None) => return (objects, files),
        }
    }
}

/// Resolves an object or file: by its number where that has a meaning already, else by its text, else by the number's
/// meaning in the previous part. A number without any name becomes the name.
fn resolve(
    name: &ChunkName<'_>,
    numbers: &mut Numbering,
    older: Option<&Numbering>,
    faults: &mut Faults,
    intern: &mut impl FnMut(&[u8]) -> u32,
) -> u32 {
    let Some(number) = name.number else { return intern(name.text.unwrap_or(b"")) };
    let fresh = name.text.map(&mut *intern);
    let known = numbers.get(number);
    if let Some(at) = name.clash {
        faults.add(at, FaultKind::Redefined);
    } else if known.is_some_and(|known| fresh.is_some_and(|fresh| fresh != known)) {
        faults.add(name.at, FaultKind::Redefined);
    }
    if let Some(known) = known {
        return known;
    }
    let found = fresh.or_else(|| older.and_then(|older| older.get(number)));
    let id = found.unwrap_or_else(|| {
        faults.add(name.at, FaultKind::Undefined);
        intern(format!("({number})").as_bytes())
    });
    numbers.set(number, id);
    id
}

//! Which functions there are: gives the names of pieces their meaning, across pieces and parts.
//!
//! A function is its object, name and file. The file comes from where it is first named, with two exceptions. A
//! call may name no file: then an `fn=` line of the same number, or else of the same name and object, gives it. And
//! an `fn=` line without costs and calls only gives a number its name: then the first `fn=` line of the number that
//! has costs gives the file. yappi lists all files and then all functions before the costs, so that the last file
//! of the list is current at every name.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{Builder, readable};

use super::faults::{Faults, Kind};
use super::names::{Name, Numbering, Other, Reference, Where};
use super::piece::Piece;

/// What a numbering of one part means. The names of an earlier part of the same file are known too.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) objects: Numbering,
    pub(super) files: Numbering,
    /// To [`Identities::named`].
    pub(super) functions: Numbering,
    object: u32,
    file: u32,
}

impl Scope {
    /// For a part of so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let numbering = || Numbering::new(bytes);
        Self { objects: numbering(), files: numbering(), functions: numbering(), ..Self::default() }
    }
}

/// What the entries of a piece mean.
#[derive(Debug)]
pub(super) struct Meaning {
    /// Of its entries of files.
    pub(super) files: Vec<u32>,
    /// Of its blocks' functions, to [`Identities::named`].
    pub(super) callers: Vec<u32>,
    /// Of what is called, by row.
    pub(super) callees: Vec<u32>,
}

/// A function as something named it.
#[derive(Debug, Clone)]
struct Named<'a> {
    text: Text<'a>,
    object: ObjectId,
    file: FileId,
    weak: bool,
    /// Whether no costs were seen below its `fn=` line yet.
    bare: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Text<'a> {
    Name(&'a [u8]),
    Number(u64),
}

/// All functions of all parts in the order they are first named.
#[derive(Debug, Default)]
pub(super) struct Identities<'a> {
    named: Vec<Named<'a>>,
}

impl<'a> Identities<'a> {
    /// Takes in the names of the next piece of a part.
    pub(super) fn add(
        &mut self,
        piece: &mut Piece<'a>,
        scope: &mut Scope,
        older: Option<&Scope>,
        builder: &mut Builder,
    ) -> Meaning {
        let (objects, files) = objects_and_files(piece, scope, older, builder);
        let namings = self.namings(piece, (&objects, &files), scope);
        let callers = piece.blocks.iter().map(|block| (block.function, block.start));
        let callers = self.references(callers, piece, &namings, scope, older);
        for (block, &caller) in piece.blocks.iter().zip(&callers.0) {
            let named = &mut self.named[caller as usize];
            if named.weak || (named.bare && !block.empty) {
                (named.file, named.weak) = (FileId(files[block.file as usize]), false);
                named.bare = block.empty;
            }
        }
        let calls = &piece.calls;
        let callees = calls.callee.iter().zip(&calls.caller);
        let callees = callees.map(|(&callee, &caller)| (callee, piece.blocks[caller as usize].start));
        let callees = self.references(callees, piece, &namings, scope, older);
        for at in callers.1.into_iter().chain(callees.1) {
            piece.faults.add(at, Kind::Undefined);
        }
        (scope.object, scope.file) = (objects[piece.object as usize], files[piece.file as usize]);
        Meaning { files, callers: callers.0, callees: callees.0 }
    }

    /// Takes in what gives functions their names.
    fn namings(
        &mut self,
        piece: &mut Piece<'a>,
        (objects, files): (&[u32], &[u32]),
        scope: &mut Scope,
    ) -> Vec<u32> {
        let mut meanings = Vec::with_capacity(piece.functions.namings.len());
        for naming in &piece.functions.namings {
            let known = naming.number.and_then(|number| scope.functions.get(number));
            if let Some(known) = known {
                if self.named[known as usize].text != Text::Name(naming.text) {
                    piece.faults.add(naming.at, Kind::Redefined);
                }
                meanings.push(known);
                continue;
            }
            let Where { object, file, weak } = naming.named;
            let (object, file) = (ObjectId(objects[object as usize]), FileId(files[file as usize]));
            let meaning = self.push(Named { text: Text::Name(naming.text), object, file, weak, bare: true });
            if let Some(number) = naming.number {
                scope.functions.set(number, meaning);
            }
            meanings.push(meaning);
        }
        meanings
    }

    /// What references mean, and near where those are that mean nothing.
    fn references(
        &mut self,
        references: impl Iterator<Item = (Reference, usize)>,
        piece: &Piece<'a>,
        namings: &[u32],
        scope: &mut Scope,
        older: Option<&Scope>,
    ) -> (Vec<u32>, Vec<usize>) {
        let (mut meanings, mut undefined) = (Vec::with_capacity(references.size_hint().0), Vec::new());
        for (reference, at) in references {
            let number = match reference.number() {
                Some(number) => u64::from(number),
                None => match piece.functions.others[reference.other()] {
                    Other::Number(number) => number,
                    Other::Naming(naming) => {
                        meanings.push(namings[naming as usize]);
                        continue;
                    }
                },
            };
            let known = scope.functions.get(number);
            meanings.push(known.unwrap_or_else(|| {
                let meaning = older.and_then(|older| older.functions.get(number)).unwrap_or_else(|| {
                    undefined.push(at);
                    self.push(Named::number(number))
                });
                scope.functions.set(number, meaning);
                meaning
            }));
        }
        (meanings, undefined)
    }

    fn push(&mut self, named: Named<'a>) -> u32 {
        self.named.push(named);
        self.named.len() as u32 - 1
    }

    /// The functions, for everything that was named.
    pub(super) fn settle(mut self, builder: &mut Builder) -> Vec<FunctionId> {
        if self.named.iter().any(|named| named.weak) {
            self.strengthen();
        }
        let function = |named: &Named<'_>| match named.text {
            Text::Name(text) => builder.function(&readable(text), named.object, named.file),
            Text::Number(number) => builder.function(&format!("({number})"), named.object, named.file),
        };
        self.named.iter().map(function).collect()
    }

    /// Gives functions whose callers named no file the file of an equal function that has one.
    fn strengthen(&mut self) {
        let (mut exact, mut first) = (HashSet::new(), HashMap::new());
        for named in self.named.iter().filter(|named| !named.weak) {
            exact.insert((named.text.clone(), named.object, named.file));
            first.entry((named.text.clone(), named.object)).or_insert(named.file);
        }
        for named in self.named.iter_mut().filter(|named| named.weak) {
            if !exact.contains(&(named.text.clone(), named.object, named.file))
                && let Some(&file) = first.get(&(named.text.clone(), named.object))
            {
                named.file = file;
            }
        }
    }
}

impl Named<'_> {
    fn number(number: u64) -> Self {
        Self { text: Text::Number(number), object: ObjectId(0), file: FileId(0), weak: true, bare: true }
    }
}

/// The name of an object or file; what callgrind does not know has none.
fn known(text: &[u8]) -> std::borrow::Cow<'_, str> {
    if text == b"???" { "".into() } else { readable(text) }
}

/// The ids of a piece's objects and files. Names get their ids in the order of the file, however it is split.
fn objects_and_files(
    piece: &mut Piece<'_>,
    scope: &mut Scope,
    older: Option<&Scope>,
    builder: &mut Builder,
) -> (Vec<u32>, Vec<u32>) {
    let (mut objects, mut files) = (vec![scope.object], vec![scope.file]);
    let faults = &mut piece.faults;
    loop {
        let object = piece.objects.entries.get(objects.len());
        let file = piece.files.entries.get(files.len());
        match (object, file) {
            (Some(object), file) if file.is_none_or(|file| object.at < file.at) => {
                let intern = &mut |text: &[u8]| builder.object(&known(text)).0;
                let older = older.map(|older| &older.objects);
                objects.push(meaning(object, &mut scope.objects, older, faults, intern));
            }
            (_, Some(file)) => {
                let intern = &mut |text: &[u8]| builder.file(&known(text)).0;
                let older = older.map(|older| &older.files);
                files.push(meaning(file, &mut scope.files, older, faults, intern));
            }
            (_, None) => return (objects, files),
        }
    }
}

fn meaning(
    name: &Name<'_>,
    numbers: &mut Numbering,
    older: Option<&Numbering>,
    faults: &mut Faults,
    intern: &mut impl FnMut(&[u8]) -> u32,
) -> u32 {
    let Some(number) = name.number else { return intern(name.text.unwrap_or(b"")) };
    let fresh = name.text.map(&mut *intern);
    let known = numbers.get(number);
    if let Some(at) = name.clash {
        faults.add(at, Kind::Redefined);
    } else if known.is_some_and(|known| fresh.is_some_and(|fresh| fresh != known)) {
        faults.add(name.at, Kind::Redefined);
    }
    if let Some(known) = known {
        return known;
    }
    let found = fresh.or_else(|| older.and_then(|older| older.get(number)));
    let meaning = found.unwrap_or_else(|| {
        faults.add(name.at, Kind::Undefined);
        intern(format!("({number})").as_bytes())
    });
    numbers.set(number, meaning);
    meaning
}

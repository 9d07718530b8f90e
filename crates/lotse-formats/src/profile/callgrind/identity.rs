//! Which functions there are: gives the names of pieces their meaning, across pieces and parts.
//!
//! A function is its object, name and file. The file comes from where it is first named, unless that is a call
//! that names no file: then an `fn=` line of the same number, or else of the same name and object, gives it.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{Builder, readable};

use super::faults::{Faults, Kind};
use super::names::{Name, Names, Numbering};
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
    /// Of its entries of functions, to [`Identities::named`].
    pub(super) functions: Vec<u32>,
}

/// A function as something named it.
#[derive(Debug, Clone)]
struct Named<'a> {
    text: Text<'a>,
    object: ObjectId,
    file: FileId,
    weak: bool,
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
        let faults = &mut piece.faults;
        let object = |text: &[u8]| builder.object(&known(text)).0;
        let numbers = (&mut scope.objects, older.map(|older| &older.objects));
        let objects = meanings(&piece.objects, scope.object, numbers, faults, object);
        let file = |text: &[u8]| builder.file(&known(text)).0;
        let numbers = (&mut scope.files, older.map(|older| &older.files));
        let files = meanings(&piece.files, scope.file, numbers, faults, file);
        let functions = self.functions(piece, (&objects, &files), scope, older);
        (scope.object, scope.file) = (objects[piece.object as usize], files[piece.file as usize]);
        Meaning { files, functions }
    }

    fn functions(
        &mut self,
        piece: &mut Piece<'a>,
        (objects, files): (&[u32], &[u32]),
        scope: &mut Scope,
        older: Option<&Scope>,
    ) -> Vec<u32> {
        let mut meanings = Vec::with_capacity(piece.functions.entries.len());
        for entry in &piece.functions.entries {
            let fresh = entry.text.map(|text| Named {
                text: Text::Name(text),
                object: ObjectId(objects[entry.object as usize]),
                file: FileId(files[entry.file as usize]),
                weak: entry.weak,
            });
            if let Some(at) = entry.clash {
                piece.faults.add(at, Kind::Redefined);
            }
            let known = entry.number.and_then(|number| scope.functions.get(number));
            let clashes = |known: u32| match (&fresh, &self.named[known as usize].text) {
                (Some(fresh), Text::Name(_)) => fresh.text != self.named[known as usize].text,
                _ => false,
            };
            let meaning = match (known, entry.number) {
                (Some(known), _) => {
                    if entry.clash.is_none() && clashes(known) {
                        piece.faults.add(entry.at, Kind::Redefined);
                    }
                    known
                }
                (None, number) => {
                    let older = || older.zip(number).and_then(|(older, it)| older.functions.get(it));
                    let meaning = match fresh {
                        Some(fresh) => self.push(fresh),
                        None => older().unwrap_or_else(|| {
                            piece.faults.add(entry.at, Kind::Undefined);
                            self.push(Named::number(number.unwrap_or(0)))
                        }),
                    };
                    if let Some(number) = number {
                        scope.functions.set(number, meaning);
                    }
                    meaning
                }
            };
            if let (Some(home), named) = (entry.home, &mut self.named[meaning as usize])
                && named.weak
            {
                (named.file, named.weak) = (FileId(files[home as usize]), false);
            }
            meanings.push(meaning);
        }
        meanings
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
        Self { text: Text::Number(number), object: ObjectId(0), file: FileId(0), weak: true }
    }
}

/// The name of an object or file; what callgrind does not know has none.
fn known(text: &[u8]) -> std::borrow::Cow<'_, str> {
    if text == b"???" { "".into() } else { readable(text) }
}

/// The ids of a piece's objects or files.
fn meanings(
    names: &Names<'_>,
    inherited: u32,
    (numbers, older): (&mut Numbering, Option<&Numbering>),
    faults: &mut Faults,
    mut intern: impl FnMut(&[u8]) -> u32,
) -> Vec<u32> {
    let mut meanings = Vec::with_capacity(names.entries.len());
    meanings.push(inherited);
    for name in &names.entries[1..] {
        meanings.push(meaning(name, numbers, older, faults, &mut intern));
    }
    meanings
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

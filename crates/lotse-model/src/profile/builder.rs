//! Builds a profile and interns its names, functions, frames and stacks: equal ones get the same id.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::strings::Interner;
use super::tree::StackTree;
use super::{BuildId, Frame, Profile};
use crate::id::{FileId, FrameId, FunctionId, NameId, ObjectId, StackId};

/// Builds a profile. The methods fill the interned tables; readers fill the other fields of `profile` directly.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    /// The profile under construction. Its strings, objects, files, functions, frames and stacks are filled by the methods.
    pub profile: Profile,
    names: Interner,
    objects: HashMap<(NameId, Option<BuildId>), ObjectId>,
    files: HashMap<NameId, FileId>,
    functions: HashMap<(NameId, ObjectId, FileId, (u32, u32)), FunctionId>,
    frames: HashMap<Frame, FrameId>,
    stacks: StackTree,
}

impl Builder {
    /// An empty profile; object 0 and file 0 are unknown.
    pub fn new() -> Self {
        let mut builder = Self::default();
        builder.object("");
        builder.file("");
        builder
    }

    /// The id of a name.
    pub fn name(&mut self, name: &str) -> NameId {
        self.names.intern(name)
    }

    /// The id of an object.
    pub fn object(&mut self, path: &str) -> ObjectId {
        self.object_of_build(path, None)
    }

    /// The id of one build of an object.
    pub fn object_of_build(&mut self, path: &str, build: Option<&BuildId>) -> ObjectId {
        let name = self.names.intern(path);
        let Profile { objects, builds, .. } = &mut self.profile;
        *self.objects.entry((name, build.cloned())).or_insert_with(|| {
            let object = ObjectId::from(objects.len());
            objects.push(name);
            builds.extend(build.map(|build| (object, build.clone())));
            object
        })
    }

    /// The id of a source file.
    pub fn file(&mut self, path: &str) -> FileId {
        let name = self.names.intern(path);
        let files = &mut self.profile.files;
        *self.files.entry(name).or_insert_with(|| {
            files.push(name);
            FileId::from(files.len() - 1)
        })
    }

    /// The id of a function.
    pub fn function(&mut self, name: &str, object: ObjectId, file: FileId) -> FunctionId {
        self.function_at(name, object, file, (0, 0))
    }

    /// The id of a function whose line and column are part of its identity; 0 where unknown.
    pub fn function_at(
        &mut self,
        name: &str,
        object: ObjectId,
        file: FileId,
        place: (u32, u32),
    ) -> FunctionId {
        let name = self.names.intern(name);
        let functions = &mut self.profile.functions;
        *self
            .functions
            .entry((name, object, file, place))
            .or_insert_with(|| functions.push(name, object, file, place))
    }

    /// The id of a function known by name alone.
    pub fn bare_function(&mut self, name: &str) -> FunctionId {
        self.function(name, ObjectId(0), FileId(0))
    }

    /// The id of a frame.
    pub fn frame(&mut self, frame: Frame) -> FrameId {
        let frames = &mut self.profile.frames;
        *self.frames.entry(frame).or_insert_with(|| frames.push(frame))
    }

    /// The id of a frame of which only the function is known.
    pub fn bare_frame(&mut self, function: FunctionId) -> FrameId {
        let file = self.profile.functions.file[function.index()];
        self.frame(Frame { function, file, line: 0, address: 0, inlined: false })
    }

    /// The id of the stack that consists of `frame` called from the stack `below`.
    pub fn stack(&mut self, below: Option<StackId>, frame: FrameId) -> StackId {
        let stacks = &mut self.profile.stacks;
        self.stacks.find(below, frame, &stacks.frame).unwrap_or_else(|| {
            stacks.below.push(below);
            stacks.frame.push(frame);
            self.stacks.push(below, frame)
        })
    }

    /// The text of a name.
    pub fn text(&self, name: NameId) -> &str {
        self.names.strings.get(name)
    }

    /// The finished profile.
    pub fn finish(mut self) -> Profile {
        self.profile.strings = self.names.strings;
        self.profile
    }
}

/// Bytes as text; bytes that are not UTF-8 are written as `\xNN`, so that different names stay different.
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::{BuildId, Builder, readable};
    use crate::id::{FileId, FunctionId, ObjectId, StackId};

    #[test]
    fn a_function_is_its_name_object_and_file() {
        let mut builder = Builder::new();
        let (object, file) = (builder.object("a.out"), builder.file("a.c"));
        let first = builder.function("f", object, file);
        assert_eq!(builder.function("f", object, file), first);
        assert_ne!(builder.function("f", ObjectId(0), file), first);
        assert_ne!(builder.function("f", object, FileId(0)), first);
        let profile = builder.finish();
        assert_eq!(profile.functions.len(), 3);
        assert_eq!(profile.function_name(first), "f");
        assert_eq!(profile.function_file(first), Some("a.c"));
        assert_eq!(profile.function_object(FunctionId(1)), None);
    }

    #[test]
    fn functions_of_one_name_are_distinguished_by_line_and_column() {
        let mut builder = Builder::new();
        let file = builder.file("a.js");
        let places = [(1, 4), (1, 30), (7, 4), (0, 0)];
        let found = places.map(|place| builder.function_at("f", ObjectId(0), file, place));
        assert_eq!(found, [0, 1, 2, 3].map(FunctionId));
        assert_eq!(builder.function_at("f", ObjectId(0), file, (1, 30)), FunctionId(1));
        assert_eq!(builder.function("f", ObjectId(0), file), FunctionId(3));
        let functions = builder.finish().functions;
        assert_eq!((functions.line, functions.column), (vec![1, 1, 7, 0], vec![4, 30, 4, 0]));
    }

    #[test]
    fn two_builds_of_a_path_are_two_objects() {
        let mut builder = Builder::new();
        let (old, new) = (BuildId::parse("01").unwrap(), BuildId::parse("02").unwrap());
        let objects = [None, Some(&old), Some(&new)].map(|build| builder.object_of_build("a.out", build));
        assert_eq!(builder.object("a.out"), objects[0]);
        assert_eq!(builder.object_of_build("a.out", Some(&new)), objects[2]);
        let profile = builder.finish();
        profile.check().unwrap();
        assert_eq!(objects.map(|object| profile.build(object)), [None, Some(&old), Some(&new)]);
        assert_eq!(objects.map(|object| profile.object_name(object)), [Some("a.out"); 3]);
    }

    #[test]
    fn stacks_share_what_is_below() {
        let mut builder = Builder::new();
        let frames = ["main", "f", "g"].map(|name| {
            let function = builder.bare_function(name);
            builder.bare_frame(function)
        });
        let main = builder.stack(None, frames[0]);
        let f = builder.stack(Some(main), frames[1]);
        assert_eq!(builder.stack(Some(main), frames[1]), f);
        let g = builder.stack(Some(f), frames[2]);
        assert_eq!(g, StackId(2));
        let profile = builder.finish();
        let up: Vec<_> = profile.stacks.frames(Some(g)).collect();
        assert_eq!(up, [frames[2], frames[1], frames[0]]);
    }

    #[test]
    fn bytes_that_are_no_text_stay_apart() {
        assert_eq!(readable(b"plain"), "plain");
        assert_eq!(readable(b"a\xffb\xfe"), "a\\xffb\\xfe");
        assert_ne!(readable(b"\xff"), readable(b"\xfe"));
    }
}

//! Reads a profile: from its index, or unpacked, recognised and decoded on all processors.

use lotse_formats::index::IndexError;
use lotse_formats::unwind::{NOT_UNWOUND, unwound};
use lotse_formats::{Diagnostic, FormatError, Place, Unpacked, Weight, read_profile, unpack};
use lotse_host::{FileError, IndexPlace, Threads};
use lotse_model::bytes::Source;
use lotse_model::id::FunctionId;
use lotse_model::profile::Detail;
use lotse_model::{Profile, Progress};

use crate::analysis::{Analysis, PartChoice, Summary, UnknownPart, Way};
use crate::events::{default_event, rank};
use crate::index::{self, Rest};
use crate::look_through::{is_heap, look_through};
use crate::resolve::{Binaries, resolve};
use crate::select::{SelectError, Selected, Selection, select};
use crate::unwind::Unwinder;

/// How to read.
#[derive(Debug, Clone, Default)]
pub struct Request<'r> {
    /// The format; else the one the content shows.
    pub format: Option<&'r str>,
    /// Where the index of the file lies; `None` for neither reading nor writing one.
    pub index: Option<IndexPlace>,
}

/// A profile and the bytes it came from.
pub struct Opened<'a> {
    /// The profile. Read from an index, it has the costliest functions until
    /// [`all_functions`](Self::all_functions), and no costs of parts until [`complete`](Self::complete) is called.
    pub profile: Profile,
    /// The format it was in.
    pub format: &'static str,
    /// What was odd about the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Costs of the parts that count by default, folded; there when they came from an index.
    pub summary: Option<Summary>,
    /// What was selected of it, where something was.
    selected: Option<View>,
    source: Content<'a>,
    rest: Option<Rest>,
    digest: bool,
    index: Option<IndexPlace>,
}

/// What a selection leaves to tell.
struct View {
    /// The totals of the whole.
    totals: Vec<i128>,
    notes: Vec<String>,
    /// Whether the whole has no calls.
    flat: bool,
}

/// The bytes: plain, or unpacked when they are first needed.
enum Content<'a> {
    Untouched(&'a dyn Source),
    Unpacked(Unpacked<'a>),
}

/// Reads a profile.
pub fn open<'a>(
    source: &'a dyn Source,
    request: &Request<'_>,
    progress: &mut (dyn Progress + Send),
) -> Result<Opened<'a>, FormatError> {
    let known = request.index.as_ref().and_then(index::load).filter(|known| !is_heap(&known.profile));
    match known.filter(|known| request.format.is_none_or(|format| format == known.format)) {
        Some(known) => Ok(Opened {
            profile: known.profile,
            format: known.format,
            diagnostics: known.diagnostics,
            summary: Some(known.summary),
            selected: None,
            source: Content::Untouched(source),
            rest: Some(known.rest),
            digest: true,
            index: None,
        }),
        None => read(source, request, progress),
    }
}

fn read<'a>(
    source: &'a dyn Source,
    request: &Request<'_>,
    progress: &mut (dyn Progress + Send),
) -> Result<Opened<'a>, FormatError> {
    let (unpacked, damage) = unpack(source)?;
    let mut reading = read_profile(&unpacked, request.format, &Threads::new("reading", progress))?;
    reading.diagnostics.extend(damage);
    // Parts in other files may change without this one.
    let alone = reading.value.parts.iter().all(|part| part.source.is_none());
    Ok(Opened {
        profile: reading.value,
        format: reading.format_id,
        diagnostics: reading.diagnostics,
        summary: None,
        selected: None,
        source: Content::Unpacked(unpacked),
        rest: None,
        digest: false,
        index: request.index.clone().filter(|_| alone),
    })
}

impl Opened<'_> {
    /// Whether nothing of the file was lost.
    pub fn whole(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.weight == Weight::Note)
    }

    /// Whether only the costliest functions are there, as an index gives them first.
    pub fn is_digest(&self) -> bool {
        self.digest
    }

    /// Reads all functions with their costs where only a digest is there.
    pub fn all_functions(&mut self) -> Result<(), IndexError> {
        if let (true, Some(rest)) = (self.digest, &mut self.rest) {
            let (profile, summary) = rest.functions()?;
            (self.profile, self.summary) = (profile, Some(summary));
            self.digest = false;
        }
        Ok(())
    }

    /// Reads what an index left out so far.
    pub fn complete(&mut self) -> Result<(), IndexError> {
        self.all_functions()?;
        match self.rest.take() {
            Some(rest) => rest.load(&mut self.profile),
            None => Ok(()),
        }
    }

    /// Finds the frames of stacks that were copied as bytes, then gives addresses the names that binaries know.
    /// Binaries can change, so no index keeps either.
    pub fn resolve(&mut self, binaries: &Binaries<'_>) {
        self.unwind(binaries);
        if self.profile.unresolved.is_empty() {
            return;
        }
        self.index = None;
        let (profile, notes) = resolve(std::mem::take(&mut self.profile), binaries);
        self.profile = profile;
        self.note(notes);
    }

    fn unwind(&mut self, binaries: &Binaries<'_>) {
        let Content::Unpacked(source) = &self.source else { return };
        let recorded = self.profile.recorded;
        let mut unwinder = Unwinder::new(binaries, recorded);
        // A file that was read once is read again, so there is no error to tell.
        if let Some(Ok(reading)) = unwound(source, self.format, &mut unwinder) {
            self.profile = Profile { recorded, ..reading.value };
            self.diagnostics.retain(|it| it.message != NOT_UNWOUND);
            self.note(unwinder.into_notes());
        }
    }

    /// Makes a heap profile one of the functions that want memory instead of those that allocate it.
    pub fn look_through_allocators(&mut self) {
        if is_heap(&self.profile) {
            // An index would keep the stacks that are cut, and other questions need the whole ones.
            self.index = None;
            let note = look_through(&mut self.profile);
            self.note(note.into_iter().collect());
        }
    }

    fn note(&mut self, notes: Vec<String>) {
        let note = |message| Diagnostic { place: Place::Whole, message, weight: Weight::Note };
        self.diagnostics.extend(notes.into_iter().map(note));
    }

    /// Keeps only the selected samples and frames of some parts. What is left has no index.
    pub fn select(
        &mut self,
        selection: &Selection,
        choice: &PartChoice,
        way: Way,
    ) -> Result<(), SelectError> {
        let whole = Analysis::new(&self.profile, choice, way)?;
        let Selected { profile, totals, notes } = select(&whole, selection)?;
        let flat = whole.origin.lacks_calls();
        (self.profile, self.selected) = (profile, Some(View { totals, notes, flat }));
        (self.summary, self.index) = (None, None);
        Ok(())
    }

    /// Makes an event type that the chosen parts have the default one, where they have nothing of the default: the
    /// profiles of a speedscope file may count different things.
    pub fn prefer_event_of(&mut self, choice: &PartChoice) -> Result<(), UnknownPart> {
        let totals = Analysis::new(&self.profile, choice, Way::Folded)?.totals;
        let has = |event: usize| totals.get(event).is_some_and(|&total| total != 0);
        if default_event(&self.profile).is_some_and(has) {
            return Ok(());
        }
        let mut events: Vec<usize> = (0..totals.len()).filter(|&event| has(event)).collect();
        events.sort_by_key(|&event| rank(&self.profile.events[event]));
        self.profile.default_event = events.first().copied().or(self.profile.default_event);
        Ok(())
    }

    /// Whether samples or frames were taken out.
    pub fn is_selection(&self) -> bool {
        self.selected.is_some()
    }

    /// Sums parts; those of a selection were chosen with it, and their shares are of the whole.
    pub fn analysis(&self, choice: &PartChoice, way: Way) -> Result<Analysis<'_>, UnknownPart> {
        let Some(view) = &self.selected else { return Analysis::new(&self.profile, choice, way) };
        let mut analysis = Analysis::new(&self.profile, &PartChoice::All, way)?;
        analysis.totals.clone_from(&view.totals);
        analysis.selection = true;
        if !view.flat {
            analysis.forget_flat();
        }
        analysis.notes = view.notes.iter().cloned().chain(analysis.notes).collect();
        Ok(analysis)
    }

    /// Writes the index of a big file that has none, unless its addresses still need symbols.
    pub fn keep_index(&mut self, summary: &mut Summary) -> Result<(), FileError> {
        match self.index.take().filter(|_| self.profile.unresolved.is_empty()) {
            Some(place) => {
                index::save(&place, &mut self.profile, summary, self.format, &mut self.diagnostics)
            }
            None => Ok(()),
        }
    }

    /// The costs inside a function, read from the file where they were left there.
    pub fn detail(&self, function: FunctionId) -> Result<Detail, FormatError> {
        match &self.source {
            Content::Unpacked(source) => lotse_formats::detail(source, &self.profile, function),
            Content::Untouched(source) => lotse_formats::detail(&unpack(*source)?.0, &self.profile, function),
        }
    }
}

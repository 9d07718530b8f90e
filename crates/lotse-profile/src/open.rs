//! Reads a profile: from its index, or unpacked, recognised and decoded on all processors.

use lotse_formats::index::IndexError;
use lotse_formats::unwind::{NOT_UNWOUND, is_frame_pointer_note, unwound};
use lotse_formats::{Diagnostic, FormatError, Place, Unpacked, Weight, read_profile, unpack};
use lotse_host::{FileError, IndexPlace, Threads};
use lotse_model::bytes::Source;
use lotse_model::id::FunctionId;
use lotse_model::profile::Detail;
use lotse_model::{Profile, Progress};

use crate::analysis::{Analysis, CycleMode, PartChoice, Summary, UnknownPart};
use crate::events::{default_event, rank};
use crate::index::{self, UnreadIndex};
use crate::look_through::{is_heap, look_through};
use crate::resolve::{Binaries, resolve};
use crate::select::{SelectError, Selected, Selection, select};
use crate::unwind::Unwinder;

/// How a profile is to be read.
#[derive(Debug, Clone, Default)]
pub struct Request<'r> {
    /// The format; `None` recognises it by the content.
    pub format: Option<&'r str>,
    /// Where the index of the file is; `None` neither reads nor writes one.
    pub index: Option<IndexPlace>,
}

/// A profile and the bytes it came from.
pub struct Opened<'a> {
    /// If it was read from an index, it has only the costliest functions until
    /// [`all_functions`](Self::all_functions) is called, and no costs of parts until [`complete`](Self::complete) is.
    pub profile: Profile,
    pub format: &'static str,
    pub diagnostics: Vec<Diagnostic>,
    /// Costs of the parts that count by default, with cycles folded; present if they came from an index.
    pub summary: Option<Summary>,
    /// Present if [`select`](Self::select) removed samples or frames.
    selected: Option<SelectionContext>,
    source: Content<'a>,
    rest: Option<UnreadIndex>,
    digest: bool,
    index: Option<IndexPlace>,
}

/// What is remembered of the whole profile after a selection.
struct SelectionContext {
    /// The totals of the whole profile.
    totals: Vec<i128>,
    notes: Vec<String>,
    /// Whether the whole profile has no calls.
    flat: bool,
}

impl SelectionContext {
    /// Relates an analysis of the selected samples to the whole profile.
    fn complete<'p>(&self, mut analysis: Analysis<'p>) -> Analysis<'p> {
        analysis.totals.clone_from(&self.totals);
        analysis.selection = true;
        if !self.flat {
            analysis.forget_flat();
        }
        analysis.notes = self.notes.iter().cloned().chain(analysis.notes).collect();
        analysis
    }
}

/// A copy of a profile that has only the selected samples and frames.
pub struct SelectedProfile {
    pub profile: Profile,
    context: SelectionContext,
}

impl SelectedProfile {
    /// Keeps only the selected samples and frames of the analysed parts.
    pub fn new(whole: &Analysis<'_>, selection: &Selection) -> Result<Self, SelectError> {
        let Selected { profile, totals, notes } = select(whole, selection)?;
        let context = SelectionContext { totals, notes, flat: whole.origin.lacks_calls() };
        Ok(Self { profile, context })
    }

    /// Sums all that is left. Shares are relative to the totals of the whole profile.
    pub fn analysis(&self, cycle_mode: CycleMode) -> Result<Analysis<'_>, UnknownPart> {
        Ok(self.context.complete(Analysis::new(&self.profile, &PartChoice::All, cycle_mode)?))
    }
}

/// The bytes of the file: unpacked already, or to be unpacked when they are first needed.
enum Content<'a> {
    Untouched(&'a dyn Source),
    Unpacked(Unpacked<'a>),
}

/// Reads a profile, from its index if there is a valid one, else from the file.
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

/// Unpacks and decodes the file itself. Files whose parts are in other files get no index, because these may
/// change without this one.
fn read<'a>(
    source: &'a dyn Source,
    request: &Request<'_>,
    progress: &mut (dyn Progress + Send),
) -> Result<Opened<'a>, FormatError> {
    let (unpacked, damage) = unpack(source)?;
    let mut reading = read_profile(&unpacked, request.format, &Threads::new("reading", progress))?;
    reading.diagnostics.extend(damage);
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
    /// Whether no data of the file was lost in reading.
    pub fn is_lossless(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.weight == Weight::Note)
    }

    /// Whether only the costliest functions were read so far, which the index stores first.
    pub fn is_digest(&self) -> bool {
        self.digest
    }

    /// Reads all functions with their costs, if only the digest was read so far.
    pub fn all_functions(&mut self) -> Result<(), IndexError> {
        if let (true, Some(rest)) = (self.digest, &mut self.rest) {
            let (profile, summary) = rest.functions()?;
            (self.profile, self.summary) = (profile, Some(summary));
            self.digest = false;
        }
        Ok(())
    }

    /// Reads all that was left in the index so far.
    pub fn complete(&mut self) -> Result<(), IndexError> {
        self.all_functions()?;
        match self.rest.take() {
            Some(rest) => rest.load(&mut self.profile),
            None => Ok(()),
        }
    }

    /// Unwinds stacks that were recorded as raw bytes, then replaces addresses by the symbols of their binaries.
    /// Binaries can change, so neither result is stored in the index.
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
        // The same file was read before without an error, so an error here needs no message.
        if let Some(Ok(reading)) = unwound(source, self.format, &mut unwinder) {
            self.profile = Profile { recorded, ..reading.value };
            let is_of_stacks =
                |it: &Diagnostic| it.message == NOT_UNWOUND || is_frame_pointer_note(&it.message);
            self.diagnostics.retain(|it| !is_of_stacks(it));
            self.diagnostics.extend(reading.diagnostics.into_iter().filter(is_of_stacks));
            self.note(unwinder.into_notes());
        }
    }

    /// Attributes the costs of a heap profile to the functions that need memory instead of the allocators they call.
    pub fn look_through_allocators(&mut self) {
        if is_heap(&self.profile) {
            // An index would store the cut stacks, but other queries need the whole ones.
            self.index = None;
            let note = look_through(&mut self.profile);
            self.note(note.into_iter().collect());
        }
    }

    fn note(&mut self, notes: Vec<String>) {
        let note = |message| Diagnostic { place: Place::Whole, message, weight: Weight::Note };
        self.diagnostics.extend(notes.into_iter().map(note));
    }

    /// Keeps only the selected samples and frames of the chosen parts. The result is not stored in an index.
    pub fn select(
        &mut self,
        selection: &Selection,
        choice: &PartChoice,
        cycle_mode: CycleMode,
    ) -> Result<(), SelectError> {
        let whole = Analysis::new(&self.profile, choice, cycle_mode)?;
        let SelectedProfile { profile, context } = SelectedProfile::new(&whole, selection)?;
        (self.profile, self.selected) = (profile, Some(context));
        (self.summary, self.index) = (None, None);
        Ok(())
    }

    /// If the chosen parts have no cost of the default event type, makes one that they have the default: the profiles of
    /// a speedscope file may count different things.
    pub fn prefer_event_of(&mut self, choice: &PartChoice) -> Result<(), UnknownPart> {
        let totals = Analysis::new(&self.profile, choice, CycleMode::Folded)?.totals;
        let has = |event: usize| totals.get(event).is_some_and(|&total| total != 0);
        if default_event(&self.profile).is_some_and(has) {
            return Ok(());
        }
        let mut events: Vec<usize> = (0..totals.len()).filter(|&event| has(event)).collect();
        events.sort_by_key(|&event| rank(&self.profile.events[event]));
        self.profile.default_event = events.first().copied().or(self.profile.default_event);
        Ok(())
    }

    /// Whether samples or frames were removed by [`select`](Self::select).
    pub fn is_selection(&self) -> bool {
        self.selected.is_some()
    }

    /// Sums the chosen parts. After a selection, all that is left is summed, and shares are relative to the totals
    /// of the whole profile.
    pub fn analysis(&self, choice: &PartChoice, cycle_mode: CycleMode) -> Result<Analysis<'_>, UnknownPart> {
        let Some(view) = &self.selected else {
            let known = self.known_summary(choice, cycle_mode);
            return match known.and_then(|summary| Analysis::of_summary(&self.profile, summary)) {
                Some(analysis) => Ok(analysis),
                None => Analysis::new(&self.profile, choice, cycle_mode),
            };
        };
        Ok(view.complete(Analysis::new(&self.profile, &PartChoice::All, cycle_mode)?))
    }

    /// The summary of these parts, if it came from an index and all functions were read.
    pub fn known_summary(&self, choice: &PartChoice, cycle_mode: CycleMode) -> Option<&Summary> {
        let is_default = *choice == PartChoice::Default && cycle_mode == CycleMode::Folded;
        self.summary.as_ref().filter(|_| is_default && !self.digest && self.rest.is_none())
    }

    /// Writes the index of a large file that has none, unless addresses are still without symbols.
    /// The summary is that of the default parts, with cycles folded.
    pub fn keep_index(&self, summary: &Summary) -> Result<(), FileError> {
        match self.index.as_ref().filter(|_| self.profile.unresolved.is_empty()) {
            Some(place) => index::save(place, &self.profile, summary, self.format, &self.diagnostics),
            None => Ok(()),
        }
    }

    /// The costs by line and instruction inside a function, read from the file if they were left there.
    pub fn detail(&self, function: FunctionId) -> Result<Detail, FormatError> {
        match &self.source {
            Content::Unpacked(source) => lotse_formats::detail(source, &self.profile, function),
            Content::Untouched(source) => lotse_formats::detail(&unpack(*source)?.0, &self.profile, function),
        }
    }
}

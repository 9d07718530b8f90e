//! The displayed names of all functions of a profile, so that a filter does not demangle them for every question.

use std::sync::Arc;

use lotse_model::Profile;
use lotse_model::id::{FunctionId, NameId};
use lotse_model::progress::Checked as _;

use super::display;
use crate::analysis::Analysis;

/// The displayed names that differ from the names in the file, in one text.
#[derive(Debug)]
pub(crate) struct DemangledNames {
    text: String,
    /// For each name its place in `text`; empty where the displayed name is that of the file.
    places: Vec<(usize, usize)>,
}

impl DemangledNames {
    /// The names of all functions, kept with the analysis.
    pub(crate) fn of_analysis(analysis: &Analysis<'_>) -> Arc<Self> {
        Arc::clone(analysis.lazy.demangled.get_or_init(|| Arc::new(Self::new(analysis.profile))))
    }

    fn new(profile: &Profile) -> Self {
        let mut names = Self { text: String::new(), places: Vec::new() };
        for function in profile.functions.ids().checked() {
            let (name, shown) = (profile.functions.name[function.index()], display(profile, function));
            if shown != profile.function_name(function) && names.place(name).is_none() {
                names.insert(name, &shown);
            }
        }
        names
    }

    fn place(&self, name: NameId) -> Option<&str> {
        let &(start, end) = self.places.get(name.index())?;
        (start < end).then(|| &self.text[start..end])
    }

    fn insert(&mut self, name: NameId, shown: &str) {
        if self.places.len() <= name.index() {
            self.places.resize(name.index() + 1, (0, 0));
        }
        let start = self.text.len();
        self.text.push_str(shown);
        self.places[name.index()] = (start, self.text.len());
    }

    /// The displayed name of a function.
    pub(crate) fn display<'n>(&'n self, profile: &'n Profile, function: FunctionId) -> &'n str {
        self.place(profile.functions.name[function.index()]).unwrap_or(profile.function_name(function))
    }
}

//! Variants that a compiler made of one function, as one function again.
//!
//! `walk` calls `walk.part.0`: together they cost what `walk` costs, not the sum of both. Calls from one variant to
//! another are the compiler's, not the program's, and are not counted.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::FunctionId;

use super::functions::Comparison;
use super::{Rename, Side};
use crate::analysis::Analysis;

/// What the variants of functions of one profile cost together, by the first of them.
#[derive(Debug, Default)]
pub(super) struct Variants {
    together: HashMap<FunctionId, Together>,
}

#[derive(Debug, Default)]
pub(super) struct Together {
    pub(super) inclusive: Vec<u64>,
    /// Calls from outside.
    pub(super) calls: u64,
}

impl Variants {
    /// Of the rows of a comparison.
    pub(super) fn new<'r>(analysis: &Analysis<'_>, rows: impl Iterator<Item = &'r Vec<FunctionId>>) -> Self {
        let mut group: Vec<u32> = (0..analysis.profile.functions.len() as u32).collect();
        let mut together: HashMap<FunctionId, Together> = HashMap::new();
        for functions in rows.filter(|functions| functions.len() > 1) {
            functions.iter().for_each(|function| group[function.index()] = functions[0].0);
            together.insert(functions[0], Together::default());
        }
        if together.is_empty() {
            return Self::default();
        }
        let own = analysis.own_of_groups(&group, group.len());
        let (inclusive, _) = analysis.inclusive_of_groups(&group, &own);
        for (first, sums) in &mut together {
            sums.inclusive =
                if inclusive.width() > 0 { inclusive.row(first.index()).to_vec() } else { Vec::new() };
        }
        for row in 0..analysis.calls.len() {
            let (caller, callee) = (analysis.calls.caller[row], analysis.calls.callee[row]);
            let (from, to) = (group[caller.index()], group[callee.index()]);
            if let Some(sums) = together.get_mut(&FunctionId(to)).filter(|_| from != to || caller == callee) {
                sums.calls = sums.calls.saturating_add(analysis.calls.count[row]);
            }
        }
        Self { together }
    }

    /// `None` for a function alone.
    pub(super) fn of(&self, functions: &[FunctionId]) -> Option<&Together> {
        functions.first().filter(|_| functions.len() > 1).and_then(|first| self.together.get(first))
    }
}

impl Comparison<'_> {
    /// What a reader must know about names: functions that stand for several, renamings that fit nothing.
    pub fn naming_notes(&self, renames: &[Rename]) -> Vec<String> {
        let merged = self.rows.iter().filter(|row| row.iter().any(|functions| functions.len() > 1)).count();
        let variants = match merged {
            0 => None,
            1 => Some(
                "1 function is the sum of variants that only a compiler's suffix or hash tells apart"
                    .to_owned(),
            ),
            many => Some(format!(
                "{many} functions are sums of variants that only a compiler's suffix or hash tells apart"
            )),
        };
        variants.into_iter().chain(renames.iter().filter_map(|rename| self.rename_note(rename))).collect()
    }

    /// What a renaming did, where it did not do what it was given for.
    fn rename_note(&self, rename: &Rename) -> Option<String> {
        let first = self.sides.first()?;
        let changed: HashSet<FunctionId> = renamed(first, rename).collect();
        if changed.is_empty() {
            return Some(format!("--rename {}: no function of {} has that name", rename.text(), first.file));
        }
        let unmatched = self.rows.iter().filter(|row| {
            row[0].iter().any(|function| changed.contains(function)) && row[1..].iter().all(Vec::is_empty)
        });
        match unmatched.count() {
            0 => None,
            gone => Some(format!(
                "--rename {}: {gone} of {} functions renamed has no function of the new name",
                rename.text(),
                changed.len()
            )),
        }
    }
}

/// Functions that a renaming fits.
fn renamed<'a>(side: &'a Side<'_>, rename: &'a Rename) -> impl Iterator<Item = FunctionId> + 'a {
    let plain = |function: FunctionId| {
        let shown = crate::names::display(side.analysis.profile, function);
        lotse_symbols::without_variant(&shown).into_owned()
    };
    side.analysis.active().filter(move |&function| rename.apply(&plain(function)).is_some())
}

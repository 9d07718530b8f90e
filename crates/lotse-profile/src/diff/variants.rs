//! Sums the variants of a function that a compiler made.
//!
//! If `walk` calls its variant `walk.part.0`, the inclusive cost of both is that of `walk`, not the sum. Calls from one
//! variant to another were made by the compiler, not the program, and are not counted.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;

use super::functions::Comparison;
use super::{DiffSide, Rename};
use crate::analysis::Analysis;

/// The costs of functions with several variants in one profile, by the first variant.
#[derive(Debug, Default)]
pub(super) struct Variants {
    sums: HashMap<FunctionId, VariantSums>,
}

/// The costs of all variants of a function.
#[derive(Debug, Default)]
pub(super) struct VariantSums {
    pub(super) inclusive: Vec<u64>,
    /// Whether the inclusive costs are exact; otherwise they are upper bounds.
    pub(super) exact: bool,
    /// Calls from other functions, or of a variant by itself.
    pub(super) calls: u64,
}

impl Variants {
    /// Sums the variants of all rows that have several.
    pub(super) fn new<'r>(analysis: &Analysis<'_>, rows: impl Iterator<Item = &'r Vec<FunctionId>>) -> Self {
        let mut group: Vec<u32> = (0..analysis.profile.functions.len() as u32).collect();
        let mut all_sums: HashMap<FunctionId, VariantSums> = HashMap::new();
        for functions in rows.filter(|functions| functions.len() > 1) {
            functions.iter().for_each(|function| group[function.index()] = functions[0].0);
            all_sums.insert(functions[0], VariantSums::default());
        }
        if all_sums.is_empty() {
            return Self::default();
        }
        let own = analysis.own_of_groups(&group, group.len());
        let (inclusive, exact) = analysis.inclusive_of_groups(&group, &own);
        for (first, sums) in &mut all_sums {
            sums.exact = exact[first.index()];
            sums.inclusive =
                if inclusive.width() > 0 { inclusive.row(first.index()).to_vec() } else { Vec::new() };
        }
        for row in (0..analysis.calls.len()).checked() {
            let (caller, callee) = (analysis.calls.caller[row], analysis.calls.callee[row]);
            let (from, to) = (group[caller.index()], group[callee.index()]);
            if let Some(sums) = all_sums.get_mut(&FunctionId(to)).filter(|_| from != to || caller == callee) {
                sums.calls = sums.calls.saturating_add(analysis.calls.count[row]);
            }
        }
        Self { sums: all_sums }
    }

    /// The sums of variants; `None` for a single function.
    pub(super) fn sums_of(&self, functions: &[FunctionId]) -> Option<&VariantSums> {
        functions.first().filter(|_| functions.len() > 1).and_then(|first| self.sums.get(first))
    }
}

impl Comparison<'_> {
    /// Notes about names: functions that are sums of variants, renamings that match nothing.
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

    /// A note about a renaming that did not have the intended effect.
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

/// Functions that a renaming matches.
fn renamed<'a>(side: &'a DiffSide<'_>, rename: &'a Rename) -> impl Iterator<Item = FunctionId> + 'a {
    let plain = |function: FunctionId| {
        let shown = crate::names::display(side.analysis.profile, function);
        lotse_symbols::without_variant(&shown).into_owned()
    };
    side.analysis.active().filter(move |&function| rename.apply(&plain(function)).is_some())
}

//! Opens histories of data structures for the page.

use std::collections::BTreeMap;
use std::path::Path;

use lotse_report::{Block, Document as ReportDocument, Figure, Table};
use lotse_serve::api::{About, DocumentKind, Remark};
use lotse_serve::findings::{Target, finding_rows};
use lotse_serve::open::Document;
use lotse_serve::report::{ReportFile, lead};
use lotse_spy::picture::Scale;
use lotse_spy::{Digest, InstanceId, Protocol, report};

use super::FileOpener;
use crate::args::spy::ReadingArgs;
use crate::commands::spy::analyze::{HistoryAnalysis, analysed};
use crate::exit::Failure;

/// The structures of this many findings are drawn.
const PICTURES: usize = 12;

impl FileOpener {
    /// Reads a history and shows its findings, with a picture of the structure of each of the first ones.
    pub(super) fn open_history(
        &self,
        path: &Path,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Failure> {
        let reading = ReadingArgs { no_index: self.no_index, ..ReadingArgs::default() };
        let HistoryAnalysis { digest, outcome, recording, .. } = analysed(path, &reading)?;
        let (sentence, mut document) = lead(&report::analyze(&recording, &outcome, &digest.coverage));
        let instances = outcome.findings.iter().map(|found| found.instance);
        let DrawnStructures { figures, values } = draw_structures(&digest, instances, &mut document);
        let findings = outcome.findings.iter().flat_map(|found| {
            let figure = figures.iter().find(|(id, _)| *id == found.instance).map(|(_, figure)| *figure);
            let target = Target { figure, ..Target::default() };
            finding_rows(std::slice::from_ref(&found.finding), |_| target.clone())
        });
        let findings = findings.collect();
        let about = About {
            kind: DocumentKind::Spy,
            format: "history".to_owned(),
            sentence,
            findings,
            remarks: recording.incomplete.iter().map(|it| Remark::note(it.to_string())).collect(),
            profile: None,
            trace: None,
        };
        serve(&ReportFile { about, report: document, values });
        Ok(())
    }
}

/// The pictures that were added to a document.
struct DrawnStructures {
    /// The figure of each structure.
    figures: Vec<(InstanceId, usize)>,
    /// The values that a figure shows, by its number.
    values: BTreeMap<usize, Vec<Table>>,
}

/// Adds a picture for each structure, as far as the digest has them.
fn draw_structures(
    digest: &Digest,
    instances: impl Iterator<Item = InstanceId>,
    document: &mut ReportDocument,
) -> DrawnStructures {
    let mut values = BTreeMap::new();
    let mut figures: Vec<(InstanceId, usize)> = Vec::new();
    let before = document.blocks.iter().filter(|block| matches!(block, Block::Figure(_))).count();
    for id in instances {
        if figures.iter().any(|(known, _)| *known == id) || figures.len() == PICTURES {
            continue;
        }
        let (Some(sketch), Some(protocol)) = (digest.gallery.get(id), protocol(digest, id)) else { continue };
        figures.push((id, before + figures.len()));
        let place = report::place(&digest.codes, protocol.instance.site);
        let title = format!("{place}: {} {}", protocol.instance.container.name(), id.0);
        let picture = sketch.clone().scaled(Scale::Events).finish(protocol);
        values.insert(before + figures.len() - 1, picture.tables());
        document.push(Block::Figure(Figure {
            svg: picture.svg(&title),
            alt: format!("accesses to the elements of {title} over time"),
            title,
            caption: "Index of the element over the number of the access; the colour is the kind of access."
                .to_owned(),
        }));
    }
    DrawnStructures { figures, values }
}

fn protocol(digest: &Digest, id: InstanceId) -> Option<&Protocol> {
    let mut protocols = digest.program.sites().iter().flat_map(|site| &site.protocols);
    protocols.find(|protocol| protocol.instance.id == id)
}

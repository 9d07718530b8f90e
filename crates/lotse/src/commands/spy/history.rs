//! `lotse spy history`: the accesses to one structure as a picture or as a table.

use std::cmp::Reverse;
use std::io::Write as _;
use std::path::Path;

use lotse_formats::history::History;
use lotse_host::FileSink;
use lotse_model::bytes::Sink as _;
use lotse_spy::answer::HistoryAnswer;
use lotse_spy::decode::Consumer;
use lotse_spy::picture::{PictureBuilder, Scale, Window};
use lotse_spy::{AccessRun, CodeId, CodeTable, Digest, Instance, InstanceId, Protocol, SiteSummary, report};

use super::digest::digest;
use super::input;
use super::sites::is_selected;
use crate::args::spy::SpyHistoryArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

/// Draws or lists the accesses to one structure; without `--svg`, `--csv` and `--json`, lists the phases of its site.
pub(crate) fn run(args: &SpyHistoryArgs) -> Result<Exit, Failure> {
    let source = input::open(&args.history)?;
    let history = input::read(&source)?;
    let digest = digest(&source, &history, &args.reading)?;
    let is_here =
        |site: &&SiteSummary| is_selected(Some(&args.site), &report::place(&digest.codes, site.site));
    let sites: Vec<&SiteSummary> = digest.program.sites().iter().filter(is_here).collect();
    let Some(protocol) = chosen_structure(&sites, args.instance) else {
        return Err(Failure::usage(format!(
            "no such structure is made at `{}`; `lotse spy sites` lists where",
            args.site
        )));
    };
    if let Some(file) = &args.svg {
        let picture = picture(&digest, &history, protocol, args.time).finish(protocol);
        put(file, picture.svg(&title(protocol, &digest.codes)).as_str().as_bytes())?;
    }
    if args.csv.is_some() || args.json {
        return list(&history, protocol, args);
    }
    if args.svg.is_none() {
        return screen::document(&report::phases(&sites, &digest.codes, 20));
    }
    Ok(Exit::Done)
}

/// The structure with the number asked for, else the one with the most accesses; among equals the one made first.
fn chosen_structure<'a>(sites: &[&'a SiteSummary], instance: Option<u64>) -> Option<&'a Protocol> {
    let protocols = sites.iter().flat_map(|site| &site.protocols);
    let wanted =
        protocols.filter(|protocol| instance.is_none_or(|number| protocol.instance.id == InstanceId(number)));
    wanted.max_by_key(|protocol| (protocol.events, Reverse(protocol.instance.id)))
}

/// The picture of a structure: the one in the digest if it was kept there, else drawn by reading the history once more.
fn picture(digest: &Digest, history: &History<'_>, protocol: &Protocol, time: bool) -> PictureBuilder {
    let scale = if time { Scale::Time } else { Scale::Events };
    if let Some(sketch) = digest.gallery.get(protocol.instance.id) {
        return sketch.clone().scaled(scale);
    }
    let mut picture = PictureBuilder::new(scale, Window::default());
    let mut take = |run: AccessRun| picture.add_run(&run);
    input::decode_history(history, &mut OneInstance { id: protocol.instance.id, take: &mut take });
    picture
}

/// Writes all accesses to a structure, as CSV or JSON.
fn list(history: &History<'_>, protocol: &Protocol, args: &SpyHistoryArgs) -> Result<Exit, Failure> {
    let mut runs = Vec::new();
    let mut take = |run: AccessRun| runs.push(run);
    let (decoded, _) =
        input::decode_history(history, &mut OneInstance { id: protocol.instance.id, take: &mut take });
    let codes = decoded.codes();
    if let Some(file) = &args.csv {
        let mut text = b"event,time_ns,thread,kind,index,length,place,method\n".to_vec();
        let accesses = runs.iter().flat_map(|run| (0..run.count).map(move |step| (run, step)));
        for (number, (run, step)) in accesses.enumerate() {
            line(&mut text, number, run, step, codes).map_err(|error| Failure::new(Exit::Missing, &error))?;
        }
        put(file, &text)?;
    }
    if args.json {
        return screen::json(&HistoryAnswer::new(protocol, &runs, codes));
    }
    Ok(Exit::Done)
}

fn put(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    FileSink::new(file).put(bytes).map_err(|error| Failure::new(Exit::Missing, &error))
}

fn title(protocol: &Protocol, codes: &CodeTable) -> String {
    let place = report::place(codes, protocol.instance.site);
    format!("{place}: {} {}", protocol.instance.container.name(), protocol.instance.id.0)
}

/// Writes the CSV line of one access of a run of accesses.
fn line(
    text: &mut Vec<u8>,
    number: usize,
    run: &AccessRun,
    step: u64,
    codes: &CodeTable,
) -> std::io::Result<()> {
    let access = run.nth(step);
    let index = access.index.map_or_else(String::new, |index| index.to_string());
    let (place, method) = (report::place(codes, access.code), codes.method(access.code).unwrap_or(""));
    let kind = access.kind.name();
    writeln!(
        text,
        "{number},{},{},{kind},{index},{},\"{place}\",\"{method}\"",
        access.time, access.thread.0, access.length
    )
}

/// Passes the accesses to one structure on to a closure.
struct OneInstance<'a> {
    id: InstanceId,
    take: &'a mut dyn FnMut(AccessRun),
}

impl Consumer for OneInstance<'_> {
    fn created(&mut self, _: Instance) {}

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        if id == self.id {
            (self.take)(run);
        }
    }

    fn grown(&mut self, _: InstanceId, _: u64, _: u64, _: CodeId) {}

    fn dropped(&mut self, _: InstanceId, _: &CodeTable) {}
}

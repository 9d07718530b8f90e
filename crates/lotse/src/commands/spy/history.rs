//! `lotse spy history`: the accesses to one structure as a picture or as a table.

use std::io::Write as _;

use lotse_host::FileSink;
use lotse_model::bytes::Sink as _;
use lotse_spy::answer::HistoryAnswer;
use lotse_spy::decode::{Consumer, Decoded};
use lotse_spy::picture::{PictureBuilder, Scale, Window};
use lotse_spy::{AccessRun, CodeId, CodeTable, Instance, InstanceId, Protocol, report};

use super::analyze::{analysed, analysed_beside};
use super::input;
use super::sites::is_asked;
use crate::args::spy::SpyHistoryArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &SpyHistoryArgs) -> Result<Exit, Failure> {
    let source = input::open(&args.history)?;
    let history = input::read(&source)?;
    // Who names the instance has to wait for one reading only.
    let mut beside = args.instance.map(|number| One::new(InstanceId(number), args));
    let (decoded, analysed) = match &mut beside {
        Some(one) => analysed_beside(&history, &args.thresholds, one)?,
        None => analysed(&history, &args.thresholds)?,
    };
    let codes = decoded.codes();
    let sites = analysed.program.sites().iter();
    let protocols = sites
        .filter(|site| is_asked(Some(&args.site), &report::place(codes, site.site)))
        .flat_map(|site| &site.protocols);
    let protocol = protocols
        .filter(|protocol| args.instance.is_none_or(|number| protocol.instance.id == InstanceId(number)))
        .max_by_key(|protocol| protocol.events);
    let Some(protocol) = protocol else {
        return Err(Failure::usage(format!(
            "no such structure is made at `{}`; `lotse spy sites` lists where",
            args.site
        )));
    };
    let mut again = None;
    let mut one = beside.unwrap_or_else(|| {
        let mut one = One::new(protocol.instance.id, args);
        again = Some(input::decode_history(&history, &mut one));
        one
    });
    let codes_of_runs = again.as_ref().map_or(codes, Decoded::codes);
    if let Some(file) = &args.csv {
        let mut text = b"event,time_ns,thread,kind,index,length,place,method\n".to_vec();
        for (number, (run, step)) in
            one.runs.iter().flat_map(|run| (0..run.count).map(move |step| (run, step))).enumerate()
        {
            line(&mut text, number, run, step, codes_of_runs)
                .map_err(|error| Failure::new(Exit::Missing, &error))?;
        }
        FileSink::new(file).put(&text).map_err(|error| Failure::new(Exit::Missing, &error))?;
    }
    if let (Some(file), Some(picture)) = (&args.svg, one.picture.take()) {
        let svg = picture.finish(protocol).svg(&title(protocol, codes));
        FileSink::new(file)
            .put(svg.as_str().as_bytes())
            .map_err(|error| Failure::new(Exit::Missing, &error))?;
    }
    if args.json {
        return screen::json(&HistoryAnswer::new(protocol, &one.runs, codes_of_runs));
    }
    if args.svg.is_none() && args.csv.is_none() {
        let sites: Vec<_> = analysed
            .program
            .sites()
            .iter()
            .filter(|site| is_asked(Some(&args.site), &report::place(codes, site.site)))
            .collect();
        return screen::document(&report::phases(&sites, codes, 20));
    }
    Ok(Exit::Done)
}

fn title(protocol: &Protocol, codes: &CodeTable) -> String {
    let place = report::place(codes, protocol.instance.site);
    format!("{place}: {} {}", protocol.instance.container.name(), protocol.instance.id.0)
}

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

/// Keeps the accesses of one structure.
struct One {
    id: InstanceId,
    picture: Option<PictureBuilder>,
    runs: Vec<AccessRun>,
    wants_runs: bool,
}

impl One {
    fn new(id: InstanceId, args: &SpyHistoryArgs) -> Self {
        let scale = if args.time { Scale::Time } else { Scale::Events };
        let picture = args.svg.is_some().then(|| PictureBuilder::new(scale, Window::default()));
        Self { id, picture, runs: Vec::new(), wants_runs: args.csv.is_some() || args.json }
    }
}

impl Consumer for One {
    fn created(&mut self, _: Instance) {}

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        if id != self.id {
            return;
        }
        if let Some(picture) = &mut self.picture {
            picture.run(&run);
        }
        if self.wants_runs {
            self.runs.push(run);
        }
    }

    fn grown(&mut self, _: InstanceId, _: u64, _: u64, _: CodeId) {}

    fn dropped(&mut self, _: InstanceId, _: &CodeTable) {}
}

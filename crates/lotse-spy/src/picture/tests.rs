//! Pictures of short and of very long histories.

use super::{Picture, PictureBuilder, Scale, Window};
use crate::access::{Access, AccessRun};
use crate::container::{AccessKind, Container};
use crate::instance::ThreadId;
use crate::rules::fixture::History;

fn run(kind: AccessKind, count: u64, time: u64) -> AccessRun {
    let first = AccessRun::single(Access::at(kind, 0, count, time));
    AccessRun { count, index_stride: 1, last_time: time + 10 * (count - 1), ..first }
}

fn picture(runs: &[AccessRun], scale: Scale, window: Window) -> Picture {
    let mut builder = PictureBuilder::new(scale, window);
    runs.iter().for_each(|run| builder.add_run(run));
    builder.finish(&History::new(Container::Vec).finish())
}

#[test]
fn short_histories_keep_every_access() {
    let short = picture(
        &[run(AccessKind::Read, 200, 0), run(AccessKind::Write, 56, 5000)],
        Scale::Events,
        Window::default(),
    );
    let points = short.points.as_ref().unwrap();
    assert_eq!((points.len(), points[200].kind, points[199].y), (256, AccessKind::Write, 199));
    assert_eq!(picture(&[run(AccessKind::Read, 257, 0)], Scale::Events, Window::default()).points, None);
}

#[test]
fn a_thousand_million_accesses_fit() {
    let long = picture(&[run(AccessKind::Read, 1_000_000_000, 0)], Scale::Events, Window::default());
    assert_eq!((long.shown, long.points), (1_000_000_000, None));
    assert!(long.all.columns() <= 1024 && long.all.columns() > 512);
    // A diagonal: every column has a read, and rows rise with columns.
    for column in 0..long.all.columns() {
        let row = (column as u64 * long.all.column + long.all.column / 2) / long.all.row;
        let kind = long.all.kind(column, row as usize);
        assert_eq!(kind, Some(AccessKind::Read), "{column}");
    }
}

#[test]
fn the_same_cells_for_runs_and_single_accesses() {
    for scale in [Scale::Events, Scale::Time] {
        let pushes = AccessRun { length_stride: 1, ..run(AccessKind::Insert, 3000, 0) };
        let runs = [pushes, run(AccessKind::Read, 5000, 50_000)];
        let singles: Vec<AccessRun> =
            runs.iter().flat_map(|run| (0..run.count).map(|i| AccessRun::single(run.nth(i)))).collect();
        let (whole, single) =
            (picture(&runs, scale, Window::default()), picture(&singles, scale, Window::default()));
        // Grids are too large to be printed.
        assert!(whole.all == single.all, "{scale:?}");
    }
}

/// Times are often counted from the machine's start.
#[test]
fn time_begins_at_the_first_access() {
    let late = picture(&[run(AccessKind::Read, 1000, 1 << 50)], Scale::Time, Window::default());
    assert_eq!((late.origin, late.all.base, late.all.column), (1 << 50, 1 << 50, 16));
    assert!(
        late.svg("late").as_str().contains("time [us]") || late.svg("late").as_str().contains("time [µs]")
    );
}

#[test]
fn a_window_shows_its_part_with_more_detail() {
    let runs = [run(AccessKind::Read, 1_000_000, 0)];
    let window = Window { x: Some((5000, 5999)), index: Some((5200, 5299)) };
    let part = picture(&runs, Scale::Events, window);
    assert_eq!((part.shown, part.all.column, part.all.row), (1000, 1, 1));
    assert_eq!(
        (part.all.kind(199, 0), part.all.kind(200, 0), part.all.kind(299, 99)),
        (None, Some(AccessKind::Read), Some(AccessKind::Read))
    );
    let timed = picture(&runs, Scale::Time, Window { x: Some((100, 199)), index: None });
    assert_eq!(timed.shown, 10);
}

#[test]
fn threads_have_diagrams_of_their_own() {
    let mut other = run(AccessKind::Write, 500, 9000);
    other.first.thread = ThreadId(4);
    let both = picture(&[run(AccessKind::Read, 500, 0), other], Scale::Time, Window::default());
    assert_eq!(both.threads.iter().map(|(thread, _)| thread.0).collect::<Vec<_>>(), [0, 4]);
    let svg = both.svg("the Vec created at main.rs:10");
    for word in ["all threads", "thread 0", "thread 4", "time"] {
        assert!(svg.as_str().contains(word), "{word}");
    }
    assert_eq!(picture(&[run(AccessKind::Read, 500, 0)], Scale::Time, Window::default()).threads, []);
}

/// Figure 4 of the thesis, drawn.
#[test]
fn the_picture_has_bars_lengths_and_brackets() {
    let history = || {
        let history = History::new(Container::Vec).insert_front(10).scan(AccessKind::Read, 0, 9);
        history.insert_front(10).scan(AccessKind::Read, 19, 0)
    };
    let mut builder = PictureBuilder::new(Scale::Events, Window::default());
    for (kind, index, length) in figure_4() {
        builder.add_access(&Access::at(kind, index, length, 0));
    }
    let picture = builder.finish(&history().finish());
    let svg = picture.svg("figure 4");
    let svg = svg.as_str();
    for word in
        ["insert-front", "linear-read-forward", "when-reading-backward", ">insert<", ">read<", "length"]
    {
        assert!(svg.contains(word), "{word}");
    }
    assert_eq!(svg.matches("<polyline").count(), 7, "a bracket for each phase");
    let outlines = |class: &str| {
        let path = svg.split("<path ").find(|path| path.starts_with(&format!("class=\"{class}\""))).unwrap();
        path.matches('M').count()
    };
    assert_eq!((outlines("a0"), outlines("a3")), (20, 30));
}

fn figure_4() -> Vec<(AccessKind, u64, u64)> {
    let inserts = |from: u64| (from..from + 10).map(|length| (AccessKind::Insert, 0, length));
    let forward = (0..10).map(|index| (AccessKind::Read, index, 10));
    let backward = (0..20).rev().map(|index| (AccessKind::Read, index, 20));
    inserts(0).chain(forward).chain(inserts(10)).chain(backward).collect()
}

/// The tables have what the SVG draws: each access of a short history, each column of a long one.
#[test]
fn tables_have_the_values_of_the_picture() {
    let runs = [run(AccessKind::Insert, 3, 0), run(AccessKind::Read, 2, 5000)];
    let short = picture(&runs, Scale::Events, Window::default()).tables();
    assert_eq!(short[0].caption, "Accesses: all 5");
    let text =
        |row: &Vec<lotse_report::Cell>| -> Vec<String> { row.iter().map(|it| it.text.clone()).collect() };
    assert_eq!(text(&short[0].rows[1])[..3], ["1", "insert", "1"]);
    assert_eq!(text(&short[0].rows[4])[..3], ["4", "read", "1"]);
    let long = picture(&[run(AccessKind::Read, 4096, 0)], Scale::Events, Window::default());
    let table = &long.tables()[0];
    assert_eq!(table.rows.len(), long.all.columns());
    assert!(table.caption.contains("a point stands for 16 indices"), "{}", table.caption);
    assert_eq!(text(&table.rows[0]), ["0 to 3", "4,096", "read 0 to 15"]);
    let last = text(table.rows.last().unwrap());
    assert_eq!((last[0].as_str(), last[2].as_str()), ("4,092 to 4,095", "read 4,080 to 4,095"));
}

#[test]
fn tables_say_what_they_leave_out() {
    let of_thread = |thread: u32| {
        let mut run = run(AccessKind::Read, 4, 0);
        run.first.thread = ThreadId(thread);
        run
    };
    // Threads take turns, so that each has accesses in most columns.
    let runs: Vec<AccessRun> = (0..15_000).map(|turn| of_thread(turn % 15)).collect();
    let many = picture(&runs, Scale::Events, Window::default());
    let tables = many.tables();
    let rows: usize = tables.iter().map(|table| table.rows.len()).sum();
    assert!(rows <= 4096 + 500 && tables.len() < many.threads.len());
    assert!(tables.iter().any(|table| table.caption.contains("further diagrams are left out")));
}

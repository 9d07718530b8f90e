//! Two processes and many requests, or many questions for one message.

use lotse_model::trace::{Event, EventKind, Ticks};

use super::Growth;
use super::sketch::{Sketch, WORLD};

pub(super) const GROWTHS: &[Growth] = &[
    Growth {
        name: "waitall",
        unit: "requests in one MPI_Waitall",
        large: 1_000_000,
        small: 8000,
        sketch: waitall,
    },
    Growth {
        name: "waitsome",
        unit: "requests open in MPI_Waitsome",
        large: 400_000,
        small: 6000,
        sketch: waitsome,
    },
    Growth {
        name: "testsome",
        unit: "requests open in MPI_Testsome",
        large: 400_000,
        small: 6000,
        sketch: testsome,
    },
    Growth {
        name: "iprobe",
        unit: "MPI_Iprobe before one receive",
        large: 1_000_000,
        small: 12000,
        sketch: iprobe,
    },
    Growth {
        name: "iprobe-sends",
        unit: "MPI_Iprobe and sends, no receive",
        large: 400_000,
        small: 6000,
        sketch: unanswered,
    },
];

/// How many requests a call completes that does not complete all.
const SOME: u64 = 4;

type Record = (EventKind, Event);

fn isend(request: u64) -> Record {
    let event = Event::MpiIsend { receiver: 1, communicator: WORLD, tag: 0, length: 8, request };
    (EventKind::MpiIsend, event)
}

fn sent(request: u64) -> Record {
    (EventKind::MpiIsendComplete, Event::MpiIsendComplete { request })
}

fn posted(request: u64) -> Record {
    (EventKind::MpiIrecvRequest, Event::MpiIrecvRequest { request })
}

fn received(request: u64) -> Record {
    let event = Event::MpiIrecv { sender: 0, communicator: WORLD, tag: 0, length: 8, request };
    (EventKind::MpiIrecv, event)
}

/// Rank 1 posts all receives; rank 0 works, sends one message after the other and completes all sends at once. Gives
/// the moment at which everything is sent.
fn many_messages(count: u64) -> (Sketch, Ticks) {
    let mut sketch = Sketch::processes(2);
    sketch.enter(0, 0, "main").enter(1, 0, "main");
    let begun = 20 * count;
    sketch.call(0, (1, begun), "work");
    for request in 0..count {
        let (post, send) = (10 * request + 1, begun + 10 * request);
        sketch.call_with(1, (post, post + 5), "MPI_Irecv", posted(request));
        sketch.call_with(0, (send, send + 5), "MPI_Isend", isend(request));
    }
    let over = begun + 10 * count;
    sketch.enter(0, over, "MPI_Waitall");
    (0..count).for_each(|request| {
        sketch.record(0, over + 1, sent(request));
    });
    sketch.leave(0, over + 2, "MPI_Waitall").leave(0, over + 3, "main");
    (sketch, over)
}

fn waitall(count: u64) -> Sketch {
    let (mut sketch, over) = many_messages(count);
    sketch.enter(1, 11 * count, "MPI_Waitall");
    for request in 0..count {
        sketch.record(1, over + 50, received(request));
    }
    sketch.leave(1, over + 51, "MPI_Waitall").leave(1, over + 52, "main");
    sketch
}

fn waitsome(count: u64) -> Sketch {
    completed_in_parts(count, "MPI_Waitsome")
}

fn testsome(count: u64) -> Sketch {
    completed_in_parts(count, "MPI_Testsome")
}

/// Every call completes a few, and calls of MPI_Testsome in between complete none.
fn completed_in_parts(count: u64, name: &str) -> Sketch {
    let (mut sketch, over) = many_messages(count);
    let (mut begin, first_end) = (11 * count, 20 * count + 100);
    for first in (0..count).step_by(SOME as usize) {
        let end = first_end + 10 * (first + SOME);
        if name == "MPI_Testsome" {
            sketch.call(1, (begin, begin + 2), name);
            begin += 3;
        }
        sketch.enter(1, begin, name);
        for request in first..(first + SOME).min(count) {
            sketch.record(1, end, received(request));
        }
        sketch.leave(1, end + 1, name);
        begin = end + 2;
    }
    sketch.leave(1, begin.max(over), "main");
    sketch
}

/// Rank 1 asks again and again whether a message is there.
fn iprobe(count: u64) -> Sketch {
    let mut sketch = Sketch::processes(2);
    let sent = 10 * count;
    let send = Event::MpiSend { receiver: 1, communicator: WORLD, tag: 0, length: 8 };
    sketch.enter(0, 0, "main").call(0, (1, sent), "work");
    sketch.call_with(0, (sent, sent + 5), "MPI_Send", (EventKind::MpiSend, send)).leave(0, sent + 6, "main");
    sketch.enter(1, 0, "main");
    for number in 0..=count {
        sketch.call(1, (10 * number + 1, 10 * number + 8), "MPI_Iprobe");
    }
    let receive = Event::MpiRecv { sender: 0, communicator: WORLD, tag: 0, length: 8 };
    sketch.call_with(1, (sent + 20, sent + 25), "MPI_Recv", (EventKind::MpiRecv, receive));
    sketch.leave(1, sent + 26, "main");
    sketch
}

/// Rank 1 asks for messages that never come, and sends others meanwhile.
fn unanswered(count: u64) -> Sketch {
    let mut sketch = Sketch::processes(2);
    sketch.enter(0, 0, "main").enter(1, 0, "main");
    let send = Event::MpiSend { receiver: 0, communicator: WORLD, tag: 0, length: 8 };
    let receive = Event::MpiRecv { sender: 1, communicator: WORLD, tag: 0, length: 8 };
    for number in 0..count {
        let at = 20 * number + 1;
        sketch.call(1, (at, at + 8), "MPI_Iprobe");
        sketch.call_with(1, (at + 10, at + 15), "MPI_Send", (EventKind::MpiSend, send));
        sketch.call_with(0, (at + 2, at + 18), "MPI_Recv", (EventKind::MpiRecv, receive));
    }
    sketch.leave(0, 20 * count + 5, "main").leave(1, 20 * count + 5, "main");
    sketch
}

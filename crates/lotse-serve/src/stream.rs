//! The stream of changes that each open page reads: an event with the whole state after every change.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_core::Stream;
use tokio::sync::mpsc;

use crate::session::Session;

/// An empty comment this often lets both sides notice a broken connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Changes in quick succession are one event.
const PAUSE: Duration = Duration::from_millis(50);

/// The body of `GET /api/changes`.
pub(crate) fn changes(session: Arc<Session>) -> Body {
    // The sender waits while the browser does not read, and then skips to the newest state.
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(send_changes(session, sender));
    Body::from_stream(Events(receiver))
}

/// Sends the state now and after every change, until the page is gone.
async fn send_changes(session: Arc<Session>, sender: mpsc::Sender<Bytes>) {
    let mut changes = session.changes();
    loop {
        changes.mark_unchanged();
        let Ok(state) = serde_json::to_string(&session.state()) else { return };
        if sender.send(Bytes::from(format!("event: session\ndata: {state}\n\n"))).await.is_err() {
            return;
        }
        loop {
            match tokio::time::timeout(KEEP_ALIVE, changes.changed()).await {
                Ok(Ok(())) => break,
                Ok(Err(_)) => return,
                Err(_) => {
                    if sender.send(Bytes::from_static(b":\n\n")).await.is_err() {
                        return;
                    }
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

struct Events(mpsc::Receiver<Bytes>);

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(Ok))
    }
}

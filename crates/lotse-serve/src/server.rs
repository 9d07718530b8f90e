//! Listens and serves, on the loopback interface or on a socket file.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::open::{OpenRequest, Opener};
use crate::routes::{Context, router};
use crate::session::Session;
use crate::token::Token;

/// More connections wait until others end.
const MOST_CONNECTIONS: usize = 256;
/// A client that needs longer to send the head of its request is dropped.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// How often files are looked at for changes.
const CHECK_FILES: Duration = Duration::from_secs(1);

/// How to serve.
pub struct ServeOptions {
    /// 0 for any free port.
    pub port: u16,
    /// A socket file instead of a port.
    pub socket: Option<PathBuf>,
    /// Whether the page may not start programs.
    pub read_only: bool,
    /// Where recent files and the layout are kept; `None` keeps nothing.
    pub state_file: Option<PathBuf>,
    pub version: &'static str,
    /// What is opened at once.
    pub open: Vec<OpenRequest>,
}

/// Why the server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("port {port} on this machine cannot be used")]
    Port { port: u16, source: io::Error },
    #[error("the socket {path} cannot be made")]
    Socket { path: PathBuf, source: io::Error },
    #[error("the server cannot be started")]
    Start(#[source] io::Error),
    #[error("there are no random numbers for the token")]
    Random,
    /// More files than a page holds.
    #[error("{0}")]
    Open(String),
}

/// Where the server can be reached.
#[derive(Debug, Clone)]
pub struct Listening {
    /// The port; `None` for a socket file.
    pub port: Option<u16>,
    pub token: Token,
}

/// Listens, calls `ready` with the address, and serves until SIGINT or SIGTERM.
pub fn serve(
    opener: Arc<dyn Opener>,
    options: ServeOptions,
    ready: impl FnOnce(&Listening),
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build();
    let runtime = runtime.map_err(ServeError::Start)?;
    let token = Token::random().map_err(|_| ServeError::Random)?;
    let session = Session::new(opener, options.read_only, options.version, options.state_file);
    for request in options.open {
        session.open(request).map_err(|problem| ServeError::Open(problem.message))?;
    }
    let router = router(Context { session: Arc::clone(&session), token: token.clone() });
    let ended = runtime.block_on(async {
        let listeners = Listeners::bind(options.port, options.socket.as_deref()).await?;
        let signals = EndSignals::new().map_err(ServeError::Start)?;
        ready(&Listening { port: listeners.port(), token });
        tokio::spawn(watch_files(session));
        tokio::select! {
            () = listeners.accept(router) => {}
            () = signals.wait() => {}
        }
        Ok(())
    });
    // Threads of documents may be reading; the process ends without waiting for them.
    runtime.shutdown_background();
    ended
}

/// The signals by which the user ends the server. They are caught from the moment this is made.
#[cfg(unix)]
struct EndSignals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl EndSignals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    /// Returns at the first signal.
    async fn wait(mut self) {
        let [interrupt, terminate, hang_up] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}

/// Where there are no such signals, Ctrl-C alone.
#[cfg(not(unix))]
struct EndSignals;

#[cfg(not(unix))]
impl EndSignals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn wait(self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

async fn watch_files(session: Arc<Session>) {
    loop {
        tokio::time::sleep(CHECK_FILES).await;
        let session = Arc::clone(&session);
        // Looking at files can block, as on a network file system.
        if tokio::task::spawn_blocking(move || session.check_files()).await.is_err() {
            return;
        }
    }
}

/// The loopback interface with both versions of the protocol, or a socket file.
enum Listeners {
    Tcp {
        four: TcpListener,
        six: Option<TcpListener>,
        port: u16,
    },
    #[cfg(unix)]
    Unix {
        listener: tokio::net::UnixListener,
        _file: SocketFile,
    },
}

impl Listeners {
    async fn bind(port: u16, socket: Option<&Path>) -> Result<Self, ServeError> {
        match socket {
            #[cfg(unix)]
            Some(path) => {
                bind_socket(path).map_err(|source| ServeError::Socket { path: path.to_owned(), source })
            }
            #[cfg(not(unix))]
            Some(path) => {
                let source = io::Error::from(io::ErrorKind::Unsupported);
                Err(ServeError::Socket { path: path.to_owned(), source })
            }
            None => bind_ports(port).await.map_err(|source| ServeError::Port { port, source }),
        }
    }

    fn port(&self) -> Option<u16> {
        match self {
            Self::Tcp { port, .. } => Some(*port),
            #[cfg(unix)]
            Self::Unix { .. } => None,
        }
    }

    /// Serves connections for ever.
    async fn accept(self, router: Router) {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        match self {
            Self::Tcp { four, six: Some(six), .. } => {
                tokio::join!(accept_tcp(&four, &router, &room), accept_tcp(&six, &router, &room));
            }
            Self::Tcp { four, six: None, .. } => accept_tcp(&four, &router, &room).await,
            #[cfg(unix)]
            Self::Unix { listener, .. } => loop {
                let accepted = listener.accept().await.map(|(stream, _)| stream);
                serve_connection(accepted, &router, &room).await;
            },
        }
    }
}

/// 127.0.0.1 and, where the machine has it, ::1 with the same port.
async fn bind_ports(port: u16) -> io::Result<Listeners> {
    let four = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let port = four.local_addr()?.port();
    // A machine without version 6, or where another program has the port, is served by version 4 alone.
    let six = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await;
    Ok(Listeners::Tcp { four, six: six.ok(), port })
}

async fn accept_tcp(listener: &TcpListener, router: &Router, room: &Arc<Semaphore>) {
    loop {
        let accepted = listener.accept().await.map(|(stream, _)| stream);
        serve_connection(accepted, router, room).await;
    }
}

/// Serves one connection on a task of its own, as soon as there is room.
async fn serve_connection<S>(accepted: io::Result<S>, router: &Router, room: &Arc<Semaphore>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Ok(stream) = accepted else {
        // Out of file descriptors, for example: others will be closed.
        tokio::time::sleep(Duration::from_millis(50)).await;
        return;
    };
    let Ok(place) = Arc::clone(room).acquire_owned().await else { return };
    let service = TowerToHyperService::new(router.clone());
    tokio::spawn(async move {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(64 * 1024);
        // An error here is the client's: it closed the connection or sent no HTTP.
        drop(builder.serve_connection(TokioIo::new(stream), service).await);
        drop(place);
    });
}

/// A socket file, which is removed at the end.
#[cfg(unix)]
struct SocketFile(PathBuf);

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

/// Makes the socket in a new folder that only the user can enter, restricts it to the user, and then moves it to its place: it
/// is never open to others, not even for a moment.
#[cfg(unix)]
fn bind_socket(path: &Path) -> io::Result<Listeners> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    if path.exists() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists));
    }
    let folder = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let inside = folder.join("s");
    let bound = tokio::net::UnixListener::bind(&inside).and_then(|listener| {
        std::fs::set_permissions(&inside, std::fs::Permissions::from_mode(0o600))?;
        std::fs::rename(&inside, path)?;
        Ok(Listeners::Unix { listener, _file: SocketFile(path.to_owned()) })
    });
    if bound.is_err() {
        drop(std::fs::remove_file(&inside));
    }
    drop(std::fs::remove_dir(&folder));
    bound
}

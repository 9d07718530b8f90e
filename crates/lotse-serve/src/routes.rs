//! The requests that the server answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::api::{Ask, Problem};
use crate::assets::{asset, protect};
use crate::guard::check;
use crate::memory::LARGEST_LAYOUT;
use crate::open::OpenRequest;
use crate::session::{AskError, Session};
use crate::stream::changes;
use crate::token::Token;

/// No question is longer.
const LARGEST_BODY: usize = 256 * 1024;
/// A client that needs longer to send its question is not served.
const BODY_TIME: Duration = Duration::from_secs(10);

/// What every request is checked against and answered from.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) session: Arc<Session>,
    pub(crate) token: Token,
}

/// All routes, behind the guard.
pub(crate) fn router(context: Context) -> Router {
    Router::new()
        .route("/api/session", get(session))
        .route("/api/changes", get(stream))
        .route("/api/ask", post(ask))
        .route("/api/open", post(open))
        .route("/api/edit", post(edit))
        .route("/api/close", post(|context, body| change_document(context, body, |it, id| it.close(id))))
        .route("/api/cancel", post(|context, body| change_document(context, body, |it, id| it.cancel(id))))
        .route("/api/reload", post(|context, body| change_document(context, body, |it, id| it.reload(id))))
        .route("/api/layout", post(layout))
        .fallback(page)
        .layer(from_fn_with_state(context.clone(), guarded))
        .with_state(context)
}

/// Refuses what the guard refuses, and adds the headers that protect the page.
async fn guarded(State(context): State<Context>, request: Request, next: Next) -> Response {
    let verdict = check(request.method(), request.uri().path(), request.headers(), &context.token);
    let mut response = match verdict {
        Ok(()) => next.run(request).await,
        Err(refusal) => problem(refusal.status, &Problem::new(refusal.reason)),
    };
    protect(response.headers_mut());
    response
}

/// A file of the page.
async fn page(request: Request) -> Response {
    let Some(asset) = asset(request.uri().path()) else {
        return problem(StatusCode::NOT_FOUND, &Problem::new("there is no such page"));
    };
    let body = if request.method() == Method::HEAD { Body::empty() } else { Body::from(asset.bytes) };
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    response
}

async fn session(State(context): State<Context>) -> Response {
    match serde_json::to_string(&context.session.state()) {
        Ok(text) => json_text(text),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, &Problem::new(error)),
    }
}

async fn stream(State(context): State<Context>) -> Response {
    let mut response = Response::new(changes(context.session));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

async fn ask(State(context): State<Context>, body: Body) -> Response {
    let ask = match parsed::<Ask>(body).await {
        Ok(ask) => ask,
        Err(response) => return response,
    };
    match context.session.ask(ask).await {
        Ok(answer) => json_text(answer),
        Err(error) => refused(error),
    }
}

/// Why a question has no answer.
fn refused(error: AskError) -> Response {
    match error {
        AskError::Absent => problem(StatusCode::NOT_FOUND, &Problem::new("the document is not open")),
        AskError::Outdated => problem(
            StatusCode::CONFLICT,
            &Problem::new("the file changed on disk or was read again; reload the document"),
        ),
        AskError::Failed(why) => problem(StatusCode::UNPROCESSABLE_ENTITY, &why),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditBody {
    document: u32,
    revision: u32,
    path: String,
    line: u32,
}

async fn edit(State(context): State<Context>, body: Body) -> Response {
    let body = match parsed::<EditBody>(body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    match context.session.edit((body.document, body.revision), body.path, body.line).await {
        Ok(started) => json_text(json!({ "started": started }).to_string()),
        Err(error) => refused(error),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenBody {
    paths: Vec<String>,
    compare: bool,
}

async fn open(State(context): State<Context>, body: Body) -> Response {
    let body = match parsed::<OpenBody>(body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    if body.paths.is_empty() {
        return problem(StatusCode::BAD_REQUEST, &Problem::new("no file was named"));
    }
    let paths = body.paths.into_iter().map(PathBuf::from).collect();
    match context.session.open(OpenRequest { paths, compare: body.compare, kind: None }) {
        Ok(document) => json_text(json!({ "document": document }).to_string()),
        Err(why) => problem(StatusCode::UNPROCESSABLE_ENTITY, &why),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentBody {
    document: u32,
}

/// Closes, cancels or reloads a document.
async fn change_document(
    State(context): State<Context>,
    body: Body,
    change: fn(&Arc<Session>, u32) -> bool,
) -> Response {
    match parsed::<DocumentBody>(body).await {
        Ok(body) if change(&context.session, body.document) => json_text("{}".to_owned()),
        Ok(_) => problem(StatusCode::NOT_FOUND, &Problem::new("the document is not open")),
        Err(response) => response,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LayoutBody {
    layout: Value,
}

async fn layout(State(context): State<Context>, body: Body) -> Response {
    let (bytes, layout) = match parsed_with_size::<LayoutBody>(body).await {
        Ok((bytes, body)) => (bytes, body.layout),
        Err(response) => return response,
    };
    if bytes > LARGEST_LAYOUT {
        return problem(StatusCode::PAYLOAD_TOO_LARGE, &Problem::new("the layout is too large"));
    }
    context.session.set_layout(layout);
    json_text("{}".to_owned())
}

/// The body as data, or the response that refuses it.
async fn parsed<T: DeserializeOwned>(body: Body) -> Result<T, Response> {
    Ok(parsed_with_size(body).await?.1)
}

async fn parsed_with_size<T: DeserializeOwned>(body: Body) -> Result<(usize, T), Response> {
    let read = tokio::time::timeout(BODY_TIME, to_bytes(body, LARGEST_BODY)).await;
    let bytes: Bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            return Err(problem(
                StatusCode::PAYLOAD_TOO_LARGE,
                &Problem::new("the question is too long or was cut"),
            ));
        }
        Err(_) => {
            return Err(problem(StatusCode::REQUEST_TIMEOUT, &Problem::new("the question came too slowly")));
        }
    };
    let value = serde_json::from_slice(&bytes)
        .map_err(|error| problem(StatusCode::BAD_REQUEST, &Problem::new(error)))?;
    Ok((bytes.len(), value))
}

fn json_text(text: String) -> Response {
    let mut response = text.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn problem(status: StatusCode, problem: &Problem) -> Response {
    let text = json!({ "message": problem.message, "place": problem.place }).to_string();
    let mut response = json_text(text);
    *response.status_mut() = status;
    response
}

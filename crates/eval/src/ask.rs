//! Asks one question in one arm. Sends requests until the model answers, and retries when the server is busy.

use std::time::{Duration, Instant};

use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tersely_account::TokenUsage;
use tersely_audit::weigh;
use tersely_engine::{Answers, TOOL};
use tersely_gateway::{PostedAnswer, Poster};
use tersely_terminal::output::visible;
use tokio::time::sleep;

use crate::api::{AGAIN, AskedModel, EvalApi, HeardAnswer};
use crate::arm::{ArmEngines, EvalArm};
use crate::score::is_right;
use crate::set::{EvalQuestion, digest};

/// The maximum number of rounds for a question: the first request, and those after the model fetched something.
const MAX_ROUNDS: usize = 5;

/// The maximum number of attempts to send one request.
const MAX_ATTEMPTS: u32 = 5;

/// The maximum delay between two attempts, even if `Retry-After` asks for more.
const MAX_RETRY_DELAY: Duration = Duration::from_mins(1);

/// The maximum number of bytes that the model may fetch for one question.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// The maximum number of characters of a reply that are logged.
const MAX_NOTE_CHARS: usize = 300;

/// The server and model to ask.
pub(super) struct Asker {
    /// The HTTP client.
    pub(super) poster: Poster,
    /// The request format.
    pub(super) api: EvalApi,
    /// The headers that contain the key.
    pub(super) headers: HeaderMap,
    /// The model and its options.
    pub(super) asked: AskedModel,
    /// The engines of the arms.
    pub(super) engines: ArmEngines,
    /// The name of this evaluation run.
    pub(super) run: String,
}

/// The result of a question in one arm.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EvalAnswer {
    /// The id of the question.
    pub(super) id: String,
    /// The arm.
    pub(super) arm: EvalArm,
    /// The scored reply, or the reason why there is none.
    pub(super) heard: Result<ScoredReply, String>,
}

/// A scored reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ScoredReply {
    /// True if the reply is right.
    pub(super) is_right: bool,
    /// The beginning of the reply.
    pub(super) text: String,
    /// The number of requests that were sent.
    pub(super) rounds: usize,
    /// The number of times that the model fetched omitted text.
    pub(super) fetched: usize,
    /// The usage that the provider reported, summed over all rounds.
    pub(super) tokens: TokenUsage,
    /// Our token count of the requests, summed over all rounds.
    pub(super) ours: usize,
    /// The total time, in milliseconds.
    pub(super) millis: u64,
}

impl Asker {
    /// The request that an arm sends for a question, and the omitted texts that the model can fetch.
    pub(super) fn request(&self, arm: EvalArm, question: &EvalQuestion) -> (Value, Answers) {
        let nonce = digest(&[&self.run, &question.id, arm.name()]);
        let body = self.api.body(&self.asked, &nonce, question).to_string();
        let (sent, hidden) = self.engines.pass(self.api, arm, body);
        let kept = hidden.map(|it| it.kept).unwrap_or_default();
        (serde_json::from_str(&sent).unwrap_or_default(), Answers::new(kept))
    }

    /// Asks a question in one arm.
    pub(super) async fn ask(&self, arm: EvalArm, question: &EvalQuestion) -> EvalAnswer {
        let start = Instant::now();
        let heard = self.rounds(arm, question).await.map(|mut reply| {
            reply.millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            reply
        });
        EvalAnswer { id: question.id.clone(), arm, heard }
    }

    async fn rounds(&self, arm: EvalArm, question: &EvalQuestion) -> Result<ScoredReply, String> {
        let (mut body, mut answers) = self.request(arm, question);
        let mut reply = ScoredReply::default();
        loop {
            reply.rounds += 1;
            reply.ours += weight(&body);
            let heard = self.tries(&body).await?;
            reply.tokens += heard.tokens;
            if heard.calls.is_empty() || reply.rounds == MAX_ROUNDS {
                reply.is_right = is_right(&question.truth, &question.question, &heard.text);
                reply.text = visible(&heard.text).chars().take(MAX_NOTE_CHARS).collect();
                return Ok(reply);
            }
            let given = tool_answers(&mut answers, &heard);
            reply.fetched += heard.calls.iter().filter(|call| call.tool == TOOL.name).count();
            self.api.go_on(&mut body, heard, given);
        }
    }

    /// Sends a request until it is answered, or until retrying is pointless.
    async fn tries(&self, body: &Value) -> Result<HeardAnswer, String> {
        let mut pause = Duration::from_millis(500);
        let mut tries = 1;
        loop {
            let posted = self.poster.post(self.api.path(), self.headers.clone(), body.to_string()).await;
            let (fault, wish) = match posted {
                Ok(answer) if answer.status.is_success() => match self.api.read(&answer.body) {
                    Ok(heard) => return Ok(heard),
                    Err(fault) => (fault, None),
                },
                Ok(answer) => {
                    let fault = refusal(&answer);
                    let is_busy = answer.status.is_server_error()
                        || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT]
                            .contains(&answer.status);
                    if !is_busy {
                        return Err(fault);
                    }
                    (fault, wish(&answer.headers))
                }
                Err(error) => (error.to_string(), None),
            };
            if tries == MAX_ATTEMPTS {
                return Err(fault);
            }
            sleep(wish.unwrap_or(pause).min(MAX_RETRY_DELAY)).await;
            pause = (pause * 2).min(MAX_RETRY_DELAY);
            tries += 1;
        }
    }
}

/// The results for the tool calls in a model's message.
fn tool_answers(answers: &mut Answers, heard: &HeardAnswer) -> Vec<String> {
    let one = |call: &tersely_wire::hidden::HiddenAsk| {
        if call.tool == TOOL.name {
            answers.answer(MAX_ANSWER_BYTES, std::slice::from_ref(call)).pop().unwrap_or_default()
        } else {
            AGAIN.to_owned()
        }
    };
    heard.calls.iter().map(one).collect()
}

/// Our token count of a request.
pub(super) fn weight(body: &Value) -> usize {
    let part = |part: &Value| weigh(part.to_string().as_bytes());
    let system = &body["system"];
    let system = if system.is_null() { 0 } else { part(&json!({ "role": "system", "content": system })) };
    let tools = &body["tools"];
    let tools = if tools.is_null() { 0 } else { part(tools) };
    system + tools + body["messages"].as_array().into_iter().flatten().map(part).sum::<usize>()
}

/// The delay that a server requests in `Retry-After`.
fn wish(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The error message in a server's response.
fn refusal(answer: &PostedAnswer) -> String {
    let said: Option<Value> = serde_json::from_slice(&answer.body).ok();
    let said = said.as_ref().and_then(|it| it.pointer("/error/message").or_else(|| it.pointer("/message")));
    let said = said
        .and_then(Value::as_str)
        .map_or_else(String::new, |it| format!(": {}", visible(it).chars().take(200).collect::<String>()));
    format!("the server returned {}{said}", answer.status)
}

"use strict";
/** Wraps the clients of OpenAI's and Anthropic's SDKs: they send smaller tool results, and are otherwise as they were. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.openai = openai;
exports.anthropic = anthropic;
var fetch_js_1 = require("./fetch.js");
/**
 * A copy of an OpenAI client that compresses tool results, in Chat Completions and Responses. Detail may be left out:
 * the model can fetch it back, with a tool that is offered and answered here. `retrieve: false` leaves nothing out.
 */
function openai(client, options) {
    if (options === void 0) { options = {}; }
    return wrap(client, options);
}
/** A copy of an Anthropic client that compresses tool results. The options are as of `openai`. */
function anthropic(client, options) {
    if (options === void 0) { options = {}; }
    return wrap(client, options);
}
function wrap(client, options) {
    if (typeof (client === null || client === void 0 ? void 0 : client.withOptions) !== "function") {
        throw new TypeError("client: must be a client of OpenAI's or Anthropic's SDK");
    }
    var fetch = client.fetch;
    return client.withOptions({ fetch: (0, fetch_js_1.wrapFetch)(fetch, options) });
}

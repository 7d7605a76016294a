"use strict";
/** Takes texts apart that `tersely compress` signed: the last line says which form is above it. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.read = read;
exports.checkUnmarked = checkUnmarked;
var error_js_1 = require("./error.js");
var general = require("./general.js");
var layout = require("./layout.js");
var scan_js_1 = require("./scan.js");
/** What ended with a line end still does, behind its last line. */
var SIGNED = /^\n\[layout([0-9]+) (.*)\](\n?)$/s;
/** Where a text says that it is not all there, or plays that: only the program knows which. */
var MARK = /<<<(?:SHADOW|TEXT[0-9]+):/;
var PROGRAM = "the program reads every other: tersely decode";
var STAGES = ["general", "general json", "json", "text"];
/** What a signed text holds; none if the text is not signed. */
function read(text) {
    var _a;
    var last = text.length < 2 ? -1 : text.lastIndexOf("\n", text.length - 2);
    var _b = (_a = SIGNED.exec(text.slice(Math.max(last, 0)))) !== null && _a !== void 0 ? _a : [], version = _b[1], _c = _b[2], words = _c === void 0 ? "" : _c, _d = _b[3], end = _d === void 0 ? "" : _d;
    if (version === undefined)
        return undefined;
    checkUnmarked(text);
    var place = text.length - end.length - 1 - words.length;
    var colon = words.indexOf(": ");
    var _e = colon < 0 ? [words, ""] : [words.slice(0, colon), words.slice(colon + 2)], stage = _e[0], note = _e[1];
    if (version !== "1" || !STAGES.includes(stage)) {
        throw fault(text, place, "general, general json, json or text (".concat(PROGRAM, ")"), stage);
    }
    var room = (0, scan_js_1.utf8Length)(text) * general.GROWTH;
    var isJson = stage.endsWith("json");
    var laid = isJson ? layout.read(note) : undefined;
    if (laid === undefined && (isJson || (note !== "" && stage !== "general"))) {
        throw fault(text, place, "a layout that is written", words);
    }
    var body = text.slice(0, last) + end;
    if (stage === "general" && note !== "") {
        return { text: general.restorePieces(body, note, room), layout: undefined, room: room };
    }
    return { text: stage.startsWith("general") ? general.restore(body, room) : body, layout: laid, room: room };
}
/** Fails on a text that names an original, or plays that. */
function checkUnmarked(text) {
    var mark = MARK.exec(text);
    if (mark)
        throw fault(text, mark.index, "a text without such marks (".concat(PROGRAM, ")"), mark[0]);
}
function fault(text, place, expected, found) {
    var _a = error_js_1.DecodeError.at(text, place, expected), line = _a.line, column = _a.column;
    return new error_js_1.DecodeError(line, column, expected, "'".concat(found, "'"));
}

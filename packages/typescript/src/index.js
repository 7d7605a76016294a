"use strict";
/** Says tool output in fewer tokens, and reads what Tersely writes, exactly. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.DecodeError = exports.tool = exports.wrapFetch = exports.expand = exports.compressAsync = exports.compress = exports.openai = exports.anthropic = void 0;
exports.decode = decode;
exports.toJson = toJson;
exports.restore = restore;
var compress_js_1 = require("./compress.js");
var core_js_1 = require("./core.js");
var error_js_1 = require("./error.js");
Object.defineProperty(exports, "DecodeError", { enumerable: true, get: function () { return error_js_1.DecodeError; } });
var layout = require("./layout.js");
var signed = require("./signed.js");
var stc = require("./stc.js");
var terse = require("./terse.js");
var tree = require("./tree.js");
var clients_js_1 = require("./clients.js");
Object.defineProperty(exports, "anthropic", { enumerable: true, get: function () { return clients_js_1.anthropic; } });
Object.defineProperty(exports, "openai", { enumerable: true, get: function () { return clients_js_1.openai; } });
var compress_js_2 = require("./compress.js");
Object.defineProperty(exports, "compress", { enumerable: true, get: function () { return compress_js_2.compress; } });
Object.defineProperty(exports, "compressAsync", { enumerable: true, get: function () { return compress_js_2.compressAsync; } });
Object.defineProperty(exports, "expand", { enumerable: true, get: function () { return compress_js_2.expand; } });
var fetch_js_1 = require("./fetch.js");
Object.defineProperty(exports, "wrapFetch", { enumerable: true, get: function () { return fetch_js_1.wrapFetch; } });
var tool_js_1 = require("./tool.js");
Object.defineProperty(exports, "tool", { enumerable: true, get: function () { return tool_js_1.tool; } });
/** In the order in which they are tried on a text of unknown form. */
var FORMS = {
    stc: stc.parse,
    terse: terse.parse,
};
/**
 * The ordinary value that `text` stands for; without `form`, in the first form that reads it.
 *
 * Of what `tersely compress` writes, that is every text that `restore` gives back as JSON.
 */
function decode(text, form) {
    if (form === "toon" || form === "json")
        return decodeByCore(text, form);
    try {
        return tree.toValue(parse(text, form));
    }
    catch (fault) {
        if (form !== undefined || !(fault instanceof error_js_1.DecodeError))
            throw fault;
        try {
            return decodeByCore(text, undefined);
        }
        catch (_a) {
            throw fault;
        }
    }
}
function decodeByCore(text, form) {
    var _a = (0, core_js_1.call)("decode", { form: form }, text), about = _a.about, payload = _a.payload;
    if (about.kind !== "json")
        throw new error_js_1.DecodeError(1, 1, "a document in one of the forms", "another text");
    return JSON.parse(payload);
}
/** The exact compact JSON that `text` stands for: number text and duplicate keys kept. */
function toJson(text, form) {
    return tree.toJson(parse(text, form));
}
function restore(content, format) {
    if (typeof content !== "string")
        return (0, compress_js_1.restoreMessages)(content, format);
    // A half of a surrogate pair would not survive the way there and back.
    if (HALF_PAIR.test(content))
        return restoreHere(content);
    try {
        return (0, core_js_1.call)("restore", {}, content).payload;
    }
    catch (error) {
        if (error instanceof core_js_1.Unavailable)
            return restoreHere(content);
        throw error;
    }
}
var HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
/** Without the native part and the program: the general form, JSON, and JSON in the general form. */
function restoreHere(text) {
    var plain = text.startsWith(BYTE_ORDER) ? text.slice(1) : text;
    var found = signed.read(plain);
    if (found === undefined) {
        signed.checkUnmarked(plain);
        return text;
    }
    var whole = found.layout ? layout.write(found.layout, terse.parse(found.text), found.room) : found.text;
    if (whole === undefined)
        throw new error_js_1.DecodeError(1, 1, "a text that grows less", "one that grows too much");
    return text.slice(0, text.length - plain.length) + whole;
}
/** Some files begin with it: it stays where it is. */
var BYTE_ORDER = "\ufeff";
function parse(text, form) {
    var _a;
    if (form === undefined) {
        var found = signed.read(text);
        // A text that was printed or read from a file has a line end that is not part of it.
        var whole = withoutEnd((_a = found === null || found === void 0 ? void 0 : found.text) !== null && _a !== void 0 ? _a : text);
        return (found === null || found === void 0 ? void 0 : found.layout) ? terse.parse(whole) : parseAny(whole);
    }
    if (!Object.hasOwn(FORMS, form)) {
        throw new RangeError("unknown form '".concat(form, "': expected one of ").concat(Object.keys(FORMS).join(", ")));
    }
    return FORMS[form](text);
}
function withoutEnd(text) {
    return text.endsWith("\n") ? text.slice(0, -1) : text;
}
function parseAny(text) {
    var first;
    for (var _i = 0, _a = Object.values(FORMS); _i < _a.length; _i++) {
        var read = _a[_i];
        try {
            return read(text);
        }
        catch (fault) {
            if (!(fault instanceof error_js_1.DecodeError))
                throw fault;
            first !== null && first !== void 0 ? first : (first = fault);
        }
    }
    throw first;
}

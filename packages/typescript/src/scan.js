"use strict";
/** Reads the tokens that every form shares with JSON: strings, numbers, words and white space. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Scan = void 0;
exports.utf8Length = utf8Length;
exports.spaceEnd = spaceEnd;
exports.numberEnd = numberEnd;
exports.digitsEnd = digitsEnd;
var error_js_1 = require("./error.js");
var SHORT = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    b: "\b",
    f: "\f",
    n: "\n",
    r: "\r",
    t: "\t",
};
/** A place in a text, moving forward only. */
var Scan = /** @class */ (function () {
    function Scan(text) {
        this.text = text;
        this.at = 0;
    }
    /** The next UTF-16 unit; nothing at the end. */
    Scan.prototype.peek = function () {
        return this.text.charAt(this.at);
    };
    /** Takes `token` if it is next. */
    Scan.prototype.eat = function (token) {
        var found = this.text.startsWith(token, this.at);
        if (found)
            this.at += token.length;
        return found;
    };
    /** Takes `token`, which must be next, and the white space behind it. */
    Scan.prototype.take = function (token, expected) {
        if (!this.eat(token))
            this.fail(expected);
        this.space();
    };
    /** Takes white space. */
    Scan.prototype.space = function () {
        this.at = spaceEnd(this.text, this.at);
    };
    /** Says that something else was expected here. */
    Scan.prototype.fail = function (expected) {
        throw error_js_1.DecodeError.at(this.text, this.at, expected);
    };
    /** `true`, `false`, `null`, a number or a string. */
    Scan.prototype.scalar = function () {
        var first = this.peek();
        if (first === '"')
            return this.string();
        if (first === "-" || isDigit(this.text, this.at))
            return this.number();
        if (this.eat("true"))
            return true;
        if (this.eat("false"))
            return false;
        if (this.eat("null"))
            return null;
        return this.fail("a value");
    };
    /** A JSON number, its first unit next. */
    Scan.prototype.number = function () {
        var end = numberEnd(this.text, this.at);
        if (end === this.at)
            this.fail("a number");
        var text = this.text.slice(this.at, end);
        this.at = end;
        return { kind: "number", text: text };
    };
    /** A JSON string, its opening quote next. */
    Scan.prototype.string = function () {
        var start = this.at + 1;
        this.at = start;
        var plain = true;
        for (var next = this.peek(); next !== '"'; next = this.peek()) {
            if (next < " ")
                this.fail("the closing quote of a string");
            if (next === "\\")
                plain = false;
            this.at = Math.min(this.at + (next === "\\" ? 2 : 1), this.text.length);
        }
        var raw = this.text.slice(start, this.at);
        this.at += 1;
        return plain ? raw : this.unescape(raw, start);
    };
    Scan.prototype.unescape = function (raw, start) {
        var _this = this;
        return raw.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, function (_, hex, short, at) {
            if (hex !== undefined)
                return String.fromCharCode(parseInt(hex, 16));
            var character = SHORT[short];
            if (character === undefined)
                throw error_js_1.DecodeError.at(_this.text, start + at, "an escape that JSON knows");
            return character;
        });
    };
    return Scan;
}());
exports.Scan = Scan;
/** The bytes of `text` in UTF-8; a half of a character alone counts as U+FFFD does. */
function utf8Length(text) {
    var _a;
    var sum = 0;
    for (var at = 0; at < text.length; at += 1) {
        var code = (_a = text.codePointAt(at)) !== null && _a !== void 0 ? _a : 0;
        sum += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (code > 0xffff)
            at += 1;
    }
    return sum;
}
/** Where the white space at `at` ends. */
function spaceEnd(text, at) {
    while (isSpace(text.charCodeAt(at)))
        at += 1;
    return at;
}
function isSpace(unit) {
    return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}
/** Where the JSON number at `at` ends; `at` itself when none is there. */
function numberEnd(text, at) {
    var int = text.charAt(at) === "-" ? at + 1 : at;
    var end = text.charAt(int) === "0" ? int + 1 : digitsEnd(text, int);
    if (end === int || isDigit(text, end))
        return at;
    if (text.charAt(end) === ".") {
        var from = end + 1;
        end = digitsEnd(text, from);
        if (end === from)
            return at;
    }
    if (text.charAt(end) === "e" || text.charAt(end) === "E") {
        var signed = text.charAt(end + 1) === "+" || text.charAt(end + 1) === "-";
        var from = end + (signed ? 2 : 1);
        end = digitsEnd(text, from);
        if (end === from)
            return at;
    }
    return end;
}
/** Where the digits at `at` end. */
function digitsEnd(text, at) {
    while (isDigit(text, at))
        at += 1;
    return at;
}
function isDigit(text, at) {
    var unit = text.charCodeAt(at);
    return unit >= 0x30 && unit <= 0x39;
}

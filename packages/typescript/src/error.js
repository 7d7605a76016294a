"use strict";
/** Says where a text stopped making sense, and what would have. */
var __extends = (this && this.__extends) || (function () {
    var extendStatics = function (d, b) {
        extendStatics = Object.setPrototypeOf ||
            ({ __proto__: [] } instanceof Array && function (d, b) { d.__proto__ = b; }) ||
            function (d, b) { for (var p in b) if (Object.prototype.hasOwnProperty.call(b, p)) d[p] = b[p]; };
        return extendStatics(d, b);
    };
    return function (d, b) {
        if (typeof b !== "function" && b !== null)
            throw new TypeError("Class extends value " + String(b) + " is not a constructor or null");
        extendStatics(d, b);
        function __() { this.constructor = d; }
        d.prototype = b === null ? Object.create(b) : (__.prototype = b.prototype, new __());
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.DecodeError = void 0;
/** A text is not of the form it was taken for. */
var DecodeError = /** @class */ (function (_super) {
    __extends(DecodeError, _super);
    function DecodeError(
    /** Line of the fault, from 1. */
    line, 
    /** Column of the fault in characters, from 1. */
    column, 
    /** What the form allows there. */
    expected, 
    /** What stands there instead. */
    found) {
        var _this = _super.call(this, "line ".concat(line, ", column ").concat(column, ": expected ").concat(expected, ", found ").concat(found)) || this;
        _this.line = line;
        _this.column = column;
        _this.expected = expected;
        _this.found = found;
        _this.name = "DecodeError";
        return _this;
    }
    /** The fault at `place` of `text`. */
    DecodeError.at = function (text, place, expected) {
        var before = text.slice(0, place);
        var start = before.lastIndexOf("\n") + 1;
        return new DecodeError(count(before, "\n") + 1, characters(before, start) + 1, expected, name(text, place));
    };
    return DecodeError;
}(Error));
exports.DecodeError = DecodeError;
/** How often `mark` stands in `text`. */
function count(text, mark) {
    var sum = 0;
    for (var at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1))
        sum += 1;
    return sum;
}
/** How many characters, not UTF-16 units, `text` has from `start` on. */
function characters(text, start) {
    var sum = 0;
    for (var at = start; at < text.length; at += width(text, at))
        sum += 1;
    return sum;
}
function width(text, at) {
    var _a;
    return ((_a = text.codePointAt(at)) !== null && _a !== void 0 ? _a : 0) > 0xffff ? 2 : 1;
}
var SHORT = { "\t": "\\t", "\r": "\\r", "\0": "\\0", "\\": "\\\\", "'": "\\'" };
function name(text, place) {
    var _a;
    var code = text.codePointAt(place);
    if (code === undefined)
        return "the end";
    if (code === 10)
        return "the end of the line";
    var character = String.fromCodePoint(code);
    var hidden = character !== " " && /[\p{C}\p{Z}\p{Mn}\p{Me}]/u.test(character);
    return "'".concat((_a = SHORT[character]) !== null && _a !== void 0 ? _a : (hidden ? "\\u{".concat(code.toString(16), "}") : character), "'");
}

"use strict";
/**
 * Middleware for Vercel's AI SDK: `wrapLanguageModel({ model, middleware: tersely() })`.
 *
 * Makes the tool results of a prompt smaller, for any provider. Nothing is left out here; where you want that, give the
 * provider `fetch: wrapFetch()`, which answers the model when it asks for what was left out.
 */
var __assign = (this && this.__assign) || function () {
    __assign = Object.assign || function(t) {
        for (var s, i = 1, n = arguments.length; i < n; i++) {
            s = arguments[i];
            for (var p in s) if (Object.prototype.hasOwnProperty.call(s, p))
                t[p] = s[p];
        }
        return t;
    };
    return __assign.apply(this, arguments);
};
var __awaiter = (this && this.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};
var __generator = (this && this.__generator) || function (thisArg, body) {
    var _ = { label: 0, sent: function() { if (t[0] & 1) throw t[1]; return t[1]; }, trys: [], ops: [] }, f, y, t, g = Object.create((typeof Iterator === "function" ? Iterator : Object).prototype);
    return g.next = verb(0), g["throw"] = verb(1), g["return"] = verb(2), typeof Symbol === "function" && (g[Symbol.iterator] = function() { return this; }), g;
    function verb(n) { return function (v) { return step([n, v]); }; }
    function step(op) {
        if (f) throw new TypeError("Generator is already executing.");
        while (g && (g = 0, op[0] && (_ = 0)), _) try {
            if (f = 1, y && (t = op[0] & 2 ? y["return"] : op[0] ? y["throw"] || ((t = y["return"]) && t.call(y), 0) : y.next) && !(t = t.call(y, op[1])).done) return t;
            if (y = 0, t) op = [op[0] & 2, t.value];
            switch (op[0]) {
                case 0: case 1: t = op; break;
                case 4: _.label++; return { value: op[1], done: false };
                case 5: _.label++; y = op[1]; op = [0]; continue;
                case 7: op = _.ops.pop(); _.trys.pop(); continue;
                default:
                    if (!(t = _.trys, t = t.length > 0 && t[t.length - 1]) && (op[0] === 6 || op[0] === 2)) { _ = 0; continue; }
                    if (op[0] === 3 && (!t || (op[1] > t[0] && op[1] < t[3]))) { _.label = op[1]; break; }
                    if (op[0] === 6 && _.label < t[1]) { _.label = t[1]; t = op; break; }
                    if (t && _.label < t[2]) { _.label = t[2]; _.ops.push(op); break; }
                    if (t[2]) _.ops.pop();
                    _.trys.pop(); continue;
            }
            op = body.call(thisArg, _);
        } catch (e) { op = [6, e]; y = 0; } finally { f = t = 0; }
        if (op[0] & 5) throw op[1]; return { value: op[0] ? op[1] : void 0, done: true };
    }
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.tersely = tersely;
var compress_js_1 = require("./compress.js");
function tersely(options) {
    var _this = this;
    if (options === void 0) { options = {}; }
    return {
        specificationVersion: "v3",
        transformParams: function (_a) { return __awaiter(_this, [_a], void 0, function (_b) {
            var modelId, _c;
            var _d;
            var params = _b.params, model = _b.model;
            return __generator(this, function (_e) {
                switch (_e.label) {
                    case 0:
                        modelId = model.modelId;
                        _c = [__assign({}, params)];
                        _d = {};
                        return [4 /*yield*/, shorten(params.prompt, __assign({ model: modelId }, options))];
                    case 1: return [2 /*return*/, __assign.apply(void 0, _c.concat([(_d.prompt = _e.sent(), _d)]))];
                }
            });
        }); },
    };
}
function shorten(prompt, options) {
    return __awaiter(this, void 0, void 0, function () {
        var chat, messages, place, next;
        return __generator(this, function (_a) {
            switch (_a.label) {
                case 0:
                    chat = prompt.flatMap(function (_a) {
                        var role = _a.role, content = _a.content;
                        return parts(content).flatMap(function (part) { return chatMessages(role, part); });
                    });
                    return [4 /*yield*/, (0, compress_js_1.compressAsync)(chat, __assign(__assign({}, options), { format: "chat" }))];
                case 1:
                    messages = (_a.sent()).messages;
                    place = 0;
                    next = function (part, role) {
                        var count = chatMessages(role, part).length;
                        place += count;
                        return messages.slice(place - count, place);
                    };
                    return [2 /*return*/, prompt.map(function (message) {
                            if (!Array.isArray(message.content))
                                return message;
                            var content = parts(message.content).map(function (part) { return rewrite(part, next(part, message.role)); });
                            return message.role === "tool" ? __assign(__assign({}, message), { content: content }) : message;
                        })];
            }
        });
    });
}
function parts(content) {
    return Array.isArray(content) ? content : [];
}
function chatMessages(role, part) {
    var _a;
    if (part.type === "tool-call") {
        var called = { name: part.toolName, arguments: JSON.stringify((_a = part.input) !== null && _a !== void 0 ? _a : {}) };
        return [{ role: "assistant", tool_calls: [{ id: part.toolCallId, type: "function", function: called }] }];
    }
    if (role !== "tool" || part.type !== "tool-result" || part.output === undefined)
        return [];
    return texts(part.output).map(function (content) { return ({ role: "tool", tool_call_id: part.toolCallId, content: content }); });
}
/** The texts of a result. Errors stay as they are. */
function texts(_a) {
    var type = _a.type, value = _a.value;
    if (type === "text")
        return [String(value)];
    if (type === "json")
        return [JSON.stringify(value)];
    if (type !== "content" || !Array.isArray(value))
        return [];
    return value.filter(isText).map(function (block) { return block.text; });
}
function isText(block) {
    return block.type === "text";
}
function rewrite(part, now) {
    var output = part.output;
    if (output === undefined || now.length === 0 || part.type !== "tool-result")
        return part;
    var short = now.map(function (message) { var _a; return (_a = message.content) !== null && _a !== void 0 ? _a : ""; });
    if (short.every(function (text, at) { return text === texts(output)[at]; }))
        return part;
    if (output.type !== "content")
        return __assign(__assign({}, part), { output: __assign(__assign({}, output), { type: "text", value: short[0] }) });
    var at = 0;
    var value = output.value.map(function (block) { return (isText(block) ? __assign(__assign({}, block), { text: short[at++] }) : block); });
    return __assign(__assign({}, part), { output: __assign(__assign({}, output), { value: value }) });
}

"use strict";
/** `compress`: a text or the messages of a conversation in fewer tokens, as a pure function. */
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
var __rest = (this && this.__rest) || function (s, e) {
    var t = {};
    for (var p in s) if (Object.prototype.hasOwnProperty.call(s, p) && e.indexOf(p) < 0)
        t[p] = s[p];
    if (s != null && typeof Object.getOwnPropertySymbols === "function")
        for (var i = 0, p = Object.getOwnPropertySymbols(s); i < p.length; i++) {
            if (e.indexOf(p[i]) < 0 && Object.prototype.propertyIsEnumerable.call(s, p[i]))
                t[p[i]] = s[p[i]];
        }
    return t;
};
var __spreadArray = (this && this.__spreadArray) || function (to, from, pack) {
    if (pack || arguments.length === 2) for (var i = 0, l = from.length, ar; i < l; i++) {
        if (ar || !(i in from)) {
            if (!ar) ar = Array.prototype.slice.call(from, 0, i);
            ar[i] = from[i];
        }
    }
    return to.concat(ar || Array.prototype.slice.call(from));
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.compress = compress;
exports.compressAsync = compressAsync;
exports.expand = expand;
exports.restoreMessages = restoreMessages;
exports.snake = snake;
var core_js_1 = require("./core.js");
function compress(content, options) {
    var job = prepare(content, options !== null && options !== void 0 ? options : {});
    if (job.payload === undefined)
        return job.finish(undefined);
    try {
        return job.finish((0, core_js_1.call)(job.operation, job.options, job.payload));
    }
    catch (error) {
        return job.finish(undefined, error);
    }
}
function compressAsync(content, options) {
    return __awaiter(this, void 0, void 0, function () {
        var job, _a, _b, error_1;
        return __generator(this, function (_c) {
            switch (_c.label) {
                case 0:
                    job = prepare(content, options !== null && options !== void 0 ? options : {});
                    if (job.payload === undefined)
                        return [2 /*return*/, job.finish(undefined)];
                    _c.label = 1;
                case 1:
                    _c.trys.push([1, 3, , 4]);
                    _b = (_a = job).finish;
                    return [4 /*yield*/, (0, core_js_1.callAsync)(job.operation, job.options, job.payload)];
                case 2: return [2 /*return*/, _b.apply(_a, [_c.sent()])];
                case 3:
                    error_1 = _c.sent();
                    return [2 /*return*/, job.finish(undefined, error_1)];
                case 4: return [2 /*return*/];
            }
        });
    });
}
/**
 * What was left out of messages under an id, or a part of it: "lines 10-40", a word to search for, a path. Give the
 * messages and options that `compress` was given. The answer is meant for the model: where there is nothing under the
 * id, it says so.
 */
function expand(messages, id, part, options) {
    if (options === void 0) { options = {}; }
    if (typeof id !== "string")
        throw new TypeError("id: must be a string");
    var model = options.model, tools = options.tools, rest = __rest(options, ["model", "tools"]);
    return (0, core_js_1.call)("expand", __assign(__assign({}, snake(rest)), { id: id, part: part }), question(messages, model, tools)).payload;
}
/** The messages as they were before `compress`. */
function restoreMessages(messages, format) {
    var payload = (0, core_js_1.call)("restore_messages", { format: format }, question(messages, undefined, undefined)).payload;
    return merge(messages, JSON.parse(payload).messages);
}
function prepare(content, options) {
    if (typeof content === "string")
        return textJob(content, options);
    if (Array.isArray(content))
        return messageJob(content, options);
    throw new TypeError("content: must be a string or an array of messages");
}
function textJob(text, options) {
    return {
        operation: "text",
        options: snake(options),
        payload: HALF_PAIR.test(text) ? undefined : text,
        finish: function (answer, error) {
            var _a;
            check(error);
            return { text: (_a = answer === null || answer === void 0 ? void 0 : answer.payload) !== null && _a !== void 0 ? _a : text, saving: saving(answer === null || answer === void 0 ? void 0 : answer.about) };
        },
    };
}
function messageJob(messages, _a) {
    var model = _a.model, tools = _a.tools, rest = __rest(_a, ["model", "tools"]);
    return {
        operation: "messages",
        options: snake(rest),
        payload: tryQuestion(messages, model, tools),
        finish: function (answer, error) {
            var _a;
            check(error);
            if (answer === undefined)
                return { messages: __spreadArray([], messages, true), tools: tools, saving: saving(undefined) };
            var now = JSON.parse(answer.payload);
            return { messages: merge(messages, now.messages), tools: (_a = now.tools) !== null && _a !== void 0 ? _a : tools, saving: saving(answer.about) };
        },
    };
}
/** Throws what is the caller's fault; where there is no core, content stays as it is. */
function check(error) {
    if (error !== undefined && !(error instanceof core_js_1.Unavailable))
        throw error;
}
function tryQuestion(messages, model, tools) {
    if (model !== undefined && typeof model !== "string")
        throw new TypeError("model: must be a string");
    if (tools !== undefined && !Array.isArray(tools))
        throw new TypeError("tools: must be an array");
    if (messages.some(function (message) { return typeof message !== "object" || message === null; })) {
        throw new TypeError("messages: must be an array of objects");
    }
    try {
        return question(messages, model, tools);
    }
    catch (_a) {
        // A circle, or a BigInt.
        return undefined;
    }
}
function question(messages, model, tools) {
    return JSON.stringify({ messages: messages, model: model, tools: tools });
}
/** The caller's own objects, where no tool result changed. */
function merge(messages, now) {
    return messages.map(function (message, at) {
        var next = now[at];
        var role = message.role;
        if (role === "assistant" || role === "model" || role === "system" || role === "developer")
            return message;
        return JSON.stringify(next) === JSON.stringify(message) ? message : next;
    });
}
function saving(about) {
    var _a = about !== null && about !== void 0 ? about : {}, _b = _a.before, before = _b === void 0 ? 0 : _b, _c = _a.after, after = _c === void 0 ? 0 : _c, _d = _a.stages, stages = _d === void 0 ? [] : _d, _e = _a.omitted, omitted = _e === void 0 ? [] : _e;
    return {
        before: before,
        after: after,
        saved: before - after,
        stages: Object.fromEntries(stages.map(function (_a) {
            var stage = _a.stage, saved = _a.saved;
            return [stage, saved];
        })),
        omitted: omitted,
    };
}
/** Options as the core names them. */
function snake(options) {
    var renamed = Object.entries(options).map(function (_a) {
        var name = _a[0], value = _a[1];
        return [name.replace(/[A-Z]/g, function (letter) { return "_".concat(letter.toLowerCase()); }), value];
    });
    return Object.fromEntries(renamed);
}
var HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

"use strict";
/**
 * Compresses what a program sends to models over HTTP, for every SDK that takes a `fetch`.
 *
 * Tool results go out smaller. Where detail was left out, the request offers the model a tool to fetch it back; a call
 * of that tool is answered here, in further rounds, and the caller sees one response, whole or streamed, without it. A
 * request that is not for a model, or that cannot be read, goes out as it is.
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
var __await = (this && this.__await) || function (v) { return this instanceof __await ? (this.v = v, this) : new __await(v); }
var __asyncGenerator = (this && this.__asyncGenerator) || function (thisArg, _arguments, generator) {
    if (!Symbol.asyncIterator) throw new TypeError("Symbol.asyncIterator is not defined.");
    var g = generator.apply(thisArg, _arguments || []), i, q = [];
    return i = Object.create((typeof AsyncIterator === "function" ? AsyncIterator : Object).prototype), verb("next"), verb("throw"), verb("return", awaitReturn), i[Symbol.asyncIterator] = function () { return this; }, i;
    function awaitReturn(f) { return function (v) { return Promise.resolve(v).then(f, reject); }; }
    function verb(n, f) { if (g[n]) { i[n] = function (v) { return new Promise(function (a, b) { q.push([n, v, a, b]) > 1 || resume(n, v); }); }; if (f) i[n] = f(i[n]); } }
    function resume(n, v) { try { step(g[n](v)); } catch (e) { settle(q[0][3], e); } }
    function step(r) { r.value instanceof __await ? Promise.resolve(r.value.v).then(fulfill, reject) : settle(q[0][2], r); }
    function fulfill(value) { resume("next", value); }
    function reject(value) { resume("throw", value); }
    function settle(f, v) { if (f(v), q.shift(), q.length) resume(q[0][0], q[0][1]); }
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.wrapFetch = wrapFetch;
var compress_js_1 = require("./compress.js");
var core_js_1 = require("./core.js");
/** A `fetch` that compresses, around another one. */
function wrapFetch(inner, options) {
    var _this = this;
    if (options === void 0) { options = {}; }
    var send = inner !== null && inner !== void 0 ? inner : globalThis.fetch.bind(globalThis);
    var settings = __assign({ retrieve: true }, (0, compress_js_1.snake)(options));
    var wrapped = function (input, init) { return __awaiter(_this, void 0, void 0, function () {
        var body, _a, pathname, search, opened, again, response;
        var _b, _c;
        return __generator(this, function (_d) {
            switch (_d.label) {
                case 0:
                    body = readBody(init === null || init === void 0 ? void 0 : init.body);
                    if (body === undefined || ((_b = init === null || init === void 0 ? void 0 : init.method) !== null && _b !== void 0 ? _b : "GET").toUpperCase() !== "POST")
                        return [2 /*return*/, send(input, init)];
                    _a = new URL(input instanceof Request ? input.url : String(input)), pathname = _a.pathname, search = _a.search;
                    return [4 /*yield*/, openOr(body, __assign(__assign({}, settings), { path: pathname + search }))];
                case 1:
                    opened = _d.sent();
                    again = function (next) { return send(input, withBody(init, next)); };
                    return [4 /*yield*/, again(opened.body)];
                case 2:
                    response = _d.sent();
                    if (!opened.exchange || response.status !== 200 || response.body === null)
                        return [2 /*return*/, response];
                    return [4 /*yield*/, opened.exchange.begin((_c = response.headers.get("content-type")) !== null && _c !== void 0 ? _c : "")];
                case 3:
                    _d.sent();
                    return [2 /*return*/, watched(response, opened.exchange, again)];
            }
        });
    }); };
    return wrapped;
}
function openOr(body, options) {
    return __awaiter(this, void 0, void 0, function () {
        var error_1;
        return __generator(this, function (_a) {
            switch (_a.label) {
                case 0:
                    _a.trys.push([0, 2, , 3]);
                    return [4 /*yield*/, (0, core_js_1.open)(options, body)];
                case 1: return [2 /*return*/, _a.sent()];
                case 2:
                    error_1 = _a.sent();
                    if (error_1 instanceof core_js_1.Unavailable)
                        return [2 /*return*/, { body: body, exchange: undefined }];
                    throw error_1;
                case 3: return [2 /*return*/];
            }
        });
    });
}
function readBody(body) {
    if (typeof body === "string")
        return new TextEncoder().encode(body);
    return body instanceof Uint8Array ? body : undefined;
}
function withBody(init, body) {
    var headers = new Headers(init === null || init === void 0 ? void 0 : init.headers);
    // It is counted anew.
    headers.delete("content-length");
    return __assign(__assign({}, init), { headers: headers, body: body });
}
/** The response as the caller gets it. */
function watched(response, exchange, again) {
    var headers = new Headers(response.headers);
    for (var _i = 0, _a = ["content-length", "content-encoding"]; _i < _a.length; _i++) {
        var name_1 = _a[_i];
        headers.delete(name_1);
    }
    var chunks = rounds(response, exchange, again);
    var stream = new ReadableStream({
        pull: function (controller) {
            return __awaiter(this, void 0, void 0, function () {
                var _a, done, value;
                return __generator(this, function (_b) {
                    switch (_b.label) {
                        case 0: return [4 /*yield*/, chunks.next()];
                        case 1:
                            _a = _b.sent(), done = _a.done, value = _a.value;
                            if (done)
                                controller.close();
                            else
                                controller.enqueue(value);
                            return [2 /*return*/];
                    }
                });
            });
        },
        cancel: function () {
            return __awaiter(this, void 0, void 0, function () {
                return __generator(this, function (_a) {
                    switch (_a.label) {
                        case 0: return [4 /*yield*/, chunks.return(undefined)];
                        case 1:
                            _a.sent();
                            return [2 /*return*/];
                    }
                });
            });
        },
    });
    var status = response.status, statusText = response.statusText, url = response.url;
    return Object.defineProperty(new Response(stream, { status: status, statusText: statusText, headers: headers }), "url", { value: url });
}
function rounds(response, exchange, again) {
    return __asyncGenerator(this, arguments, function rounds_1() {
        var reader, read, out_1, _a, out, send, _b, _c, _d;
        var _e;
        return __generator(this, function (_f) {
            switch (_f.label) {
                case 0:
                    reader = (_e = response.body) === null || _e === void 0 ? void 0 : _e.getReader();
                    _f.label = 1;
                case 1:
                    _f.trys.push([1, , 10, 12]);
                    return [4 /*yield*/, __await((reader === null || reader === void 0 ? void 0 : reader.read()))];
                case 2:
                    read = _f.sent();
                    _f.label = 3;
                case 3:
                    if (!(read && !read.done)) return [3 /*break*/, 9];
                    return [4 /*yield*/, __await(exchange.see(read.value))];
                case 4:
                    out_1 = _f.sent();
                    if (!(out_1.length > 0)) return [3 /*break*/, 7];
                    return [4 /*yield*/, __await(out_1)];
                case 5: return [4 /*yield*/, _f.sent()];
                case 6:
                    _f.sent();
                    _f.label = 7;
                case 7: return [4 /*yield*/, __await((reader === null || reader === void 0 ? void 0 : reader.read()))];
                case 8:
                    read = _f.sent();
                    return [3 /*break*/, 3];
                case 9: return [3 /*break*/, 12];
                case 10: return [4 /*yield*/, __await((reader === null || reader === void 0 ? void 0 : reader.cancel()))];
                case 11:
                    _f.sent();
                    return [7 /*endfinally*/];
                case 12: return [4 /*yield*/, __await(exchange.end())];
                case 13:
                    _a = _f.sent(), out = _a.out, send = _a.send;
                    if (!(out.length > 0)) return [3 /*break*/, 16];
                    return [4 /*yield*/, __await(out)];
                case 14: return [4 /*yield*/, _f.sent()];
                case 15:
                    _f.sent();
                    _f.label = 16;
                case 16:
                    if (!!send) return [3 /*break*/, 18];
                    return [4 /*yield*/, __await(undefined)];
                case 17: return [2 /*return*/, _f.sent()];
                case 18: return [4 /*yield*/, __await(again(send))];
                case 19:
                    response = _f.sent();
                    if (!(response.status !== 200)) return [3 /*break*/, 25];
                    _c = (_b = exchange).fail;
                    _d = [response.status];
                    return [4 /*yield*/, __await(response.text())];
                case 20: return [4 /*yield*/, __await.apply(void 0, [_c.apply(_b, _d.concat([_f.sent()]))])];
                case 21: return [4 /*yield*/, __await.apply(void 0, [_f.sent()])];
                case 22: return [4 /*yield*/, _f.sent()];
                case 23:
                    _f.sent();
                    return [4 /*yield*/, __await(undefined)];
                case 24: return [2 /*return*/, _f.sent()];
                case 25: return [3 /*break*/, 0];
                case 26: return [2 /*return*/];
            }
        });
    });
}

"use strict";
/*
 * The way of a script's process into the network: a tunnel through the agent's proxy, which resolves and judges (docs/adr/0024-script-egress.md).
 * Below `net`, `tls`, `http`, `fetch` and every package, so that scripts have ordinary sockets. On a kernel with the wall nothing depends on
 * what stands here but that it works; on others it is the wall, so what it needs is kept and what it replaces is locked.
 */
const net = require("node:net");
const { constants } = require("node:os");
const { getSystemErrorName } = require("node:util");
const { replaceLookUps } = require("./look-ups.cjs");

/** Kept, because scripts may replace what the globals hold. */
const { assign, defineProperty, getOwnPropertySymbols, getPrototypeOf } = Object;
const { apply } = Reflect;
const { parse } = JSON;
const { alloc, concat } = Buffer;
const { isArray } = Array;
const { getDefaultAutoSelectFamilyAttemptTimeout, isIP } = net;
const { clearTimeout: clearTimer, setTimeout: setTimer } = globalThis;
const { Socket, _normalizeArgs: normalized } = net;
const { connect: connectSocket, destroy } = Socket.prototype;
const proxyHost = "127.0.0.1";
/** What the proxy's answer to CONNECT has where there is a tunnel, to the byte: what follows is the target's. */
const headBytes = 128;
const tunnelStart = "HTTP/1.1 200 Connection established";
const answerStart = "HTTP/1.1 200 ";
const mostAnswerBytes = 1024 * 1024;
const notPermitted = -constants.errno.EACCES;
const probe = handleOfTcp();
const ofTcp = getPrototypeOf(probe);
/** By which a handle knows its socket. */
const ownerSymbol = getOwnPropertySymbols(probe).find((one) => one.description === "owner_symbol");
const { connect: connectHandle, getpeername, open } = ofTcp;

/** By socket: what a script wants to reach, by its name. By handle: whom it reached. */
const targets = mapOf(new WeakMap());
const peers = mapOf(new WeakMap());
/** Handles whose connection another one took over: closing them would end it. */
const spent = [];
let proxy = null;

module.exports = { holdEgress, reachBy, openWay };

/** Replaces how connections are made; `reachBy` tells by which proxy. Until then there is no way out. */
function holdEgress() {
  if (ownerSymbol === undefined) throw new Error("the ways into the network cannot be held");
  Socket.prototype.connect = connect;
  lock(ofTcp, "connect", connectTo);
  lock(ofTcp, "connect6", connectTo);
  lock(ofTcp, "getpeername", peerOf);
  for (const name of ["bind", "bind6", "listen"]) lock(ofTcp, name, () => notPermitted);
  holdUdp();
  replaceLookUps(ask);
}

function reachBy({ port, authorization }) {
  proxy = { port: Number(port), authorization: `${authorization}` };
}

/** A connection to the proxy itself for who has something to ask there: its descriptor and the head of the answer, or what is wrong. */
function openWay(lines, done) {
  if (proxy === null) return void setImmediate(() => done({ code: "EACCES", message: "nothing may be asked yet" }));
  const tunnel = new Tunnel();
  tunnel.open(lines, (problem, head) => (problem === null ? done(null, tunnel.handOver(), head) : done(problem)));
}

/** `Socket.connect` without a look-up: the proxy is told the name. A look-up of a script's own stays, and each address that it finds is tried. */
function connect(...args) {
  const [options, callback] = isArray(args[0]) ? args[0] : normalized(args);
  targets.delete(this); // of a connection that it never came to
  if (options.path || typeof options.lookup === "function") {
    const lookup = options.autoSelectFamily === false || options.path ? options.lookup : lookUpAll(this, options);
    return apply(connectSocket, this, [assign({}, options, { autoSelectFamily: false, lookup }), ...(callback ? [callback] : [])]);
  }
  const host = `${options.host || "localhost"}`;
  targets.set(this, { host, port: Number(options.port) });
  const near = assign({}, options, { host: proxyHost, autoSelectFamily: false, family: undefined });
  return apply(connectSocket, this, callback ? [near, callback] : [near]);
}

/** As Node.js asks where it chooses a family itself: its socket then wants one address, and the others are kept for `connectTo`. */
function lookUpAll(socket, { lookup, port, autoSelectFamilyAttemptTimeout: attemptMs = getDefaultAutoSelectFamilyAttemptTimeout?.() }) {
  return (name, wanted, done) =>
    lookup(name, assign({}, wanted, { all: true }), (error, found, family) => {
      const [first] = isArray(found) && !error ? found : [];
      if (first === undefined) return done(error, found, family);
      const hosts = [];
      for (let at = 0; at < found.length; at += 1) hosts[at] = `${found[at].address}`;
      targets.set(socket, { hosts, port: Number(port), attemptMs: Number(attemptMs) });
      return done(null, first.address, first.family);
    });
}

/** Of a handle. `address` and `port` count where no name is known. */
function connectTo(request, address, port) {
  const text = `${address}`;
  const socket = this[ownerSymbol];
  if (proxy !== null && socket instanceof Tunnel && text === proxyHost && port === proxy.port) {
    return apply(connectHandle, this, [request, proxyHost, proxy.port]);
  }
  if (proxy === null || socket === undefined || socket === null) return notPermitted;
  const target = targets.get(socket) || { host: text, port: Number(port) };
  targets.delete(socket);
  tunnelTo(this, request, target, 0);
  return 0;
}

/** @param at which of several hosts; the next one is tried when it refuses, or has not answered in its time */
function tunnelTo(handle, request, target, at) {
  const socket = handle[ownerSymbol];
  const { hosts = [target.host], port: wanted, attemptMs } = target;
  const host = hosts[at];
  const isLast = at + 1 >= hosts.length;
  const tunnel = new Tunnel();
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${wanted}`;
  const late = isLast || !(attemptMs > 0) ? null : setTimer(() => tunnel.done({ code: "ETIMEDOUT", message: "" }), attemptMs);
  tunnel.open(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n`, (problem, head) => {
    if (late !== null) clearTimer(late);
    if (socket.destroyed) return tunnel.end();
    if (problem !== null) {
      tunnel.end();
      if (!isLast) return tunnelTo(handle, request, target, at + 1);
      socket.connecting = false;
      return apply(destroy, socket, [connectError(problem, host, wanted)]);
    }
    const status = apply(open, handle, [tunnel.handOver()]);
    const peer = peerIn(head) || { address: host, port: wanted };
    peers.set(handle, peer);
    request.address = peer.address;
    request.port = peer.port;
    if (isIP(host) === 0) socket.emit("lookup", null, peer.address, isIP(peer.address), host);
    request.oncomplete(status, handle, request, true, true);
  });
}

function peerOf(out) {
  const peer = peers.get(this);
  if (peer === undefined) return apply(getpeername, this, [out]);
  out.address = peer.address;
  out.family = isIP(peer.address) === 6 ? "IPv6" : "IPv4";
  out.port = peer.port;
  return 0;
}

/** One connection to the proxy, which speaks before whoever asked for it does. */
class Tunnel extends Socket {
  #chunks = [];
  #wanted = headBytes;
  #isOpen = false;

  constructor() {
    const read = { buffer: () => alloc(this.left()), callback: (length, bytes) => this.take(length, bytes) };
    super({ onread: read });
  }

  /** Bytes that may be read now. */
  left() {
    return this.#wanted;
  }

  /** Sends a request; `done(problem, answer)` once the head of a tunnel is there, or all of another answer. */
  open(lines, done) {
    this.done = (problem, bytes) => {
      this.done = () => {};
      done(problem, bytes);
    };
    this.once("error", (error) => this.done({ code: error.code, message: error.message }));
    this.once("close", () => this.finish());
    this.once("end", () => this.finish());
    apply(connectSocket, this, [{ host: proxyHost, port: proxy.port, autoSelectFamily: false, noDelay: true }]);
    this.write(`${lines}Proxy-Authorization: ${proxy.authorization}\r\n\r\n`, "latin1");
  }

  take(length, bytes) {
    this.#chunks.push(Buffer.from(bytes.subarray(0, length)));
    const all = concat(this.#chunks);
    if (all.length < headBytes) {
      this.#wanted = headBytes - all.length;
      return true;
    }
    if (all.subarray(0, tunnelStart.length).toString("latin1") === tunnelStart) {
      this.#isOpen = true;
      setImmediate(() => this.done(null, all.toString("latin1")));
      return false;
    }
    this.#wanted = 16 * 1024;
    if (all.length > mostAnswerBytes) this.destroy();
    return true;
  }

  /** The answer is complete, and no tunnel. */
  finish() {
    if (this.#isOpen) return;
    const [head, body = ""] = concat(this.#chunks).toString("utf8").split("\r\n\r\n");
    try {
      const answer = parse(body);
      if (head.slice(0, answerStart.length) === answerStart) this.done(null, answer);
      else this.done(answer);
    } catch {
      this.done({ code: "ECONNRESET", message: "the agent ended the connection" });
    }
  }

  /** The descriptor, which is somebody else's from now on. */
  handOver() {
    const handle = this._handle;
    spent.push(handle);
    this._handle = null;
    return handle.fd;
  }

  end() {
    apply(destroy, this, []);
  }
}

/** A question that the agent answers as JSON. */
function ask(path, done) {
  if (proxy === null) return void setImmediate(() => done({ code: "EACCES", message: "nothing may be asked yet" }));
  new Tunnel().open(`GET ${path} HTTP/1.1\r\nHost: ${proxyHost}\r\nConnection: close\r\n`, done);
}

function peerIn(head) {
  const [, six, name, port] = /x-outpost-peer: (?:\[([^\]]+)\]|([^:\s]+)):(\d+)/.exec(head) || [];
  const address = six || name;
  return address === undefined ? null : { address, port: Number(port) };
}

/** As Node.js tells it; what only the agent knows in the agent's words. */
function connectError({ code, message }, host, port) {
  const errno = constants.errno[code];
  const isLookUp = code === "ENOTFOUND";
  const isSystems = errno !== undefined && getSystemErrorName(-errno) === code;
  const text = isLookUp ? `getaddrinfo ENOTFOUND ${host}` : isSystems ? `connect ${code} ${host}:${port}` : `${code}: ${message}`;
  const about = isLookUp ? { syscall: "getaddrinfo", hostname: host } : { syscall: "connect", address: host, port };
  return assign(new Error(text), { code, ...(isSystems ? { errno: -errno } : {}), ...about });
}

/** A socket has one as soon as it is to connect, which this one never comes to. */
function handleOfTcp() {
  const socket = new Socket().on("error", () => {});
  socket.connect({ host: proxyHost, port: 1 });
  const handle = socket._handle;
  socket.destroy();
  return handle;
}

function holdUdp() {
  const socket = require("node:dgram").createSocket("udp4");
  const symbol = getOwnPropertySymbols(socket).find((one) => socket[one] !== null && typeof socket[one] === "object" && socket[one].handle);
  const ofUdp = symbol === undefined ? null : getPrototypeOf(socket[symbol].handle);
  socket.close();
  if (ofUdp === null) throw new Error("UDP cannot be held");
  for (const name of ["bind", "bind6", "connect", "connect6", "send", "send6", "open"]) {
    if (typeof ofUdp[name] === "function") lock(ofUdp, name, () => notPermitted);
  }
}

function lock(object, name, value) {
  defineProperty(object, name, { value, writable: false, configurable: false });
}

/** A map whose methods are its own. */
function mapOf(map) {
  const { get, set, delete: remove } = map;
  return {
    get: (key) => apply(get, map, [key]),
    set: (key, value) => apply(set, map, [key, value]),
    delete: (key) => apply(remove, map, [key]),
  };
}

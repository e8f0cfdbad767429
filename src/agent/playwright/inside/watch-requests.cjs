"use strict";
const channels = require("node:diagnostics_channel");
const { errorMonitor } = require("node:events");
const record = require("./record.cjs");

/** As Playwright's monotonic clock. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** By request: what is done once its answer begins. */
const watched = new WeakMap();

/** Requests over HTTP that the script sends itself: its `request` fixture, and any package. Older versions tell of them when they are sent. */
module.exports = function watchRequests() {
  for (const name of ["http.client.request.created", "http.client.request.start"]) {
    channels.subscribe(name, ({ request }) => {
      if (watched.has(request)) return;
      watched.set(request, watch(request));
    });
  }
  channels.subscribe("http.client.response.finish", ({ request, response }) => watched.get(request)?.(response));
};

/** Without a listener that would change what becomes of an error or an answer that the script does not look at. */
function watch(request) {
  const [startedAt, start] = [Date.now(), now()];
  const seen = { dns: null, connect: null, tls: null, firstByte: null, download: null };
  let ready = start;
  let isTold = false;
  const address = () => `${request.protocol}//${request.getHeader("host") ?? request.host}${request.path}`.slice(0, 4096);
  const tell = (more) => {
    if (isTold) return;
    isTold = true;
    const about = { method: request.method, url: address(), startedAt, durationMs: now() - start, timings: seen, type: "api" };
    record("request", { ...about, status: null, bytes: null, error: null, ...more });
  };
  const onSocket = (socket) => {
    if (request.reusedSocket) return;
    // Playwright connects before it hands over the socket, and notes when.
    const noted = (name) => {
      const symbol = Object.getOwnPropertySymbols(socket).find((one) => one.description === name);
      return symbol === undefined ? undefined : socket[symbol];
    };
    const [lookedUp, connected] = [noted("kDNSLookupAt"), noted("kTCPConnectionAt")];
    if (lookedUp !== undefined) seen.dns = Math.max(0, lookedUp - start);
    if (connected !== undefined) seen.connect = Math.max(0, connected - (lookedUp ?? start));
    ready = connected ?? now();
    socket.once("lookup", () => (seen.dns = (ready = now()) - start));
    socket.once("connect", () => ((seen.connect = now() - ready), (ready = now())));
    socket.once("secureConnect", () => ((seen.tls = now() - ready), (ready = now())));
  };
  if (request.socket) onSocket(request.socket);
  else request.once("socket", onSocket);
  request.once("finish", () => (ready = Math.max(ready, now())));
  request.once(errorMonitor, (error) => tell({ error: `${error.code ?? ""} ${error.message}`.trim().slice(0, 1000) }));
  request.once("close", () => tell({ error: "it was given up" }));
  return (response) => {
    const first = now();
    seen.firstByte = Math.max(0, first - ready);
    let bytes = 0;
    const push = response.push;
    response.push = function (chunk, ...rest) {
      bytes += chunk?.length ?? 0;
      return push.call(this, chunk, ...rest);
    };
    const done = (error) => {
      seen.download = now() - first;
      tell({ status: response.statusCode, bytes, error });
    };
    response.once("end", () => done(null)).once("close", () => done(response.complete ? null : "the answer was cut off"));
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { limitConnections } from "../http/budgets/connections.ts";
import { createLastAnswers, freshWithinMs } from "./last-answers.ts";
import type { FromProbes, ProbeQuestion, ToProbes } from "./probe-messages.ts";

/* Answers probes and /metrics away from the main loop. Imports only relative files, so that it starts without the `source` condition. */

/** A probe sends a few hundred bytes at once; whoever takes longer only holds a connection. */
const requestLimitMs = 3_000;
/** So that a probe that comes while the main loop is busy finds an answer that is not old. */
const refreshMs = 5_000;

const { probes, paths } = workerData as { readonly probes: readonly string[]; readonly paths: readonly string[] };
const say = (message: FromProbes): void => parentPort?.postMessage(message);
const answers = createLastAnswers(
  (id, question) => say({ kind: "ask", id, question }),
  () => performance.now(),
  pause,
);

function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms).unref();
  return promise;
}

/** Metrics have another form for who asks for it. */
const openMetrics = "application/openmetrics-text";

const askedByNobody = (path: string): ProbeQuestion => ({ path, authorization: "", remoteAddress: "" });

const server = createServer(
  { headersTimeout: requestLimitMs, requestTimeout: requestLimitMs, connectionsCheckingInterval: 1_000, keepAliveTimeout: 1_000 },
  (request, response) => void answer(request, response),
);
/** Whoever holds connections open leaves room for the probes of others. */
limitConnections(server, { total: 512, address: 64 }, (limit, connections) => say({ kind: "full", limit, connections }));
const refresh = setInterval(() => probes.forEach((path) => void answers.get(askedByNobody(path))), refreshMs);

async function answer({ url = "", method, headers, socket }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ""] = url.split("?");
  if (method !== "GET" && method !== "HEAD") return send(response, 405, "Only GET");
  if (!paths.includes(path)) return send(response, 404, `There is no ${path} at PROBE_PORT; it has ${paths.join(", ")}`);
  const { authorization = "", accept = "" } = headers;
  const wantsOther = accept.includes(openMetrics) && { accept: openMetrics };
  const found = await answers.get({ path, authorization, remoteAddress: socket.remoteAddress ?? "", ...wantsOther });
  if (found === undefined)
    return send(response, 503, "The control plane is too busy to answer, and nothing that it said before is new enough");
  const age = found.ageMs < freshWithinMs ? {} : { age: String(Math.ceil(found.ageMs / 1_000)) };
  response.writeHead(found.answer.status, { ...found.answer.headers, ...age }).end(found.answer.body);
}

function send(response: ServerResponse, status: number, message: string): void {
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  response.writeHead(status, headers).end(JSON.stringify({ message }));
}

server.on("error", (error: NodeJS.ErrnoException) => say({ kind: "not-listening", code: error.code ?? "unknown error" }));
parentPort?.on("message", (message: ToProbes) => {
  if (message.kind === "answer") return answers.answered(message.id, message.answer);
  if (message.kind === "close") {
    clearInterval(refresh);
    server.close();
    server.closeAllConnections();
    return parentPort?.close();
  }
  // The first answers are there before somebody asks.
  for (const path of paths) void answers.get(askedByNobody(path));
  return server.listen({ host: message.host, port: message.port }, () =>
    say({ kind: "listening", port: (server.address() as AddressInfo).port }),
  );
});

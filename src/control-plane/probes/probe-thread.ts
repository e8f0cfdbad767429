import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ConfigError } from "#daemon/env.ts";
import { listenAnywhere, listenProblem } from "#daemon/listen-anywhere.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import { errorAnswer } from "../http/errors.ts";
import type { PageRoute } from "../http/page-routes.ts";
import type { FromProbes, ProbeAnswer, ProbeQuestion, ToProbes } from "./probe-messages.ts";

export interface ProbeThreadDeps {
  readonly host: string;
  /** `PROBE_PORT`. */
  readonly probePort: number;
  /** Asked every few seconds. */
  readonly probes: readonly PageRoute[];
  readonly metrics: PageRoute;
  readonly log: Logger;
}

type Full = Extract<FromProbes, { readonly kind: "full" }>;
type Answer = (question: ProbeQuestion) => Promise<ProbeAnswer>;

/**
 * Probes and `/metrics` on a port of their own, from a thread of its own: it asks the main loop, and while that is busy it says what the
 * main loop said last. Once that was silent for a minute it answers 503, so that a control plane which is stuck is restarted.
 */
export function createProbeThread({ host, probePort: port, probes, metrics, log }: ProbeThreadDeps): Service {
  const pages = new Map([...probes, metrics].map((page) => [page.path as string, page]));
  const answer = answerOf(pages, log);
  let worker: Worker | undefined;
  return {
    name: "probes",
    async start() {
      const one = startWorker({ probes: probes.map(({ path }) => path), paths: [...pages.keys()] });
      worker = one.on("error", (err) => log.error({ err }, "the thread of the probes failed: PROBE_PORT answers no more"));
      let bound = port;
      const onFull = ({ limit, connections }: Full): void =>
        log.warn({ limit, connections }, "too many connections to PROBE_PORT; closed some");
      const listenOn = async (address: string): Promise<void> => {
        bound = await listen(one, { host: address, port }, answer, onFull);
      };
      const onIPv4 = (code: string): void => log.warn({ code }, "no IPv6 here: the probes listen on 0.0.0.0 instead of HOST ::");
      await listenAnywhere(host, listenOn, onIPv4).catch((cause: NodeJS.ErrnoException) => {
        throw new ConfigError(listenProblem({ portName: "PROBE_PORT", hostName: "HOST", port, host }, cause.code ?? ""), { cause });
      });
      log.info({ port: bound }, "probes and metrics answer on PROBE_PORT");
    },
    async stop() {
      if (worker === undefined) return;
      const exited = once(worker, "exit");
      tell(worker, { kind: "close" });
      worker = undefined;
      await exited;
    },
  };
}

function startWorker(workerData: { readonly probes: readonly string[]; readonly paths: readonly string[] }): Worker {
  // The compiler rewrites import specifiers but not URLs, so the extension follows this file's own.
  const file = import.meta.url.endsWith(".ts") ? "./probe-worker.ts" : "./probe-worker.js";
  return new Worker(new URL(file, import.meta.url), { workerData, name: "probes", resourceLimits: { maxOldGenerationSizeMb: 64 } });
}

function tell(worker: Worker, message: ToProbes): void {
  worker.postMessage(message);
}

/**
 * Answers what the thread asks from now on.
 *
 * @returns the port
 */
async function listen(
  worker: Worker,
  at: { readonly host: string; readonly port: number },
  answer: Answer,
  onFull: (full: Full) => void,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const hear = async (message: FromProbes): Promise<void> => {
    if (message.kind === "listening") return resolve(message.port);
    if (message.kind === "not-listening") return reject(Object.assign(new Error(message.code), { code: message.code }));
    if (message.kind === "full") return onFull(message);
    return tell(worker, { kind: "answer", id: message.id, answer: await answer(message.question) });
  };
  worker.removeAllListeners("message").on("message", (message: FromProbes) => void hear(message));
  tell(worker, { kind: "listen", ...at });
  return promise;
}

const baseHeaders = { "x-content-type-options": "nosniff", "cache-control": "no-store" };
const emptyRequest = { params: {}, query: new URLSearchParams(), host: "", cookies: new Map<string, string>(), accept: "", encodings: "" };

function answerOf(pages: ReadonlyMap<string, PageRoute>, log: Logger): Answer {
  return async (question) => {
    try {
      const page = pages.get(question.path);
      if (page === undefined) throw new Error(`the probes asked for ${question.path}`);
      const { status = 200, type, body, headers } = await page.answer({ ...emptyRequest, ...question });
      return { status, headers: { ...baseHeaders, ...headers, "content-type": type }, body: body.toString() };
    } catch (error) {
      const { status, headers, body } = errorAnswer(error);
      if (status >= 500) log.error({ path: question.path, err: error }, "a probe failed");
      return {
        status,
        headers: { ...baseHeaders, ...headers, "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify(body),
      };
    }
  };
}

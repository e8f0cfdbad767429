import { type ErrorEvent, reportErrorEvents } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import { version } from "#daemon/version.ts";
import type { AgentClock } from "../host/clock.ts";
import type { ControlPlane } from "./retrying-client.ts";

const perHour = 20;
const hourMs = 3_600_000;
const queueLimit = 50;
const tryLimitMs = 10_000;
const againAfterMs = 60_000;

const never = new AbortController().signal;

export interface ErrorEventsDeps {
  readonly controlPlane: ControlPlane;
  readonly clock: AgentClock;
  readonly log: Logger;
  /** Masks every secret that the agent knows now. */
  readonly scrub: (text: string) => string;
  /** How long events wait that the control plane did not take, ms. */
  readonly againMs?: number;
}

/**
 * Reports about the agent itself (spec 6): message, stack, versions and platform; never a key, a variable, a check,
 * a URL, a header or a body. At most 20 an hour, each error once in that time;
 * sent at once, and what comes meanwhile together.
 */
export interface ErrorEvents {
  report(error: unknown): void;
  /** Sends what waits, within `signal`. */
  flush(signal: AbortSignal): Promise<void>;
}

/** EXTERNAL_OBSERVABILITY=off: there is nothing that could send. */
export const silentErrorEvents: ErrorEvents = { report: () => undefined, flush: async () => undefined };

export function createErrorEvents(deps: ErrorEventsDeps): ErrorEvents {
  const queue: ErrorEvent[] = [];
  let recent: { readonly atMs: number; readonly key: string }[] = [];
  let sending: Promise<void> | null = null;
  let again: NodeJS.Timeout | undefined;

  /** What is not taken waits: the agent may be in trouble just because the control plane is away. */
  async function send(signal: AbortSignal): Promise<void> {
    while (queue.length > 0) {
      const events = queue.slice(0, queueLimit);
      await deps.controlPlane.call(reportErrorEvents, { events }, { signal, limitMs: tryLimitMs, answers: [400, 413, 422] });
      queue.splice(0, events.length);
    }
  }

  function sendOnce(signal: AbortSignal): Promise<void> {
    clearTimeout(again);
    sending ??= send(signal)
      .catch(() => {
        deps.log.debug({ count: queue.length }, "the control plane does not accept error events");
        again = setTimeout(() => void sendOnce(never), deps.againMs ?? againAfterMs).unref();
      })
      .finally(() => {
        sending = null;
      });
    return sending;
  }

  return {
    report(error) {
      const event = eventOf(error, deps.scrub);
      const nowMs = deps.clock.monotonicMs();
      const key = `${event.message}\n${event.stack.split("\n")[1] ?? ""}`;
      recent = recent.filter(({ atMs }) => nowMs - atMs < hourMs);
      if (recent.length >= perHour || recent.some((one) => one.key === key) || queue.length >= queueLimit) return;
      recent.push({ atMs: nowMs, key });
      queue.push(event);
      void sendOnce(never);
    },
    async flush(signal) {
      if (queue.length === 0) return;
      await Promise.race([sendOnce(signal), aborted(signal)]);
    },
  };
}

/** One event as it would be sent. */
export function eventOf(error: unknown, scrub: (text: string) => string): ErrorEvent {
  const stack = error instanceof Error && typeof error.stack === "string" ? error.stack : "";
  return {
    message: withoutContent(withoutUrls(scrub(messageOf(error)))).slice(0, 2_000),
    stack: framesOf(withoutUrls(scrub(stack))).slice(0, 20_000),
    agentVersion: version,
    platform: `${process.platform} ${process.arch}`,
    runtimeVersion: `node ${process.versions.node}`,
  };
}

/** Errors of system calls name hosts and files in their message; call and code say the same without. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === "string" ? error : `a value of type ${typeof error} was thrown`;
  const { syscall, code } = error as NodeJS.ErrnoException;
  return `${error.name}: ${typeof syscall === "string" && typeof code === "string" ? `${syscall} ${code}` : error.message}`;
}

/** URLs tell what is checked, and the paths of our own files how the agent is installed. */
function withoutUrls(text: string): string {
  return text
    .replace(/(?:file:\/\/)?\/\S*?\/((?:src|dist|node_modules|chunks)\/)/g, "$1")
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, "[url]");
}

/** Hosts and addresses that errors name, and quoted text, which may be a part of a body; names of fields may stay. */
function withoutContent(message: string): string {
  return message
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?|\[?(?:[0-9a-f]{0,4}:){3,}[0-9a-f:.]*\]?/gi, "[address]")
    .replace(/\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b/gi, "[host]")
    .replace(/(["`]).*\1/gs, "[text]")
    .replace(/'(?![A-Za-z_$][\w$]{0,39}')[^']+'/g, "[text]");
}

/** The first line repeats the message, and a message may run over several lines; frames do not. */
function framesOf(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .join("\n");
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

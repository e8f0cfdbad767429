import { type ErrorEvent, reportErrorEvents } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import { version } from "#daemon/version.ts";
import type { AgentClock } from "./clock.ts";
import type { ControlPlane } from "./retrying-client.ts";

const perHour = 20;
const hourMs = 3_600_000;
const queueLimit = 50;
const tryLimitMs = 10_000;

export interface ErrorEventsDeps {
  readonly controlPlane: ControlPlane;
  readonly clock: AgentClock;
  readonly log: Logger;
  /** Masks the agent's own secrets. */
  readonly scrub: (text: string) => string;
}

/**
 * Reports about the agent itself (spec 6): message, stack, versions and platform; never a key, a variable, a check,
 * a URL, a header or a body. At most 20 an hour, each error once in that time.
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

  async function send(signal: AbortSignal): Promise<void> {
    while (queue.length > 0) {
      const events = queue.slice(0, queueLimit);
      await deps.controlPlane.call(reportErrorEvents, { events }, { signal, limitMs: tryLimitMs, answers: [400, 413, 422] }).catch(() => {
        signal.throwIfAborted();
        deps.log.debug({ count: events.length }, "control plane does not take error events");
      });
      queue.splice(0, events.length);
    }
  }

  function sendOnce(signal: AbortSignal): Promise<void> {
    sending ??= send(signal)
      .catch(() => undefined)
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
      void sendOnce(new AbortController().signal);
    },
    async flush(signal) {
      if (queue.length === 0) return;
      await Promise.race([sendOnce(signal), aborted(signal)]);
    },
  };
}

function eventOf(error: unknown, scrub: (text: string) => string): ErrorEvent {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return {
    message: withoutContent(withoutUrls(scrub(message))).slice(0, 2_000),
    stack: framesOf(withoutUrls(scrub(stack))).slice(0, 20_000),
    agentVersion: version,
    platform: `${process.platform} ${process.arch}`,
    runtimeVersion: `node ${process.versions.node}`,
  };
}

/** URLs tell what is checked, and the paths of our own files how the agent is installed. */
function withoutUrls(text: string): string {
  return text
    .replace(/(?:file:\/\/)?\/\S*?\/((?:src|dist|node_modules)\/)/g, "$1")
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, "[url]");
}

/** Hosts and addresses that network errors name, and quoted text, which may be a part of a body. */
function withoutContent(message: string): string {
  return message
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?|\[?(?:[0-9a-f]{0,4}:){3,}[0-9a-f:.]*\]?/gi, "[address]")
    .replace(/\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b/g, "[host]")
    .replace(/(["'`])(?:(?!\1).){16,}\1/gs, "[text]");
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

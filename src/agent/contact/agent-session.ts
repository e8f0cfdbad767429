import { AgentSession, type AgentSessionRequest, openAgentSession } from "#contract/agent-protocol.ts";
import type { Secret } from "#daemon/secret.ts";
import { sleep } from "#daemon/sleep.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";
import { backoffMs, retryAfterMs } from "#domain/backoff.ts";
import type { AgentClock } from "../host/clock.ts";
import type { Contact } from "./contact.ts";
import type { ClientReply, ControlPlaneClient } from "./control-plane-client.ts";
import { meaningOf, type ReplyMeaning } from "./reply-meaning.ts";

/** How long the agent waits before it tries again. The default is the protocol's; tests shorten it. */
export interface RetryTiming {
  /** @param failures in a row, at least 1 @param random in [0, 1) */
  readonly backoffMs: (failures: number, random: number) => number;
  /** After a refused key. */
  readonly refusedMs: number;
  /** Up to this long after the first failed try, so that agents which lost their control plane together do not return together. */
  readonly startJitterMs: number;
}

export const retryTiming: RetryTiming = { backoffMs, refusedMs: 60_000, startJitterMs: 5_000 };

const openLimitMs = 15_000;
/** Part of a session's life after which a new one is opened. */
const renewAfter = 0.8;

export interface SessionDeps {
  readonly client: ControlPlaneClient;
  readonly readKey: () => Secret;
  readonly introduction: () => AgentSessionRequest;
  readonly contact: Contact;
  readonly clock: AgentClock;
  readonly random: () => number;
  readonly timing: RetryTiming;
  /** Told once about each kind of reply that was not the control plane's. */
  readonly onUndecodable: (operation: string, meaning: { readonly reason: string; readonly start: string }) => void;
}

/** Keeps a session with the control plane open. The long-lived key is sent here and nowhere else. */
export interface SessionKeeper {
  /** The open session; opens one first where there is none, however long that takes. */
  current(signal: AbortSignal): Promise<AgentSession>;
  /** The session last opened, valid or not; null before the first. */
  last(): AgentSession | null;
  /** Says that `token` was refused: the next `current` opens a new session. */
  invalidate(token: string): void;
  stop(): void;
}

/** What a failed try to open a session is followed by. */
type Outcome = { readonly session: AgentSession } | { readonly waitMs: number };

export function createSessionKeeper(deps: SessionDeps): SessionKeeper {
  const stopping = new AbortController();
  let session: AgentSession | null = null;
  let isValid = false;
  let openedAtMs = 0;
  let opening: Promise<AgentSession> | null = null;

  async function open(): Promise<AgentSession> {
    for (let failures = 1; ; failures += 1) {
      stopping.signal.throwIfAborted();
      const sentAtMs = deps.clock.monotonicMs();
      const outcome = await tryToOpen(deps, failures, stopping.signal);
      if ("session" in outcome) {
        [session, isValid, openedAtMs] = [outcome.session, true, sentAtMs];
        return outcome.session;
      }
      await sleep(outcome.waitMs, stopping.signal);
    }
  }

  function openOnce(): Promise<AgentSession> {
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  }

  return {
    async current(signal) {
      const age = session === null ? 1 : (deps.clock.monotonicMs() - openedAtMs) / (session.sessionSeconds * 1000);
      if (session === null || !isValid || age >= 1) return untilAborted(signal, openOnce());
      if (age >= renewAfter) openOnce().catch(() => undefined); // only stop() ends it early, and nobody waits for it then
      return session;
    },
    last: () => session,
    invalidate(token) {
      if (session?.sessionToken === token) isValid = false;
    },
    stop: () => stopping.abort(new AppError("cancelled", "the agent stops")),
  };
}

async function tryToOpen(deps: SessionDeps, failures: number, signal: AbortSignal): Promise<Outcome> {
  try {
    return await followUp(deps, failures, await sendIntroduction(deps, deps.readKey(), signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    deps.contact.failed("openAgentSession", error.message);
    return { waitMs: backoff(deps, failures) };
  }
}

async function sendIntroduction(deps: SessionDeps, key: Secret, signal: AbortSignal): Promise<ClientReply> {
  return deps.client.send(
    {
      method: "POST",
      path: openAgentSession.path,
      headers: { "content-type": "application/json", authorization: `Bearer ${key.reveal()}` },
      body: JSON.stringify(deps.introduction()),
      limitMs: openLimitMs,
    },
    signal,
  );
}

async function followUp(deps: SessionDeps, failures: number, reply: ClientReply, signal: AbortSignal): Promise<Outcome> {
  const meaning: ReplyMeaning<AgentSession> = meaningOf(reply, (body) => AgentSession.parse(body));
  switch (meaning.is) {
    case "answer":
      deps.contact.succeeded();
      return { session: meaning.value };
    case "unauthorized":
      deps.contact.refused(meaning.status, meaning.message);
      return { waitMs: deps.timing.refusedMs };
    case "incompatible":
      deps.contact.incompatible(meaning.message);
      return untilAborted(signal, new Promise<never>(() => undefined)); // the agent drains now; nothing is to be tried again
    case "refused":
      deps.contact.failed("openAgentSession", `${meaning.status} ${meaning.message}`);
      return { waitMs: backoff(deps, failures) };
    case "undecodable":
      deps.onUndecodable("openAgentSession", meaning);
      deps.contact.failed("openAgentSession", meaning.reason);
      return { waitMs: backoff(deps, failures) };
    case "try_again":
      deps.contact.failed("openAgentSession", meaning.reason);
      return { waitMs: retryAfterMs(meaning.retryAfter, deps.clock.wallMs()) ?? backoff(deps, failures) };
  }
}

function backoff(deps: SessionDeps, failures: number): number {
  const herdMs = failures === 1 ? deps.random() * deps.timing.startJitterMs : 0;
  return herdMs + deps.timing.backoffMs(failures, deps.random());
}

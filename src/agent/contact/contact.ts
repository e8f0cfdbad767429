import type { Logger } from "#daemon/logger.ts";
import type { AgentClock } from "../host/clock.ts";
import { adviceFor } from "./connection-advice.ts";

const quietMs = 60_000;

/**
 * How the agent stands with the control plane.
 *
 * - connecting: no session yet. Leaves to connected, refused, incompatible.
 * - connected: a session is open and replies arrive. Leaves to any other.
 * - unreachable: a session was open, but the last calls failed.
 * - refused: the key was not accepted; tried again each minute.
 * - incompatible: the control plane does not speak our protocol. Final: the agent drains and exits.
 */
export type ContactState = "connecting" | "connected" | "unreachable" | "refused" | "incompatible";

/** Remembers the last contact and logs its changes, at most one line a minute while nothing changes. */
export interface Contact {
  succeeded(): void;
  failed(operation: string, reason: string): void;
  refused(status: number, message: string): void;
  incompatible(message: string): void;
  state(): ContactState;
  /** Since the last good reply; null before the first. */
  ageMs(): number | null;
  /** Why the last call did not get through; null while calls do. */
  trouble(): string | null;
}

/**
 * @param onIncompatible called once, when the control plane says that it does not speak our protocol
 * @param skew how wrong this machine's clock is, in words: a clock may be the cause of what looks like a bad key or certificate
 */
export function createContact(log: Logger, clock: AgentClock, onIncompatible: () => void, skew: () => string | null = () => null): Contact {
  let state: ContactState = "connecting";
  let trouble: string | null = null;
  let lastGoodMs: number | null = null;
  let lastWarning = { about: "", atMs: Number.NEGATIVE_INFINITY, isOpen: false };

  /** What goes with every warning. */
  function fieldsOf(reason: string, next: string | null): object {
    const clockText = skew();
    return {
      reason,
      ...(next !== null && { next }),
      ...(reason.startsWith("CERT_") && { localTime: new Date(clock.wallMs()).toISOString() }),
      ...(clockText !== null && { clock: `this machine's clock is ${clockText}` }),
    };
  }

  function warn(about: ContactState, fields: object, message: string): void {
    const atMs = clock.monotonicMs();
    if (about === lastWarning.about && atMs - lastWarning.atMs < quietMs) return;
    lastWarning = { about, atMs, isOpen: true };
    log.warn(fields, message);
  }

  return {
    succeeded() {
      const nowMs = clock.monotonicMs();
      if (state === "incompatible") return;
      if (lastWarning.isOpen) {
        log.info({ awaySeconds: lastGoodMs === null ? null : Math.round((nowMs - lastGoodMs) / 1000) }, "the control plane responds again");
        lastWarning = { ...lastWarning, isOpen: false };
      }
      state = "connected";
      trouble = null;
      lastGoodMs = nowMs;
    },
    failed(operation, reason) {
      if (state === "incompatible") return;
      if (state === "connected") state = "unreachable";
      trouble = reason;
      const fields = { operation, ...fieldsOf(reason, adviceFor(reason)) };
      warn("unreachable", fields, "the control plane does not respond; retrying. `outpost doctor` checks each layer");
    },
    refused(status, message) {
      state = "refused";
      trouble = `${status} ${message}`;
      warn(
        "refused",
        { status, ...fieldsOf(message, adviceFor(String(status))) },
        "the control plane rejects the key; retrying every minute. Replace it in API_KEY_FILE, or restart with a valid one",
      );
    },
    incompatible(message) {
      if (state === "incompatible") return;
      state = "incompatible";
      trouble = message;
      onIncompatible();
      log.error({ reason: message }, "control plane does not speak this agent's protocol, the agent ends; install the matching version");
    },
    state: () => state,
    trouble: () => trouble,
    ageMs: () => (lastGoodMs === null ? null : clock.monotonicMs() - lastGoodMs),
  };
}

import { Counter, type Registry } from "prom-client";

export interface AuditMetrics {
  /** A refusal or sign-in too many for the audit log. */
  readonly countDroppedNotes: () => void;
  /** New networks of one key that the audit log tells by their number alone. */
  readonly countUnnamedNetworks: (networks: number) => void;
  /** Entries that AUDIT_OUTPUT did not get. */
  readonly countLostLines: (entries: number) => void;
}

/** What the audit log does not have in full. */
export function addAuditMetrics(registers: Registry[]): AuditMetrics {
  const notes = new Counter({
    name: "outpost_audit_notes_dropped_total",
    help: "Sign-ins and refusals that the audit log left out: more than 30 refusals or 600 others a minute from one address in one account",
    registers,
  });
  const networks = new Counter({
    name: "outpost_audit_networks_unnamed_total",
    help: "New networks of keys that the audit log tells by their number alone: more than 50 of one key, or 200 of one account, within a minute",
    registers,
  });
  const lines = new Counter({
    name: "outpost_audit_lines_lost_total",
    help: "Entries of the audit log that AUDIT_OUTPUT did not get, as it could not be written for too long; the audit log itself has them",
    registers,
  });
  return {
    countDroppedNotes: () => notes.inc(),
    countUnnamedNetworks: (count) => networks.inc(count),
    countLostLines: (count) => lines.inc(count),
  };
}

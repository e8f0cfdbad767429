import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import type { NotedEntry } from "../storage/audit-store.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import { type AuditOutputDeps, createAuditOutput } from "./audit-output.ts";
import { WaitingLines } from "./waiting-lines.ts";

/** The audit log as it goes out, for whoever collects it: JSON, one entry a line. */
export interface AuditLines extends Service {
  readonly write: (entry: NotedEntry) => void;
}

export interface AuditLineDeps extends AuditOutputDeps, Pick<AuditMetrics, "countLostLines"> {
  /** `stdout`, or a file; null: nothing goes out. */
  readonly target: string | null;
}

const linesAtOnce = 500;
const retryMs = 5_000;

/** What cannot be written is tried again every five seconds. Where too much waits the oldest go lost; a line in their place says how many. */
export function createAuditLines(deps: AuditLineDeps): AuditLines {
  const { target, log } = deps;
  const waiting = new WaitingLines(deps.countLostLines);
  const output = target === null ? null : createAuditOutput(deps, target);
  const stopping = new AbortController();
  let writing: Promise<void> | null = null;

  async function writeSome(out: NonNullable<typeof output>): Promise<void> {
    const taken = waiting.take(linesAtOnce);
    await out(taken).catch((error: unknown) => {
      waiting.putBack(taken);
      throw error;
    });
  }

  async function writeAll(out: NonNullable<typeof output>): Promise<void> {
    while (waiting.count > 0 && !stopping.signal.aborted) await writeSome(out).catch(() => sleep(retryMs, stopping.signal)); // it was logged
  }

  async function writeRest(out: NonNullable<typeof output>): Promise<void> {
    await writing;
    while (waiting.count > 0) await writeSome(out);
  }

  return {
    name: "audit lines",
    start: async () => undefined,
    write(entry) {
      if (output === null) return;
      waiting.add(entry);
      writing ??= writeAll(output).finally(() => {
        writing = null;
      });
    },
    async stop(deadline) {
      stopping.abort();
      if (output === null) return;
      await untilAborted(deadline, writeRest(output)).catch(() =>
        log.error({ waiting: waiting.count }, "stopped before AUDIT_OUTPUT had all entries"),
      );
    },
  };
}

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { ArtifactSpool } from "../../src/agent/artifacts/artifact-spool.ts";
import { systemClock } from "../../src/agent/host/clock.ts";
import { diskFiles } from "../../src/agent/outbox/outbox-files.ts";
import type { FoundFile } from "../../src/agent/runners/check-runner.ts";
import { scrubFile } from "../../src/agent/scrub/scrub-file.ts";
import { logOf, temporaryFolder } from "../agent/agent-under-test.ts";
import { attack } from "./attack.ts";
import { asUsualMs } from "./cpu-of.ts";
import { meanFiles } from "./mean-files.ts";

const limitMs = 2_000;
const secret = "a-real-secret-91";

describe("files of results that are made to cost", () => {
  attack(
    "E1",
    "zips of 20,000 entries, of entries that look like the ends of zips, and files that are nothing but escapes",
    async (held) => {
      const figures: string[] = [];
      for (const name of Object.keys(meanFiles)) {
        let { cpuMs, verdict } = await costOf(name);
        for (let tries = 1; tries < 3 && cpuMs > limitMs; tries += 1) ({ cpuMs, verdict } = await costOf(name)); // others use the machine, too
        expect([name, asUsualMs(cpuMs, limitMs) < limitMs, verdict]).toEqual([
          name,
          true,
          expect.stringMatching(/^(clean|scrubbed|withheld: )/),
        ]);
        figures.push(`${name} ${cpuMs.toFixed(0)}`);
      }
      held("each file has 2 s of CPU, and small entries cost little", `${figures.join(", ")} ms of CPU (limit ${limitMs})`);
    },
    120_000,
  );

  attack(
    "E1",
    "one check brings many costly files, so that those of others wait",
    async (held) => {
      using place = temporaryFolder();
      const spool = spoolIn(place.path);
      await spool.start();
      const file = (name: string, content: Buffer): FoundFile => ({ name, type: "file", contentType: "application/zip", content });
      const costly = (meanFiles["20,000 entries"] as () => Buffer)();
      const attempt = { jobId: randomUUID(), attempt: 1, fence: 1 };
      spool.keep(
        attempt,
        "hostile",
        Array.from({ length: 12 }, (_, index) => file(`costly-${index}.zip`, costly)),
        [secret],
      );
      for (let number = 0; number < 3; number += 1)
        spool.keep(attempt, `other-${number}`, [file("mine.txt", Buffer.from(secret))], [secret]);
      const names = (): string[] => spool.waiting.map(({ declaration }) => declaration.name);
      await expect.poll(() => names().filter((name) => name === "mine.txt").length, { timeout: 30_000, interval: 5 }).toBe(3);
      const before = names().filter((name) => name.startsWith("costly")).length;
      expect(before).toBeLessThanOrEqual(2);
      expect(
        readFileSync(join(spool.waiting.find(({ declaration }) => declaration.name === "mine.txt")?.folder ?? "", "data"), "utf8"),
      ).toBe("********");
      await spool.close();
      held("checks take turns", `${before} of 12 costly files before those of three other checks`);
    },
    60_000,
  );
});

/** Of a process of its own: all its threads, less what the same process takes for a file of a line. */
async function costOf(name: string): Promise<{ readonly cpuMs: number; readonly verdict: string }> {
  const child = join(import.meta.dirname, "mean-file-child.ts");
  const args = ["--conditions=source", "--disable-warning=ExperimentalWarning", child, name];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as { cpuMs: number; verdict: string };
}

function spoolIn(folder: string): ArtifactSpool {
  return new ArtifactSpool({
    files: diskFiles,
    clock: systemClock,
    log: logOf().log,
    folder,
    agentId: randomUUID(),
    limitBytes: 100_000_000,
    limitMs: 3_600_000,
    outbox: { lastSeq: 1 },
    scrub: scrubFile,
    onDrop: () => undefined,
  });
}

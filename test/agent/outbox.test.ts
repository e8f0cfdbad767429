import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/agent/host/clock.ts";
import { diskFiles, type OutboxFiles } from "../../src/agent/outbox/outbox-files.ts";
import { decodeLines, encodeLine } from "../../src/agent/outbox/outbox-line.ts";
import { type OutboxDeps, ResultOutbox } from "../../src/agent/outbox/result-outbox.ts";
import type { AttemptReport } from "../../src/contract/agent-protocol.ts";
import { attemptReport } from "../support/attempt-report.ts";
import { logOf, temporaryFolder } from "./agent-under-test.ts";

function report(attempt: number, resultType: AttemptReport["resultType"] = "FINAL", detail = ""): AttemptReport {
  return attemptReport({ attempt, resultType, detail });
}

let agents = 0;
async function openOutbox(folder: string, overrides: Partial<OutboxDeps> = {}) {
  const { log, lines } = logOf();
  const agentId = `0000000${(agents += 1)}-0000-4000-8000-000000000000`.slice(-36);
  const outbox = new ResultOutbox({
    files: diskFiles,
    clock: systemClock,
    log,
    folder,
    agentId,
    limitBytes: 64 * 1024 * 1024,
    limitMs: 86_400_000,
    onDrop: () => undefined,
    ...overrides,
  });
  await outbox.start();
  await outbox.maintain();
  return { outbox, lines };
}

const attemptsOf = async (outbox: ResultOutbox): Promise<number[]> =>
  (await outbox.peek(100_000, Number.POSITIVE_INFINITY)).map(({ json }) => (JSON.parse(json) as AttemptReport).attempt);

/** As if the process that owned every folder had died. */
function orphan(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name, "owner.json"), { force: true });
}

function segmentsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".seg"))
    .map((name) => join(folder, name));
}

describe("an outbox line", () => {
  it("comes back as it was written, whatever is in it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ kind: fc.constantFrom("FINAL" as const, "ATTEMPT" as const), seq: fc.nat(), json: fc.json() })),
        (entries) => {
          const { entries: read, bad } = decodeLines(Buffer.from(entries.map(encodeLine).join("")));
          expect(read).toEqual(entries);
          expect(bad).toEqual([]);
        },
      ),
    );
  });

  it("is left out alone when a byte of it is flipped", () => {
    const entries = [1, 2, 3].map((seq) => ({ kind: "FINAL" as const, seq, json: JSON.stringify({ seq, text: "é".repeat(10) }) }));
    const whole = Buffer.from(entries.map(encodeLine).join(""));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        const { entries: read, bad } = decodeLines(damaged);
        expect(read.every((entry) => entries.some((one) => one.seq === entry.seq && one.json === entry.json))).toBe(true);
        expect(bad.length).toBeGreaterThan(0);
        expect(read.length).toBeGreaterThanOrEqual(1); // a flipped newline joins two lines; the third stays
      }),
    );
  });
});

describe("the outbox", () => {
  it("gives out what was put in, in order, until it is acknowledged", async () => {
    using folder = temporaryFolder();
    const { outbox } = await openOutbox(folder.path);
    for (const [index, type] of (["ATTEMPT", "FINAL", "ATTEMPT", "FINAL"] as const).entries()) await outbox.put(report(index + 1, type));
    expect(await attemptsOf(outbox)).toEqual([1, 2, 3, 4]);
    await outbox.acknowledge((await outbox.peek(2, 1e9)).slice(1));
    expect(await attemptsOf(outbox)).toEqual([1, 3, 4]);
    expect(outbox.state()).toMatchObject({ depth: 3, mode: "disk", dropped: { overflow: 0, age: 0, unreadable: 0 } });
    await outbox.close();
  });

  it("limits a batch by count and by bytes, and always gives one", async () => {
    using folder = temporaryFolder();
    const { outbox } = await openOutbox(folder.path);
    await Promise.all([1, 2, 3].map((attempt) => outbox.put(report(attempt, "FINAL", "x".repeat(5_000)))));
    expect(await outbox.peek(2, 1e9)).toHaveLength(2);
    expect(await outbox.peek(100, 12_000)).toHaveLength(2);
    expect(await outbox.peek(100, 10)).toHaveLength(1);
    await outbox.close();
  });

  it("leaves no file behind when all is delivered", async () => {
    using folder = temporaryFolder();
    const { outbox } = await openOutbox(folder.path);
    await outbox.put(report(1));
    await outbox.acknowledge(await outbox.peek(10, 1e9));
    await outbox.close();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("delivers what an earlier process left, oldest first and before its own", async () => {
    using folder = temporaryFolder();
    const first = await openOutbox(folder.path);
    await Promise.all([first.outbox.put(report(1)), first.outbox.put(report(2)), first.outbox.put(report(3, "ATTEMPT"))]);
    await first.outbox.close();
    orphan(folder.path);
    const second = await openOutbox(folder.path);
    await second.outbox.put(report(4));
    expect(await attemptsOf(second.outbox)).toEqual([1, 2, 3, 4]);
    expect(readdirSync(folder.path)).toHaveLength(1);
    await second.outbox.acknowledge(await second.outbox.peek(10, 1e9));
    await second.outbox.close();
    expect(segmentsIn(folder.path)).toEqual([]);
  });

  it("leaves the folder of a living process alone, and shares what a dead one left with exactly one", async () => {
    using folder = temporaryFolder();
    const dead = await openOutbox(folder.path);
    await Promise.all(Array.from({ length: 20 }, (_, index) => dead.outbox.put(report(index + 1))));
    await dead.outbox.close();
    orphan(folder.path);
    const [a, b] = await Promise.all([openOutbox(folder.path), openOutbox(folder.path)]);
    await Promise.all([a.outbox.maintain(), b.outbox.maintain()]);
    const taken = [await attemptsOf(a.outbox), await attemptsOf(b.outbox)];
    expect(taken.flat().toSorted((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    await a.outbox.close();
    await b.outbox.close();
  });

  it("lets ATTEMPTs go before FINALs when it overflows, counts each, and keeps the newest", async () => {
    using folder = temporaryFolder();
    const { outbox, lines } = await openOutbox(folder.path, { limitBytes: 512 * 1024 });
    for (let n = 1; n <= 60; n += 1) await outbox.put(report(n, n % 2 === 0 ? "ATTEMPT" : "FINAL", "x".repeat(20_000)));
    const kept = await outbox.peek(1_000, Number.POSITIVE_INFINITY);
    const { dropped, depth, bytes } = outbox.state();
    expect(bytes).toBeLessThanOrEqual(512 * 1024 + 64 * 1024);
    expect(depth + dropped.overflow).toBe(60);
    expect(kept.filter(({ kind }) => kind === "ATTEMPT").length).toBeLessThan(4);
    expect(
      kept
        .filter(({ kind }) => kind === "FINAL")
        .at(-1)
        ?.json.includes('"attempt":59,'),
    ).toBe(true);
    expect(lines.filter(({ reason }) => reason === "overflow")).toHaveLength(1);
    await outbox.close();
  });

  it("lets go what is older than its age limit", async () => {
    using folder = temporaryFolder();
    let nowMs = 0;
    const clock = { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 };
    const { outbox } = await openOutbox(folder.path, { clock, limitMs: 3_600_000 });
    await outbox.put(report(1));
    nowMs = 3_600_001;
    await outbox.maintain();
    expect(outbox.state()).toMatchObject({ depth: 0, dropped: { age: 1 } });
    await outbox.close();
  });

  it("does not grow old when the wall clock jumps (C-01)", async () => {
    using folder = temporaryFolder();
    let wallMs = 1_700_000_000_000;
    const { outbox } = await openOutbox(folder.path, {
      clock: { monotonicMs: () => performance.now(), wallMs: () => wallMs },
      limitMs: 3_600_000,
    });
    await outbox.put(report(1));
    wallMs += 10 * 86_400_000;
    await outbox.put(report(2));
    await outbox.maintain();
    expect(await attemptsOf(outbox)).toEqual([1, 2]);
    await outbox.close();
  });

  it("reads entries from disk again when it holds more than it keeps in memory", async () => {
    using folder = temporaryFolder();
    const { outbox } = await openOutbox(folder.path, { limitBytes: 256 * 1024 * 1024 });
    const detail = "x".repeat(1_000_000);
    for (let n = 1; n <= 40; n += 1) await outbox.put(report(n, "FINAL", detail));
    for (let n = 1; n <= 40; n += 8) {
      const batch = await outbox.peek(8, 1e12);
      expect(batch.map(({ json }) => (JSON.parse(json) as AttemptReport).attempt)).toEqual(
        Array.from({ length: 8 }, (_, index) => n + index),
      );
      await outbox.acknowledge(batch);
    }
    expect(outbox.depth).toBe(0);
    await outbox.close();
  });
});

describe("the outbox with damaged files (S-04)", () => {
  it.each([
    ["truncated", (bytes: Buffer) => bytes.subarray(0, bytes.length - 7), 9],
    ["zeroed", (bytes: Buffer) => Buffer.alloc(bytes.length), 0],
    [
      "with a flipped byte",
      (bytes: Buffer) => {
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        return bytes;
      },
      9,
    ],
    ["emptied", () => Buffer.alloc(0), 0],
    ["replaced by random bytes", (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => (byte * 31 + index * 7) & 0xff)), 0],
  ])("starts with a file %s, sets the damage aside and delivers the rest", async (_, damage, left) => {
    using folder = temporaryFolder();
    const first = await openOutbox(folder.path);
    await Promise.all(Array.from({ length: 10 }, (__, index) => first.outbox.put(report(index + 1))));
    await first.outbox.close();
    orphan(folder.path);
    const [file = ""] = segmentsIn(folder.path);
    const before = readFileSync(file);
    const after = damage(Buffer.from(before));
    writeFileSync(file, after);
    const second = await openOutbox(folder.path);
    expect(second.outbox.depth).toBe(left);
    expect(second.outbox.state().corrupt > 0).toBe(after.length > 0);
    expect(second.outbox.state().mode).toBe("disk");
    await second.outbox.put(report(11));
    expect((await attemptsOf(second.outbox)).at(-1)).toBe(11);
    await second.outbox.close();
  });
});

describe("the outbox on a broken disk (S-01, S-03, S-11)", () => {
  /** Each operation counts one up; from `from` until `until` they fail. */
  function failing(from: number, until: number, code = "ENOSPC"): OutboxFiles & { count: number } {
    const step =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        files.count += 1;
        if (files.count >= from && files.count < until) throw Object.assign(new Error(code), { code });
        return work(...args);
      };
    const files: OutboxFiles & { count: number } = {
      count: 0,
      makeFolder: step((path: string) => diskFiles.makeFolder(path)),
      list: step((path: string) => diskFiles.list(path)),
      write: step((path: string, text: string | Buffer) => diskFiles.write(path, text)),
      read: step((path: string) => diskFiles.read(path)),
      move: step((from: string, to: string) => diskFiles.move(from, to)),
      remove: step((path: string) => diskFiles.remove(path)),
      removeFolder: step((path: string) => diskFiles.removeFolder(path)),
      touch: step((path: string) => diskFiles.touch(path)),
      create: step(async (path: string) => {
        const file = await diskFiles.create(path);
        return {
          append: step((bytes: Buffer) => file.append(bytes)),
          truncate: (bytes: number) => file.truncate(bytes),
          close: () => file.close(),
        };
      }),
    };
    return files;
  }

  it.each(Array.from({ length: 24 }, (_, index) => index + 1))(
    "keeps every report when operation %d fails, and the disk recovers",
    async (n) => {
      using folder = temporaryFolder();
      let nowMs = 0;
      const clock = { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 };
      const { outbox } = await openOutbox(folder.path, { files: failing(n, n + 1), clock, limitBytes: 1024 * 1024 });
      for (let attempt = 1; attempt <= 12; attempt += 1) {
        nowMs += 1;
        await outbox.put(report(attempt, attempt % 3 === 0 ? "ATTEMPT" : "FINAL", "x".repeat(20_000)));
      }
      for (let turn = 0; turn < 3; turn += 1) {
        nowMs += 20_000;
        await outbox.maintain();
      }
      expect(outbox.state()).toMatchObject({ depth: 12, mode: "disk" });
      await outbox.close();
      orphan(folder.path);
      const next = await openOutbox(folder.path);
      expect(await attemptsOf(next.outbox)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
      await next.outbox.close();
    },
  );

  it("goes on in memory with one warning while every operation fails, and returns to disk", async () => {
    using folder = temporaryFolder();
    let nowMs = 0;
    const files = failing(0, Number.POSITIVE_INFINITY, "EROFS");
    const clock = { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 };
    const { outbox, lines } = await openOutbox(folder.path, { files, clock });
    for (let attempt = 1; attempt <= 5; attempt += 1) await outbox.put(report(attempt));
    expect(outbox.state()).toMatchObject({ depth: 5, mode: "memory" });
    expect(lines.filter(({ level }) => level >= 40)).toHaveLength(1);
    files.count = Number.NEGATIVE_INFINITY;
    nowMs += 20_000;
    await outbox.maintain();
    expect(outbox.state()).toMatchObject({ depth: 5, mode: "disk" });
    expect(segmentsIn(folder.path).length).toBeGreaterThan(0);
    await outbox.close();
  });

  it("tells at its end what is on disk and what is lost, after a last try", async () => {
    using folder = temporaryFolder();
    const files = failing(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, "EROFS");
    const ended = async (outbox: ResultOutbox) => ({ ...(await outbox.close()), dropped: outbox.state().dropped.stopped });
    const first = await openOutbox(folder.path, { files });
    await first.outbox.put(report(1));
    expect(await ended(first.outbox)).toEqual({ onDisk: 1, lost: 0, lostJobs: [], dropped: 0 });

    const second = await openOutbox(folder.path, { files: failing(0, Number.POSITIVE_INFINITY, "EROFS") });
    for (const attempt of [1, 2]) await second.outbox.put(report(attempt));
    expect(second.outbox.state().inMemory).toBe(2);
    expect(await ended(second.outbox)).toEqual({ onDisk: 0, lost: 2, lostJobs: [report(1).jobId], dropped: 2 });

    const healed = failing(0, Number.POSITIVE_INFINITY, "EROFS");
    const third = await openOutbox(folder.path, { files: healed });
    await third.outbox.put(report(1));
    healed.count = Number.NEGATIVE_INFINITY;
    expect(await ended(third.outbox)).toEqual({ onDisk: 1, lost: 0, lostJobs: [], dropped: 0 });
  });

  it("puts newer results behind those of an earlier process also when the clock was set back", async () => {
    using folder = temporaryFolder();
    const at = (wallMs: number) => ({ monotonicMs: () => 0, wallMs: () => wallMs });
    const before = await openOutbox(folder.path, { clock: at(1_700_000_000_000) });
    for (const attempt of [1, 2]) await before.outbox.put(report(attempt));
    await before.outbox.close();
    orphan(folder.path);
    const after = await openOutbox(folder.path, { clock: at(1_600_000_000_000) });
    await after.outbox.put(report(3));
    expect(await attemptsOf(after.outbox)).toEqual([1, 2, 3]);
    await after.outbox.close();
  });

  it.runIf(process.getuid?.() === 0)("goes on in memory when a real file system is full, and loses nothing", async () => {
    using folder = temporaryFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path]);
    try {
      let nowMs = 0;
      const { outbox } = await openOutbox(folder.path, { clock: { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 } });
      for (let n = 1; n <= 60; n += 1) await outbox.put(report(n, "FINAL", "x".repeat(50_000)));
      expect(outbox.state()).toMatchObject({ depth: 60, mode: "memory" });
      const delivered: number[] = [];
      while (outbox.depth > 0) {
        const batch = await outbox.peek(7, 1e9);
        delivered.push(...batch.map(({ json }) => (JSON.parse(json) as AttemptReport).attempt));
        await outbox.acknowledge(batch);
      }
      expect(delivered).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
      nowMs += 60_000;
      await outbox.maintain();
      await outbox.put(report(61));
      expect(outbox.state()).toMatchObject({ depth: 1, mode: "disk" });
      await outbox.close();
    } finally {
      execFileSync("umount", [folder.path]);
    }
  });

  it("comes back after somebody removed its folder", async () => {
    using folder = temporaryFolder();
    let nowMs = 0;
    const clock = { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 };
    const { outbox } = await openOutbox(folder.path, { clock });
    rmSync(folder.path, { recursive: true });
    await outbox.put(report(1));
    nowMs += 20_000;
    await outbox.maintain();
    nowMs += 20_000;
    await outbox.maintain();
    await outbox.put(report(2));
    expect(await attemptsOf(outbox)).toEqual([1, 2]);
    expect(outbox.state().mode).toBe("disk");
    await outbox.close();
    expect(existsSync(folder.path)).toBe(true);
  });
});

describe("an outbox whose process is killed (S-05)", () => {
  it("gives the next process every report that was acknowledged as durable", async () => {
    using folder = temporaryFolder();
    const durable: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const child = spawn(
        process.execPath,
        [
          "--disable-warning=ExperimentalWarning",
          "--conditions=source",
          join(import.meta.dirname, "outbox-child.ts"),
          folder.path,
          String(round * 100_000),
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.split("\n").length > 30 + round * 45) child.kill("SIGKILL");
      });
      await once(child, "close");
      durable.push(...text.split("\n").slice(0, -1).map(Number));
    }
    expect(durable.length).toBeGreaterThan(100);
    const { outbox, lines } = await openOutbox(folder.path);
    const found = await attemptsOf(outbox);
    expect(durable.filter((attempt) => !found.includes(attempt))).toEqual([]);
    expect(new Set(found).size).toBe(found.length);
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
    await outbox.close();
  });
});

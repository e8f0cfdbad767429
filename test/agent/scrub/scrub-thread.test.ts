import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { scrubFile } from "../../../src/agent/scrub/scrub-file.ts";
import { ScrubThread, type ScrubThreadLimits } from "../../../src/agent/scrub/scrub-thread.ts";

const secrets = ["a-real-secret-91"];
const never = new AbortController().signal;
/** 80 MB of what almost is a secret everywhere, which takes longest. */
const slow = gzipSync("a-real-secret-9 ".repeat(5_000_000), { level: 0 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outpost-scrub-"));
  writeFileSync(join(folder, "slow.gz"), slow);
  writeFileSync(join(folder, "quick"), `${"text ".repeat(300_000)}a-real-secret-91`);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function threadWith(limits: Partial<ScrubThreadLimits> = {}): ScrubThread {
  const thread = new ScrubThread({ taskMs: 60_000, heapMb: 64, idleMs: 60_000, ...limits });
  onTestFinished(() => thread.close());
  return thread;
}

const scrub = (thread: ScrubThread, name: string, signal = never): ReturnType<typeof scrubFile> =>
  scrubFile({ from: join(folder, name), to: join(folder, `${name}.out`), secrets, signal }, thread);

async function expectNext(thread: ScrubThread): Promise<void> {
  expect(await scrub(thread, "quick")).toEqual({ is: "scrubbed" });
  expect(readFileSync(join(folder, "quick.out"), "utf8")).toMatch(/text \*{8}$/);
  expect(readdirSync(folder).toSorted()).toEqual(["quick", "quick.out", "slow.gz"]);
}

describe("the thread that scrubs files", () => {
  it("withholds what takes too long, and goes on with the next", async () => {
    const thread = threadWith({ taskMs: 20 });
    expect(await scrub(thread, "slow.gz")).toEqual({ is: "withheld", reason: "it took longer than 0.02 s" });
    await expectNext(threadWith());
  });

  it("withholds where it crashes, and goes on with the next", async () => {
    const thread = threadWith();
    const work = scrub(thread, "slow.gz");
    const files = (): string[] => readdirSync(folder, { recursive: true }).map(String);
    await expect.poll(() => files().some((name) => /^\.scrub-.*\/1$/.test(name)), { timeout: 10_000 }).toBe(true);
    await thread.close();
    expect(await work).toEqual({ is: "withheld", reason: "the thread that scrubs files failed" });
    await expectNext(thread);
  });

  it("withholds where it runs out of memory", async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `secret number ${index}, and some more of it`);
    const task = { from: join(folder, "slow.gz"), to: join(folder, "out"), secrets: many, signal: never };
    expect(await scrubFile(task, threadWith({ heapMb: 12 }))).toEqual({
      is: "withheld",
      reason: "the thread that scrubs files failed (ERR_WORKER_OUT_OF_MEMORY)",
    });
  });

  it("takes 150 MB with a hundred secrets, and the main loop goes on meanwhile (M-03)", { timeout: 120_000 }, async () => {
    const many = Array.from({ length: 100 }, (_, index) => `secret/${String(index).padStart(2, "0")}+of a hundred & more!`);
    const line = "GET /api/v2/orders 200 OK content-type: application/json 1732 ms level info\n";
    const planted = many.flatMap((secret) => [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)]);
    const between = line.repeat(Math.floor(157_000_000 / planted.length / line.length));
    const from = join(folder, "large");
    for (const each of planted) appendFileSync(from, `${between}${each}\n`);
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const verdict = await scrubFile({ from, to: join(folder, "out"), secrets: many, signal: never }, threadWith());
    clearInterval(counting);
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(turns).toBeGreaterThan(20);
    const expected = Buffer.from(`${between}********\n`.repeat(planted.length));
    expect(readFileSync(join(folder, "out")).equals(expected)).toBe(true);
  });

  it("ends the waiting of a cancelled run at once, in its turn and before it", async () => {
    const thread = threadWith();
    const [running, waiting] = [new AbortController(), new AbortController()];
    writeFileSync(join(folder, "second.gz"), slow);
    const done: string[] = [];
    const tasks = [
      scrub(thread, "slow.gz", running.signal).catch((error: unknown) => done.push(String(error))),
      scrub(thread, "second.gz", waiting.signal).catch((error: unknown) => done.push(String(error))),
      scrub(thread, "quick").then(({ is }) => done.push(is)),
    ];
    waiting.abort("second");
    await tasks[1];
    expect(done).toEqual(["second"]);
    running.abort("first");
    await Promise.all(tasks);
    // The next has its turn while what the cancelled run left is removed from the disk.
    expect(done.toSorted()).toEqual(["first", "scrubbed", "second"]);
    expect(readdirSync(folder).filter((name) => name.startsWith(".scrub-"))).toEqual([]);
  });

  it("withholds where the folder of the result is not there", async () => {
    const to = join(folder, "nowhere", "out");
    expect(await scrubFile({ from: join(folder, "quick"), to, secrets, signal: never }, threadWith())).toEqual({
      is: "withheld",
      reason: "it cannot be read or written (ENOENT)",
    });
  });
});

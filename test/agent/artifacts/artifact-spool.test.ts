import { createHash, randomBytes, randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArtifactSpool, type SpoolDeps } from "../../../src/agent/artifacts/artifact-spool.ts";
import { bodyFile } from "../../../src/agent/artifacts/found-file.ts";
import { systemClock } from "../../../src/agent/host/clock.ts";
import { diskFiles } from "../../../src/agent/outbox/outbox-files.ts";
import type { FoundFile } from "../../../src/agent/runners/check-runner.ts";
import { scrubFile } from "../../../src/agent/scrub/scrub-file.ts";
import { logOf, temporaryFolder } from "../agent-under-test.ts";

const never = new AbortController().signal;
const attempt = { jobId: randomUUID(), attempt: 1, fence: 1 };
const file = (content: FoundFile["content"], name = "a.bin"): FoundFile => ({
  name,
  type: "file",
  contentType: "application/octet-stream",
  content,
});

function spoolIn(folder: string, changes: Partial<SpoolDeps> = {}): { spool: ArtifactSpool; drops: string[] } {
  const drops: string[] = [];
  const deps = {
    files: diskFiles,
    clock: systemClock,
    log: logOf().log,
    folder,
    agentId: randomUUID(),
    limitBytes: 100_000_000,
    limitMs: 3_600_000,
    outbox: { lastSeq: 17 },
    scrub: scrubFile,
    onDrop: (reason: string) => drops.push(reason),
    ...changes,
  };
  return { spool: new ArtifactSpool(deps), drops };
}

const dataOf = (folder: string): Buffer => readFileSync(join(folder, "data"));

/** Every file below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

describe("the spool of artifacts", () => {
  it("keeps what is scrubbed, with what the control plane will ask for", async () => {
    using place = temporaryFolder();
    const { spool, drops } = spoolIn(place.path);
    await spool.start();
    const secret = "a-secret-of-the-check";
    spool.keep(attempt, "a check", [file(Buffer.from(`before ${secret} after ${Buffer.from(secret).toString("base64")}`))], [secret]);
    await spool.settle(never);
    const [kept] = spool.waiting;
    const bytes = dataOf(kept?.folder ?? "");
    expect(bytes.toString()).toContain("before ********");
    expect(bytes.toString()).not.toContain(secret);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(kept).toMatchObject({ reportSeq: 17, declaration: { ...attempt, name: "a.bin", size: bytes.length, sha256 } });
    expect([drops, spool.state()]).toEqual([[], { waiting: 1, bytes: bytes.length }]);
    await spool.remove(kept as NonNullable<typeof kept>);
    await spool.close();
    expect(filesIn(place.path)).toEqual([]);
  });

  it("has nothing unscrubbed on the disk under any name, also while it is scrubbed", async () => {
    using place = temporaryFolder();
    const secret = "a-secret-of-the-check";
    const seen: string[] = [];
    const scrub: typeof scrubFile = async (task) => {
      seen.push(...filesIn(place.path).map((path) => readFileSync(path, "utf8")));
      return scrubFile(task);
    };
    const { spool } = spoolIn(place.path, { scrub });
    await spool.start();
    spool.keep(attempt, "a check", [file(Buffer.from(secret))], [secret]);
    await spool.settle(never);
    expect(seen.join()).not.toContain(secret);
    expect(spool.waiting).toHaveLength(1);
    await spool.close();
  });

  it("packs folders, and removes what it was given", async () => {
    using place = temporaryFolder();
    const [folder, single] = [join(place.path, "of-the-run"), join(place.path, "single")];
    mkdirSync(folder);
    writeFileSync(join(folder, "trace.zip"), randomBytes(1_000));
    writeFileSync(single, "text");
    const { spool } = spoolIn(join(place.path, "outbox"));
    await spool.start();
    spool.keep(attempt, "a check", [file({ folder }, "run.tar.gz"), file({ file: single }, "single.txt")], []);
    await spool.settle(never);
    // Of one instant, they come in the order in which the disk made their folders.
    expect(spool.waiting.map(({ declaration }) => declaration.name).toSorted()).toEqual(["run.tar.gz", "single.txt"]);
    expect(readdirSync(place.path)).toEqual(["outbox"]);
    await spool.close();
  });

  it("says why a file was withheld, in its place", async () => {
    using place = temporaryFolder();
    const { spool } = spoolIn(place.path, { scrub: async () => ({ is: "withheld", reason: "it is locked" }) });
    await spool.start();
    spool.keep(attempt, "a check", [file(Buffer.from("x"))], []);
    await spool.settle(never);
    const [kept] = spool.waiting;
    expect(kept?.declaration).toMatchObject({ name: "a.bin", contentType: "text/plain; charset=utf-8" });
    expect(dataOf(kept?.folder ?? "").toString()).toBe("This file was withheld: it is locked\n");
    await spool.close();
  });

  it("lets nothing out when scrubbing fails", async () => {
    using place = temporaryFolder();
    const scrub: typeof scrubFile = async () => {
      throw new Error("a bug");
    };
    const { spool, drops } = spoolIn(place.path, { scrub });
    await spool.start();
    spool.keep(attempt, "a check", [file(Buffer.from("x"))], []);
    await spool.settle(never);
    expect([drops, spool.state().waiting]).toEqual([["not_scrubbed"], 0]);
    await spool.close();
    expect(filesIn(place.path)).toEqual([]);
  });

  it("lets the oldest go where there is no room, and what would not fit alone", async () => {
    using place = temporaryFolder();
    const { spool, drops } = spoolIn(place.path, { limitBytes: 2_500 });
    await spool.start();
    for (const name of ["a", "b", "c"]) {
      spool.keep(attempt, "a check", [file(randomBytes(1_000), name)], []);
      await spool.settle(never);
    }
    spool.keep(attempt, "a check", [file(randomBytes(2_501), "d")], []);
    await spool.settle(never);
    expect(spool.waiting.map(({ declaration }) => declaration.name)).toEqual(["b", "c"]);
    expect(drops).toEqual(["overflow", "too_large"]);
    await spool.close();
  });

  it("does not let go what is on its way up", async () => {
    using place = temporaryFolder();
    const { spool, drops } = spoolIn(place.path, { limitBytes: 1_500 });
    await spool.start();
    spool.keep(attempt, "a check", [file(randomBytes(1_000), "a")], []);
    await spool.settle(never);
    spool.hold(spool.waiting[0] ?? null);
    spool.keep(attempt, "a check", [file(randomBytes(1_000), "b")], []);
    await spool.settle(never);
    expect([spool.waiting.map(({ declaration }) => declaration.name), drops]).toEqual([["a"], ["overflow"]]);
    await spool.close();
  });

  it("is bounded: what comes too fast is let go", async () => {
    using place = temporaryFolder();
    const { promise, resolve } = Promise.withResolvers<void>();
    const scrub: typeof scrubFile = async (task) => {
      await promise;
      return scrubFile(task);
    };
    const { spool, drops } = spoolIn(place.path, { scrub });
    await spool.start();
    for (let n = 0; n < 20; n += 1) spool.keep(attempt, "a check", [file(Buffer.from("x"), `n${n}`)], []);
    resolve();
    await spool.settle(never);
    expect([drops, spool.waiting.length]).toEqual([Array(4).fill("busy"), 16]);
    await spool.close();
  });

  it("is taken over by the next process, once, and goes by age there", async () => {
    using place = temporaryFolder();
    const dead = join(place.path, "artifacts", `agent-${randomUUID()}`);
    const made = (ageMs: number, name: string): void => {
      const folder = join(dead, `artifact-${String(Date.now() - ageMs).padStart(15, "0")}-${randomUUID()}`);
      mkdirSync(folder, { recursive: true });
      const declaration = { ...attempt, name, type: "file", contentType: "text/plain", size: 1, sha256: "0".repeat(64) };
      writeFileSync(join(folder, "about.json"), JSON.stringify({ declaration, reportSeq: 1, madeAtMs: Date.now() - ageMs }));
      writeFileSync(join(folder, "data"), "x");
    };
    made(1_000, "young");
    made(7_200_000, "old");
    mkdirSync(join(dead, `artifact-000000000000001-${randomUUID()}`));
    const [one, two] = [spoolIn(place.path), spoolIn(place.path)];
    await Promise.all([one.spool.start(), two.spool.start()]);
    const names = [...one.spool.waiting, ...two.spool.waiting].map(({ declaration }) => declaration.name);
    expect([names, [...one.drops, ...two.drops].toSorted()]).toEqual([["young"], ["age", "unreadable"]]);
    await Promise.all([one.spool.close(), two.spool.close()]);
  });

  it("waits for no disk: what cannot be written is let go (S-02)", async () => {
    using place = temporaryFolder();
    writeFileSync(join(place.path, "artifacts"), "a file where the folder belongs");
    const { spool, drops } = spoolIn(place.path);
    await spool.start();
    spool.keep(attempt, "a check", [file(Buffer.from("x"))], []);
    await expect.poll(() => drops).toEqual(["unreadable"]);
    chmodSync(place.path, 0o700);
    await spool.close();
  });
});

describe("the whole body of an answer", () => {
  it.each([
    { contentType: "application/json; charset=UTF-8", name: "response-body.json", kept: "application/json; charset=utf-8" },
    { contentType: "text/html", name: "response-body.html", kept: "text/html" },
    { contentType: "application/soap+xml", name: "response-body.xml", kept: "application/soap+xml" },
    { contentType: "text/css", name: "response-body.txt", kept: "text/css" },
    { contentType: "image/png", name: "response-body.bin", kept: "image/png" },
    { contentType: 'text/html"\r\nx: y', name: "response-body.html", kept: "application/octet-stream" },
    { contentType: undefined, name: "response-body.bin", kept: "application/octet-stream" },
  ])("of $contentType is called $name", ({ contentType, name, kept }) => {
    expect(bodyFile({ bytes: Buffer.alloc(1), contentType })).toMatchObject({ name, contentType: kept, type: "file" });
  });
});

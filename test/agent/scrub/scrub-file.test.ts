import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileVerdict } from "../../../src/agent/scrub/file-task.ts";
import { scrubFile } from "../../../src/agent/scrub/scrub-file.ts";
import { fileLimitBytes } from "../../../src/agent/scrub/scrub-file-here.ts";
import { findSecret } from "../../support/find-secret.ts";
import { readZip, type ZipMember, zipFile } from "../../support/zip-file.ts";

const secret = "cnry-7f3a/Q+zz 91&x";
const secrets = [secret, "another-secret-42"];
const never = new AbortController().signal;
const hasTar = spawnSync("tar", ["--version"]).error === undefined;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outpost-scrub-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly verdict: FileVerdict;
  /** Null where nothing may leave. */
  readonly bytes: Buffer | null;
}

async function scrubbed(content: Buffer | string, name = "file"): Promise<Outcome> {
  const from = join(folder, name);
  writeFileSync(from, content);
  return scrubbedPath(from);
}

async function scrubbedPath(from: string): Promise<Outcome> {
  const to = join(folder, "out");
  const before = readdirSync(folder).length;
  const verdict = await scrubFile({ from, to, secrets, signal: never });
  const bytes = existsSync(to) ? readFileSync(to) : null;
  expect(readdirSync(folder)).toHaveLength(before + (bytes === null ? 0 : 1)); // no temporary file stays
  rmSync(to, { force: true });
  return { verdict, bytes };
}

const reasonOf = ({ verdict, bytes }: Outcome): string => {
  expect(bytes).toBeNull();
  return verdict.is === "withheld" ? verdict.reason : verdict.is;
};
const filler = (bytes: number): Buffer =>
  Buffer.from("nothing to see here, line after line\n".repeat(Math.ceil(bytes / 37))).subarray(0, bytes);
const tarOf = (files: Readonly<Record<string, Buffer | string>>, ...options: string[]): Buffer => {
  const from = mkdtempSync(join(folder, "tar-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(from, name, ".."), { recursive: true });
    writeFileSync(join(from, name), content);
  }
  const tar = execFileSync("tar", ["-C", from, "-cf", "-", ...options, "."], { maxBuffer: 1 << 28 });
  rmSync(from, { recursive: true });
  return tar;
};
const untar = (tar: Buffer): Record<string, string> => {
  const to = mkdtempSync(join(folder, "untar-"));
  execFileSync("tar", ["-C", to, "-xf", "-"], { input: tar });
  const files = readdirSync(to, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const read = Object.fromEntries(files.map((each) => [each.name, readFileSync(join(each.parentPath, each.name), "latin1")]));
  rmSync(to, { recursive: true });
  return read;
};

describe("scrubFile on plain files", () => {
  it.each([100, 3_000_000])("masks a text of %d bytes, and leaves what is around it", async (bytes) => {
    const before = filler(bytes);
    const outcome = await scrubbed(Buffer.concat([before, Buffer.from(`<${secret}|${Buffer.from(secret).toString("base64")}>`), before]));
    expect(outcome.verdict).toEqual({ is: "scrubbed" });
    expect(findSecret(outcome.bytes ?? Buffer.alloc(0), secret, 2)).toEqual([]);
    expect(outcome.bytes?.subarray(0, bytes + 9).toString()).toBe(`${before.toString()}<********`);
    expect(outcome.bytes?.subarray(-bytes - 1).toString()).toBe(`>${before.toString()}`);
  });

  it.each([100, 3_000_000])("keeps the length of a binary file of %d bytes", async (bytes) => {
    const content = Buffer.concat([Buffer.alloc(bytes, 1), Buffer.from(secret), Buffer.alloc(bytes)]);
    const { verdict, bytes: out } = await scrubbed(content);
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(out).toEqual(Buffer.concat([Buffer.alloc(bytes, 1), Buffer.alloc(secret.length, "*"), Buffer.alloc(bytes)]));
  });

  it.each([0, 1, 5_000, 2_000_000])("copies a clean file of %d bytes, for its owner only", async (bytes) => {
    const content = filler(bytes);
    writeFileSync(join(folder, "file"), content);
    expect(await scrubFile({ from: join(folder, "file"), to: join(folder, "out"), secrets, signal: never })).toEqual({ is: "clean" });
    expect(readFileSync(join(folder, "out"))).toEqual(content);
    expect(statSync(join(folder, "out")).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["starts like bzip2", "BZh91AY is how it begins"],
    ["starts like zlib", "x^2 + y^2"],
    ["starts like zlib with a letter behind it", "x\u0685"],
    ["tells of a tar file", `${"0".repeat(148)}000000 ${"0".repeat(400)}`],
  ])("takes a text for a text that %s", async (_what, text) => {
    const { verdict, bytes } = await scrubbed(`${text} ${secret}`);
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(bytes?.toString()).toBe(`${text} ********`);
  });

  it("takes exactly 150 MB, and withholds one byte more", async () => {
    const path = join(folder, "large");
    writeFileSync(path, secret);
    truncateSync(path, fileLimitBytes);
    const { verdict, bytes } = await scrubbedPath(path);
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(bytes).toHaveLength(157_286_400);
    truncateSync(path, fileLimitBytes + 1);
    expect(reasonOf(await scrubbedPath(path))).toBe("it is larger than 157286400 bytes");
  });

  it("withholds links, folders and what is not there", async () => {
    writeFileSync(join(folder, "file"), "x");
    symlinkSync(join(folder, "file"), join(folder, "link"));
    expect(reasonOf(await scrubbedPath(join(folder, "link")))).toBe("it cannot be read or written (ELOOP)");
    expect(reasonOf(await scrubbedPath(folder))).toBe("it is not a regular file");
    expect(reasonOf(await scrubbedPath(join(folder, "none")))).toBe("it cannot be read or written (ENOENT)");
  });

  it("rejects with the reason of its signal, and leaves nothing behind", async () => {
    writeFileSync(join(folder, "file"), filler(2_000_000));
    const controller = new AbortController();
    const work = scrubFile({ from: join(folder, "file"), to: join(folder, "out"), secrets, signal: controller.signal });
    controller.abort(new Error("the run was cancelled"));
    await expect(work).rejects.toThrow("the run was cancelled");
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});

it.each([
  ["a text of 128 KB", "here", filler(131_072)],
  ["a text of one byte more", "in the thread", filler(131_073)],
  ["an archive, however short,", "in the thread", gzipSync("text")],
])("scrubs %s %s", async (_what, where, content) => {
  writeFileSync(join(folder, "file"), content);
  const worker = { scrub: async (): Promise<FileVerdict> => ({ is: "withheld", reason: "in the thread" }) };
  const verdict = await scrubFile({ from: join(folder, "file"), to: join(folder, "out"), secrets, signal: never }, worker);
  expect(verdict.is === "withheld" ? verdict.reason : "here").toBe(where);
});

/** Cost is bounded, and a file that cannot be searched does not leave. */
it("withholds every file where there are more secrets than are looked for", async () => {
  const many = Array.from({ length: 2_001 }, (_, index) => `secret number ${index}`);
  for (const [name, content] of Object.entries({ short: "text", long: filler(2_000_000), packed: gzipSync("text") })) {
    writeFileSync(join(folder, name), content);
    const verdict = await scrubFile({ from: join(folder, name), to: join(folder, "out"), secrets: many, signal: never });
    expect([name, verdict]).toEqual([name, { is: "withheld", reason: expect.stringMatching(/^the secrets to be masked have 2001 lines/) }]);
    expect(existsSync(join(folder, "out"))).toBe(false);
  }
});

describe("scrubFile on gzip", () => {
  it("unpacks, masks and packs again", async () => {
    const { verdict, bytes } = await scrubbed(gzipSync(`a ${secret} b`));
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(gunzipSync(bytes ?? "").toString()).toBe("a ******** b");
  });

  it("reads all members, and leaves a clean file as it is", async () => {
    const clean = Buffer.concat([gzipSync("one"), gzipSync("two")]);
    expect(await scrubbed(clean)).toEqual({ verdict: { is: "clean" }, bytes: clean });
    const { bytes } = await scrubbed(Buffer.concat([gzipSync(`one ${secret.slice(0, 7)}`), gzipSync(`${secret.slice(7)} two`)]));
    expect(gunzipSync(bytes ?? "").toString()).toBe("one ******** two");
  });

  it("masks what its header says", async () => {
    const packed = gzipSync("clean");
    const named = Buffer.concat([
      packed.subarray(0, 3),
      Buffer.from([8]),
      packed.subarray(4, 10),
      Buffer.from("another-secret-42\0"),
      packed.subarray(10),
    ]);
    expect(gunzipSync(named).toString()).toBe("clean");
    const { verdict, bytes } = await scrubbed(named);
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(findSecret(bytes ?? Buffer.alloc(0), "another-secret-42")).toEqual([]);
  });

  it.each([
    ["is cut", gzipSync(filler(5_000)).subarray(0, 40), "it is damaged"],
    ["is damaged", Buffer.concat([gzipSync(filler(5_000)).subarray(0, 40), Buffer.alloc(60, 7)]), "it is damaged"],
    ["has something behind its end", Buffer.concat([gzipSync("a"), Buffer.from([0, 0, 9])]), "it has bytes after its end"],
    ["unpacks to a thousand times its size", gzipSync(Buffer.alloc(64_000_000)), "it unpacks to more than 200 times its size"],
    ["is nested too deep", gzipSync(gzipSync(gzipSync("a"))), "archives are nested too deep"],
    ["has in it what is not opened", gzipSync(zstdCompressSync("a")), "zstd is not opened"],
    ["has zlib data in it", gzipSync(deflateSync(secret)), "zlib is not opened"],
  ])("withholds one that %s", async (_what, content, reason) => {
    expect(reasonOf(await scrubbed(content))).toBe(reason);
  });
});

describe("scrubFile on zip", () => {
  const log: ZipMember = { name: "logs/run.log", content: `x ${secret} y` };
  const clean: ZipMember = { name: "clean.txt", content: filler(10_000) };

  it("packs again what was hit, and keeps the packed bytes of the rest", async () => {
    const png: ZipMember = { name: "a.png", content: Buffer.from([0x89, 0, ...Buffer.from(secret), 1]), stored: true };
    const packed = zipFile([clean, log, png, { name: "late", content: "fine", descriptor: true }]);
    const { verdict, bytes } = await scrubbed(packed);
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(findSecret(bytes ?? Buffer.alloc(0), secret)).toEqual([]);
    const again = await scrubbed(bytes ?? "");
    expect(again).toEqual({ verdict: { is: "clean" }, bytes });
    expect(readZip(bytes ?? Buffer.alloc(0))).toEqual({
      "clean.txt": filler(10_000).toString(),
      "logs/run.log": "x ******** y",
      "a.png": Buffer.from([0x89, 0, ...Buffer.from("*".repeat(secret.length)), 1]).toString("latin1"),
      late: "fine",
    });
  });

  it("leaves a clean one as it is", async () => {
    const packed = zipFile([clean, { name: "folder/", content: "", stored: true }, { name: "late", content: "fine", descriptor: true }]);
    expect(await scrubbed(packed)).toEqual({ verdict: { is: "clean" }, bytes: packed });
    expect(await scrubbed(zipFile([]))).toMatchObject({ verdict: { is: "clean" } });
  });

  it.each([
    ["name", zipFile([clean, { name: "another-secret-42.txt", content: "fine" }])],
    ["comment", zipFile([{ ...clean, comment: "by another-secret-42" }])],
    ["comment of the file", zipFile([clean], { comment: "by another-secret-42" })],
    ["extra field", zipFile([{ ...clean, extra: Buffer.from("\x75\x70\x15\x00abcdanother-secret-42") }])],
  ])("masks the %s", async (_where, packed) => {
    const { verdict, bytes } = await scrubbed(packed);
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(findSecret(bytes ?? Buffer.alloc(0), "another-secret-42")).toEqual([]);
  });

  it("looks into an archive in it (M-04)", async () => {
    const { verdict, bytes } = await scrubbed(
      zipFile([
        { name: "in.zip", content: zipFile([log]) },
        { name: "in.gz", content: gzipSync(secret) },
      ]),
    );
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(findSecret(bytes ?? Buffer.alloc(0), secret, 6)).toEqual([]);
    expect(findSecret(zipFile([{ name: "in.zip", content: zipFile([log]) }]), secret)).not.toEqual([]);
  });

  it.each([
    ["is encrypted", zipFile([clean, { ...log, flags: 1 }]), "it is encrypted"],
    ["has another packing", zipFile([{ ...log, method: 93 }]), "its packing 93 is not opened"],
    ["is cut", zipFile([clean]).subarray(0, 100), "it is damaged"],
    ["has a wrong checksum", corrupted(zipFile([{ ...clean, stored: true }]), 100), "clean.txt: it is damaged"],
    [
      "has bytes before its entries",
      zipFile([{ ...log, content: "a" }], { before: zipFile([log]).subarray(0, 4) }),
      "it has bytes that belong to no entry",
    ],
    ["unpacks itself", Buffer.concat([Buffer.from("MZ\0\0"), zipFile([log])]), "it has bytes that belong to no entry"],
    [
      "is a script that unpacks itself",
      Buffer.concat([Buffer.from("#!/bin/sh\n"), zipFile([log])]),
      "it has bytes that belong to no entry",
    ],
    [
      "has in it one that unpacks itself",
      zipFile([{ name: "setup.exe", content: Buffer.concat([Buffer.from("MZ\0\0"), filler(200_000), zipFile([log])]) }]),
      "setup.exe: it is a zip file with something before it",
    ],
    ["says that it has fewer entries than it has", withCount(zipFile([clean, log]), 1), "it has bytes that belong to no entry"],
    ["has entries in one place", overlapping(zipFile([log, log])), "it has bytes that belong to no entry"],
    ["has bytes between its entries", zipFile([clean, clean], { gap: Buffer.from("hidden") }), "it has bytes that belong to no entry"],
    [
      "has in it what is not opened",
      zipFile([{ name: "a.7z", content: Buffer.from("7z\xbc\xaf\x27\x1c....", "latin1") }]),
      "a.7z: 7z is not opened",
    ],
    ["has brotli in it", zipFile([{ name: "a.js.br", content: brotliCompressSync(secret) }]), "a.js.br: brotli is not opened"],
    [
      "is nested too deep",
      zipFile([{ name: "a", content: zipFile([{ name: "b", content: zipFile([log]) }]) }]),
      "a: b: archives are nested too deep",
    ],
    [
      "unpacks to too much",
      zipFile([{ name: "zeros", content: Buffer.alloc(64_000_000) }]),
      "zeros: it unpacks to more than 200 times its size",
    ],
  ])("withholds one that %s (M-04)", async (_what, packed, reason) => {
    expect(reasonOf(await scrubbed(packed))).toBe(reason);
  });

  it("tells no secret in a reason", async () => {
    const reason = reasonOf(await scrubbed(zipFile([{ name: "another-secret-42.xz", content: Buffer.from("\xfd7zXZ\0....", "latin1") }])));
    expect(reason).toBe("********.xz: xz is not opened");
  });

  function withCount(packed: Buffer, count: number): Buffer {
    for (const at of [8, 10]) packed.writeUInt16LE(count, packed.length - 22 + at);
    return packed;
  }

  /** The directory names the first entry twice, as bombs do. */
  function overlapping(packed: Buffer): Buffer {
    packed.writeUInt32LE(0, packed.lastIndexOf(Buffer.from("PK\x01\x02", "latin1")) + 42);
    return packed;
  }

  function corrupted(packed: Buffer, at: number): Buffer {
    packed[at] = (packed[at] ?? 0) ^ 1;
    return packed;
  }
});

if (!hasTar) process.stdout.write("scrubbing of tar files is skipped: tar is not installed\n");
describe.skipIf(!hasTar)("scrubFile on tar", () => {
  it("masks members in their length, and looks into archives in it, inside gzip too", async () => {
    const tar = tarOf({ "a.log": `x ${secret} y`, "b/deep.gz": gzipSync(`${secret}`), "c.txt": filler(5_000) });
    for (const [packed, open] of [
      [tar, (bytes: Buffer) => bytes],
      [gzipSync(tar), (bytes: Buffer) => gunzipSync(bytes)],
    ] as const) {
      const { verdict, bytes } = await scrubbed(packed);
      expect(verdict).toEqual({ is: "scrubbed" });
      expect(findSecret(bytes ?? Buffer.alloc(0), secret, 6)).toEqual([]);
      const files = untar(open(bytes ?? Buffer.alloc(0)));
      expect(files["a.log"]).toBe(`x ${"*".repeat(secret.length)} y`);
      expect(files["c.txt"]).toBe(filler(5_000).toString());
      expect(gunzipSync(Buffer.from(files["deep.gz"] ?? "", "latin1")).toString()).toBe("********");
    }
  });

  it("masks names, short, long and very long", async () => {
    for (const format of ["gnu", "posix", "ustar"]) {
      const long = `${"d".repeat(60)}/another-secret-42/${"e".repeat(60)}.txt`;
      const { verdict, bytes } = await scrubbed(tarOf({ "another-secret-42.txt": "fine", [long]: "fine" }, `--format=${format}`));
      expect(verdict).toEqual({ is: "scrubbed" });
      expect(findSecret(bytes ?? Buffer.alloc(0), "another-secret-42", 1)).toEqual([]);
      expect(Object.values(untar(bytes ?? Buffer.alloc(0)))).toContain("fine");
    }
  });

  it.each(["v7", "gnu", "posix", "ustar"])("opens archives in one of the format %s", async (format) => {
    const { verdict, bytes } = await scrubbed(tarOf({ "deep.gz": gzipSync(secret) }, `--format=${format}`));
    expect(verdict).toEqual({ is: "scrubbed" });
    expect(findSecret(bytes ?? Buffer.alloc(0), secret, 6)).toEqual([]);
    expect(gunzipSync(Buffer.from(untar(bytes ?? Buffer.alloc(0))["deep.gz"] ?? "", "latin1")).toString()).toBe("********");
  });

  it("withholds a sparse one, whose holes other programs fill", async () => {
    const from = mkdtempSync(join(folder, "tar-"));
    writeFileSync(join(from, "sparse"), "");
    truncateSync(join(from, "sparse"), 10_000_000);
    for (const format of ["gnu", "posix"]) {
      const tar = execFileSync("tar", ["-C", from, "-S", `--format=${format}`, "-cf", "-", "."]);
      expect(reasonOf(await scrubbed(tar))).toMatch(/ is not opened$/);
    }
    rmSync(from, { recursive: true });
  });

  it("leaves a clean one as it is", async () => {
    const packed = gzipSync(tarOf({ "a.txt": filler(3_000) }));
    expect(await scrubbed(packed)).toEqual({ verdict: { is: "clean" }, bytes: packed });
  });

  it("withholds a damaged one, and one with bytes behind its end", async () => {
    const tar = tarOf({ "a.txt": "fine" });
    expect(reasonOf(await scrubbed(Buffer.concat([tar, Buffer.from(secret)])))).toBe("it has bytes after its end");
    tar[10] = 0x41;
    expect(reasonOf(await scrubbed(tar))).toBe("it is damaged");
  });
});

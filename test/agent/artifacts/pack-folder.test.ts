import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { extract } from "tar";
import { describe, expect, it } from "vitest";
import { packFolder } from "../../../src/agent/artifacts/pack-folder.ts";
import { temporaryFolder } from "../agent-under-test.ts";

const signal = new AbortController().signal;
const bounds = { bytes: 10_000_000, files: 100 };

async function unpacked(archive: string, into: string): Promise<Record<string, string>> {
  mkdirSync(into);
  await extract({ file: archive, cwd: into });
  const files = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(into.length + 1), readFileSync(join(parentPath, name), "base64")]),
  );
}

describe("a packed folder", () => {
  it("has the same files, byte by byte, however they are called", async () => {
    using place = temporaryFolder();
    const folder = join(place.path, "folder");
    mkdirSync(join(folder, "deep", "er"), { recursive: true });
    mkdirSync(join(folder, "empty"));
    const names = ["a.txt", "@list", "-x", "--help", "with space", "ü\n.bin", "deep/er/b", `${"long".repeat(40)}.log`];
    const contents = Object.fromEntries(names.map((name) => [name, randomBytes(5_000)]));
    for (const [name, bytes] of Object.entries(contents)) writeFileSync(join(folder, name), bytes);
    const to = join(place.path, "out.tar.gz");
    expect(await packFolder({ folder, to, bounds, signal })).toBe(names.length);
    expect(statSync(to).mode & 0o777).toBe(0o600);
    const found = await unpacked(to, join(place.path, "again"));
    expect(found).toEqual(Object.fromEntries(Object.entries(contents).map(([name, bytes]) => [name, bytes.toString("base64")])));
  });

  it("has nothing that a link leads to, and nothing of this machine's users and times", async () => {
    using place = temporaryFolder();
    const folder = join(place.path, "folder");
    mkdirSync(folder);
    writeFileSync(join(place.path, "outside"), "not to be packed");
    writeFileSync(join(folder, "inside"), "x");
    symlinkSync(join(place.path, "outside"), join(folder, "link"));
    symlinkSync("/etc", join(folder, "folder-link"));
    const [first, second] = [join(place.path, "1.tar.gz"), join(place.path, "2.tar.gz")];
    await packFolder({ folder, to: first, bounds, signal });
    expect(Object.keys(await unpacked(first, join(place.path, "again")))).toEqual(["inside"]);
    writeFileSync(join(folder, "inside"), "x");
    await packFolder({ folder, to: second, bounds, signal });
    expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
  });

  it.each([
    { what: "bytes", bounds: { bytes: 1_999, files: 100 } },
    { what: "files", bounds: { bytes: 10_000, files: 1 } },
  ])("has bounds: too many $what are refused", async ({ bounds: tight }) => {
    using place = temporaryFolder();
    const folder = join(place.path, "folder");
    mkdirSync(folder);
    for (const name of ["a", "b"]) writeFileSync(join(folder, name), randomBytes(1_000));
    await expect(packFolder({ folder, to: join(place.path, "x"), bounds: tight, signal })).rejects.toMatchObject({ code: "too_large" });
  });
});

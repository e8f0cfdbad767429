import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";
import { loadDataKey, replaceDataKey } from "../../src/control-plane/keys/data-key.ts";
import { encryptionKeyBytes } from "../../src/control-plane/keys/encryption-key.ts";
import { createSealing } from "../../src/control-plane/keys/sealing.ts";
import { useEngines } from "./storage/fixture.ts";

const engines = await useEngines();
const [a, b, c] = ["aa", "bb", "cc"].map((pair) => new Secret(pair.repeat(32)));
const lines: string[] = [];
const log = { info: (_fields: object, message?: string) => void lines.push(message ?? "") };

type Config = Parameters<typeof loadDataKey>[0];
const bare = { databaseUrl: null, keyPepper: null, encryptionKey: null, previousEncryptionKeys: [] };

describe("an encryption key", () => {
  const bytes = Buffer.alloc(32, 0xfb);
  it.each([
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    ` ${bytes.toString("hex")}\n`,
  ])("is 32 bytes: %s", (text) => {
    expect(encryptionKeyBytes(text)).toEqual(bytes);
  });
  it.each([
    "",
    "hunter2",
    "a".repeat(63),
    "a".repeat(65),
    Buffer.alloc(31).toString("base64"),
    Buffer.alloc(33).toString("base64"),
    `${"a".repeat(42)}!`,
  ])("is nothing else: %s", (text) => {
    expect(encryptionKeyBytes(text)).toBeNull();
  });
});

describe.each(engines.oneServer)("the data key on %s", (engine) => {
  async function store() {
    const at = await engines.place(engine);
    const { marks } = await engines.open(engine, at);
    const config: Config = { ...bare, dataDir: at.dataDir };
    return { marks, config, file: join(at.dataDir, "encryption.key") };
  }

  it("is made at the first start, under a file for this user alone, and stays the same", async () => {
    const { marks, config, file } = await store();
    const first = await loadDataKey(config, marks, log);
    expect([first.no, first.key.length]).toEqual([1, 32]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    expect(await loadDataKey(config, marks, log)).toEqual(first);
    const kept = (await marks.find("data-key")) ?? "";
    expect(kept).not.toContain(Buffer.from(first.key).toString("base64").slice(0, 20));
  });

  it("is one of two starts at once", async () => {
    const { marks, config } = await store();
    const starts = Array.from({ length: 20 }, () => loadDataKey(config, marks, log));
    const [first, ...others] = await Promise.all(starts);
    expect(others).toEqual(others.map(() => first));
    expect((await readdir(config.dataDir)).filter((name) => name.startsWith("encryption.key"))).toEqual(["encryption.key"]);
  });

  it("needs no folder where the key is given", async () => {
    const { marks } = await store();
    const config: Config = { ...bare, dataDir: "/proc/nowhere", encryptionKey: a as Secret };
    expect(await loadDataKey(config, marks, log)).toEqual(await loadDataKey(config, marks, log));
  });

  it("is not opened with another key, nor without one", async () => {
    const { marks, config, file } = await store();
    const first = await loadDataKey({ ...config, encryptionKey: a as Secret }, marks, log);
    await expect(loadDataKey({ ...config, encryptionKey: b as Secret }, marks, log)).rejects.toThrow(
      /^ENCRYPTION_KEY is not the one that the secrets of this store are encrypted under: .*reset-encryption$/,
    );
    await expect(loadDataKey(config, marks, log)).rejects.toThrow(/^There is no ENCRYPTION_KEY and no file .*encryption\.key, but/);
    await expect(stat(file)).rejects.toThrow("ENOENT"); // nothing was made that would mislead
    await expect(loadDataKey({ ...config, databaseUrl: new Secret("postgres://x") }, marks, log)).rejects.toThrow(
      /the same for every process/,
    );
    expect(await loadDataKey({ ...config, encryptionKey: a as Secret }, marks, log)).toEqual(first);
  });

  it("says which file is another one, or damaged", async () => {
    const { marks, config, file } = await store();
    await loadDataKey({ ...config, encryptionKey: a as Secret }, marks, log);
    await writeFile(file, `${"0".repeat(64)}\n`);
    await expect(loadDataKey(config, marks, log)).rejects.toThrow(`ENCRYPTION_KEY is not set, and that of ${file} is not the one`);
    await writeFile(file, "half");
    await expect(loadDataKey(config, marks, log)).rejects.toThrow(`The file ${file} is damaged`);
    expect(await readFile(file, "utf8")).toBe("half");
  });

  it("is kept under another key when both are given, and the one before opens nothing then", async () => {
    const { marks, config } = await store();
    const first = await loadDataKey({ ...config, encryptionKey: a as Secret }, marks, log);
    const both = { ...config, encryptionKey: b as Secret, previousEncryptionKeys: [c as Secret, a as Secret] };
    expect(await loadDataKey(both, marks, log)).toEqual(first);
    expect(lines.at(-1)).toBe("replaced the encryption key; the previous one is no longer needed");
    const said = lines.length;
    expect(await loadDataKey(both, marks, log)).toEqual(first);
    expect(lines).toHaveLength(said);
    expect(await loadDataKey({ ...config, encryptionKey: b as Secret }, marks, log)).toEqual(first);
    await expect(loadDataKey({ ...config, encryptionKey: a as Secret }, marks, log)).rejects.toThrow(ConfigError);
  });

  it("stays the same in processes that run, and in those that start with both at once, while it is replaced", async () => {
    const at = await engines.place(engine);
    const { marks } = await engines.open(engine, at);
    const config: Config = { ...bare, dataDir: at.dataDir };
    const running = createSealing(await loadDataKey({ ...config, encryptionKey: a ?? null }, marks, log), "pepper");
    const place = { kind: "variable", accountId: 1, row: "TOKEN", field: "value" };
    const replacing = { ...config, encryptionKey: b ?? null, previousEncryptionKeys: [a ?? new Secret("")] };
    const sealed: string[] = [];
    const started = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        sealed.push(running.seal(`before ${index}`, place));
        const key = await loadDataKey(replacing, marks, log);
        sealed.push(running.seal(`after ${index}`, place));
        return createSealing(key, "pepper");
      }),
    );
    for (const one of started) expect(sealed.map((text) => one.unseal(text, place))).not.toContain(null);
    expect(started.map((one) => running.unseal(one.seal("new", place), place))).toEqual(started.map(() => "new"));
    await expect(loadDataKey({ ...config, encryptionKey: a ?? null }, marks, log)).rejects.toThrow(ConfigError);
  });

  it("goes from the file to a key that is given", async () => {
    const { marks, config, file } = await store();
    const first = await loadDataKey(config, marks, log);
    const before = new Secret((await readFile(file, "utf8")).trim());
    expect(await loadDataKey({ ...config, encryptionKey: b as Secret, previousEncryptionKeys: [before] }, marks, log)).toEqual(first);
  });

  it("is made under no file where nothing keeps the folder", async () => {
    const { marks, config, file } = await store();
    const served: Config = { ...config, databaseUrl: new Secret("postgres://x"), keyPepper: new Secret("p".repeat(32)) };
    await expect(loadDataKey(served, marks, log)).rejects.toThrow(
      /^ENCRYPTION_KEY is not set: .*the same for every process of this database/,
    );
    await expect(stat(file)).rejects.toThrow("ENOENT");
    expect(await marks.find("data-key")).toBeUndefined();
  });

  it("is another one after an operator began anew", async () => {
    const { marks, config } = await store();
    const first = await loadDataKey({ ...config, encryptionKey: a as Secret }, marks, log);
    await replaceDataKey({ ...config, encryptionKey: b as Secret }, marks);
    const second = await loadDataKey({ ...config, encryptionKey: b as Secret }, marks, log);
    expect([first.no, second.no]).toEqual([1, 2]);
    expect(second.key).not.toEqual(first.key);
  });
});

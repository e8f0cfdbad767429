import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/daemon/env.ts";
import { readSecretFile } from "../../src/daemon/secret-file.ts";

const folder = mkdtempSync(join(tmpdir(), "outpost-secret-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string, mode: number): string {
  const path = join(folder, `secret-${mode.toString(8)}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe("a secret's file", () => {
  it.each([0o600, 0o400, 0o440, 0o660])("is read with mode %o, without the blanks around it", (mode) => {
    expect(readSecretFile("X_FILE", file(" secret\r\n", mode)).reveal()).toBe("secret");
  });

  it.each([0o644, 0o604, 0o602, 0o777])("is refused with mode %o, and the sentence says what to run", (mode) => {
    const path = file("secret", mode);
    expect(() => readSecretFile("X_FILE", path)).toThrow(ConfigError);
    expect(() => readSecretFile("X_FILE", path)).toThrow(
      `X_FILE: ${path} is open to every user of this machine (mode 0${mode.toString(8)}); run: chmod 600 ${path}`,
    );
  });

  it("counts as what a link leads to, also where the link lies among mounted secrets", () => {
    const link = join(folder, "link");
    symlinkSync(file("secret", 0o644), link);
    expect(() => readSecretFile("X_FILE", link)).toThrow("is open to every user");
  });

  it.each([
    ["a folder", folder, "is no file"],
    ["a device that never ends", "/dev/zero", "is no file"],
    ["a path below a file", join(file("secret", 0o600), "x"), "cannot be read (ENOTDIR)"],
    ["a missing file", "/nowhere/secret", "cannot be read (ENOENT); check the path, and that it is mounted"],
    ["blanks only", file("\n", 0o620), "is empty"],
    ["a large file", file("x".repeat(70_000), 0o640), "is too large for a secret (70000 bytes)"],
  ])("is refused when it is %s", (_title, path, sentence) => {
    expect(() => readSecretFile("X_FILE", path)).toThrow(`X_FILE: ${path} ${sentence}`);
  });
});

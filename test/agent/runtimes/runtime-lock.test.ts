import { describe, expect, it } from "vitest";
import { runtimeCatalog, runtimeIds } from "#contract/runtime-catalog.ts";
import { lockModule } from "../../../src/agent/runtimes/lock-module.ts";
import { locks } from "../../../src/agent/runtimes/locks/index.ts";
import { installable } from "../../../src/agent/runtimes/resolve-packages.ts";
import { asPackageLock, lockedVersions, lockFrom, lockProblem } from "../../../src/agent/runtimes/runtime-lock.ts";

const resolved = {
  packages: {
    "": { name: "outpost-runtime-2026.04", version: "1.0.0" },
    "node_modules/@deep/pad": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/left": { version: "2.0.0", integrity: "sha512-b" },
    "node_modules/left/node_modules/@deep/pad": { version: "0.9.0", integrity: "sha512-c" },
    "node_modules/left/node_modules/within": { version: "1.0.0", inBundle: true },
    "node_modules/pad-cjs": { name: "pad", version: "3.0.0", integrity: "sha512-d" },
  },
};

describe("a runtime's lock", () => {
  it("says places and versions in words, also of nested and renamed packages", () => {
    const lock = lockFrom(resolved);
    expect(lock.words).toBe("@deep/pad@1.0.0 left@2.0.0 left>@deep/pad@0.9.0 pad-cjs@npm:pad@3.0.0");
    expect(lockedVersions(lock).get("left>@deep/pad")).toBe("0.9.0");
    expect(asPackageLock(lock)).toMatchObject({
      lockfileVersion: 1,
      dependencies: {
        "@deep/pad": { version: "1.0.0" },
        left: { version: "2.0.0", dependencies: { "@deep/pad": { version: "0.9.0" } } },
        "pad-cjs": { version: "npm:pad@3.0.0" },
      },
    });
    expect(lockProblem(lock, resolved, false)).toBeNull();
  });

  it.each([
    ["another version", { version: "2.0.1", integrity: "sha512-b" }, "npm resolved left otherwise than locked"],
    ["other contents", { version: "2.0.0", integrity: "sha512-x" }, "other contents"],
    ["no archive", { version: "2.0.0" }, "npm's registry here does not have left@2.0.0"],
  ])("notices %s", (_what, left, problem) => {
    const changed = { packages: { ...resolved.packages, "node_modules/left": left } };
    expect(lockProblem(lockFrom(resolved), changed, false)).toContain(problem);
  });

  it.each([
    ["beside the locked ones, with one asked for that it does not know", "more", true, null],
    ["beside the locked ones, though all is locked", "more", false, "npm resolved more, which nothing that is locked needs"],
    ["inside a locked one", "left/node_modules/pad-cjs", true, "npm resolved left>pad-cjs, which nothing that is locked needs"],
    ["inside a package beyond it", "more/node_modules/pad-cjs", true, null],
  ])("judges a package beyond it, %s", (_where, path, hasUnlocked, problem) => {
    const more = { packages: { ...resolved.packages, [`node_modules/${path}`]: { version: "1.0.0", integrity: "sha512-m" } } };
    expect(lockProblem(lockFrom(resolved), more, hasUnlocked)).toBe(problem);
  });

  it("is a source file of lines that fit, which reads back as the same words", () => {
    const words = Array.from({ length: 200 }, (_, index) => `package-${index}@1.0.${index}`).join(" ");
    const module = lockModule("2026.04", { sha256: "0", words });
    expect(module.split("\n").filter((line) => line.length > 140)).toEqual([]);
    expect(module.match(/\S+@\d\S+/g)?.join(" ")).toBe(words);
  });

  it.each(runtimeIds)("of %s has the catalog's very versions, and at least nine in ten of its packages", (id) => {
    const runtime = runtimeCatalog.find(({ name }) => name === id);
    const named = Object.entries(installable(runtime ?? { dependencies: {} }).packages);
    const versions = lockedVersions(locks[id]);
    const known = named.filter(([name]) => versions.has(name));
    expect(known.filter(([name, version]) => versions.get(name) !== version)).toEqual([]);
    expect(known.length).toBeGreaterThanOrEqual(Math.floor(named.length * 0.9));
    expect(locks[id].sha256).toMatch(/^[0-9a-f]{64}$/);
  });
});

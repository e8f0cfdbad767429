import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { introduce, newIdentity } from "../../../src/agent/contact/introduction.ts";
import { announcedRuntimes } from "../../../src/agent/runtimes/announced-runtimes.ts";
import { findRuntimes } from "../../../src/agent/runtimes/find-runtimes.ts";
import { logOf, temporaryFolder } from "../agent-under-test.ts";
import { runtimeFolder } from "./runtime-folder.ts";

const nowMs = Date.UTC(2026, 5, 1);

describe("the runtimes of an agent", () => {
  it("are those that are whole; they go into its introduction", async () => {
    using folder = temporaryFolder();
    runtimeFolder(folder.path, "2026.04");
    runtimeFolder(folder.path, "2025.04");
    mkdirSync(join(folder.path, "lost+found"));
    mkdirSync(join(folder.path, ".new-2024.09-1-ab-host"));
    const { log, lines } = logOf();
    const runtimes = await announcedRuntimes(folder.path, log, nowMs);
    expect(runtimes).toEqual(["2026.04", "2025.04"]);
    expect(lines).toEqual([]);
    expect(introduce(newIdentity(), { runners: {}, runtimes }, "off").runtimes).toEqual(["2026.04", "2025.04"]);
    expect(introduce(newIdentity(), { runners: {} }, "off").runtimes).toEqual([]);
  });

  it("are none where there is no folder", async () => {
    expect(await findRuntimes("/nowhere/at/all")).toEqual({ installed: [], broken: [] });
  });

  const breaks: readonly (readonly [string, string, (path: string) => void])[] = [
    ["no manifest", "its manifest, runtime.json, is missing", (path) => rmSync(join(path, "runtime.json"))],
    ["half a manifest", "cannot be read (not in its format)", (path) => writeFileSync(join(path, "runtime.json"), '{"format":1,')],
    ["a package gone", "its package left is missing", (path) => rmSync(join(path, "node_modules/left"), { recursive: true })],
    ["no Node.js", "its Node.js does not start (ENOENT)", (path) => rmSync(join(path, "bin/node"))],
    ["a Node.js that is not executable", "its Node.js does not start (EACCES)", (path) => chmodSync(join(path, "bin/node"), 0o644)],
    ["another Node.js", "says that it is v20.0.0", (path) => writeFileSync(join(path, "bin/node"), "#!/bin/sh\necho v20.0.0\n")],
    [
      "a Node.js without its libraries",
      "its Node.js does not start (libatomic.so.1: cannot open shared object file)",
      (path) =>
        writeFileSync(join(path, "bin/node"), "#!/bin/sh\necho node: libatomic.so.1: cannot open shared object file >&2; exit 127\n"),
    ],
  ];
  it.each(breaks)("leave out one with %s, with one warning", async (_what, because, break_) => {
    using folder = temporaryFolder();
    runtimeFolder(folder.path, "2026.04");
    break_(runtimeFolder(folder.path, "2025.04"));
    const { log, lines } = logOf();
    expect(await announcedRuntimes(folder.path, log, nowMs)).toEqual(["2026.04"]);
    expect(lines).toEqual([expect.objectContaining({ runtime: "2025.04", because: expect.stringContaining(because) })]);
  });

  it.each([
    [{ platform: "linux-s390x" }, "it was installed for linux-s390x"],
    [{ runtimeId: "2024.09" }, "it holds runtime 2024.09"],
  ])("leave out one that says of itself %o", async (said, because) => {
    using folder = temporaryFolder();
    runtimeFolder(folder.path, "2025.04", said);
    const { broken } = await findRuntimes(folder.path);
    expect(broken).toEqual([{ id: "2025.04", because: expect.stringContaining(because) }]);
  });

  it("are announced past their end of life, with a warning that names the day", async () => {
    using folder = temporaryFolder();
    runtimeFolder(folder.path, "2024.09");
    const { log, lines } = logOf();
    expect(await announcedRuntimes(folder.path, log, nowMs)).toEqual(["2024.09"]);
    expect(lines).toEqual([expect.objectContaining({ runtime: "2024.09", endOfLife: "2025-04-30" })]);
  });
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const body = "\nProxies with a private CA ended every poll, and nothing said which.\nThe doctor now names its issuer.\n";

/** What the check says of a message, "" where it is fine. */
function complaint(message: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "commits-")), "message");
  writeFileSync(file, message);
  const { status, stderr } = spawnSync("bash", [".ci/commits", "--message", file], { encoding: "utf8" });
  expect(status).toBe(stderr === "" ? 0 : 1);
  return stderr;
}

describe("a commit's message", () => {
  it("has a subject with its area, and a body that says why", () => {
    expect(complaint(`doctor: names a missing private CA\n${body}`)).toBe("");
    expect(complaint(`status pages: a day with an open incident says so\n${body}`)).toBe("");
  });

  it.each([
    ["a long subject", `doctor: ${"x".repeat(65)}\n${body}`, "the subject has 73 characters"],
    ["no area", `Names a missing private CA\n${body}`, "area: what changes for whom"],
    ["no body", "doctor: names a missing private CA\n", "the body has 0 lines"],
    ["a body of a line", "doctor: names a missing private CA\n\nIt was missing.\n", "the body has 1 lines"],
    ["a body like a page", `doctor: names a missing private CA\n\n${"It was missing.\n".repeat(11)}`, "the body has 11 lines"],
  ])("is refused with %s", (_what, message, problem) => {
    expect(complaint(message)).toContain(problem);
  });
});

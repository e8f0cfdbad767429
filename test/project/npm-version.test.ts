import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { releaseNotes } from "../../.ci/changelog.ts";
import { isLater } from "../../.ci/versions.ts";
import { pages, realRepository, repository } from "./release-repository.ts";

describe("npm version", () => {
  const env = {
    ...process.env,
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@t.invalid",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@t.invalid",
  };
  const npmVersion = (folder: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("npm", ["version", ...args], { cwd: folder, env, encoding: "utf8" });
    return { status, text: stdout + stderr };
  };

  it("makes one commit with a tag, in which package.json, the changelog and both charts have the version", () => {
    using repo = repository();
    expect(npmVersion(repo.folder, "minor")).toMatchObject({ status: 0 });
    expect(repo.git("tag", "--points-at", "HEAD").trim()).toBe("v0.2.0");
    expect(repo.git("status", "--porcelain")).toBe("");
    const changed = repo.git("show", "--name-only", "--format=", "HEAD").trim().split("\n");
    expect(changed).toEqual([
      "CHANGELOG.md",
      "charts/agent/Chart.yaml",
      "charts/control-plane/Chart.yaml",
      "compose.yaml",
      "package-lock.json",
      "package.json",
    ]);
    expect(readFileSync(join(repo.folder, "CHANGELOG.md"), "utf8")).toMatch(
      /## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n### Upgrading/,
    );
    expect(readFileSync(join(repo.folder, "charts/agent/Chart.yaml"), "utf8")).toContain('version: 0.2.0\nappVersion: "0.2.0"\n');
    expect(readFileSync(join(repo.folder, "compose.yaml"), "utf8")).toContain("/outpost/agent:0.2.0\n");
  });

  it("makes the next release of this repository as it is: changelog, charts and pages tell its version, and none the old one", () => {
    using repo = realRepository();
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    const next = isLater("1.0.0", version) ? "1.0.0" : `${Number.parseInt(version, 10) + 1}.0.0`;
    const unreleased = releaseNotes(readFileSync(join(repo.folder, "CHANGELOG.md"), "utf8"), "Unreleased");
    expect(npmVersion(repo.folder, next)).toMatchObject({ status: 0 });
    expect(repo.git("tag", "--points-at", "HEAD").trim()).toBe(`v${next}`);
    expect(repo.git("status", "--porcelain")).toBe("");
    const text = readFileSync(join(repo.folder, "CHANGELOG.md"), "utf8");
    expect(text).toMatch(new RegExp(`^## Unreleased\\n\\n## ${RegExp.escape(next)} - \\d{4}-\\d\\d-\\d\\d\\n\\n`, "m"));
    const notes = spawnSync(process.execPath, [".ci/notes.ts", next], { cwd: repo.folder, encoding: "utf8" });
    expect(notes.stdout).toBe(unreleased);
    for (const name of ["agent", "control-plane"])
      expect(readFileSync(join(repo.folder, `charts/${name}/Chart.yaml`), "utf8")).toContain(`version: ${next}\nappVersion: "${next}"\n`);
    const old = version.replaceAll(".", "\\\\?\\.");
    expect(
      spawnSync("git", ["grep", "-nE", `(^|[^0-9.])${old}($|[^0-9.])`, "--", ...pages], { cwd: repo.folder, encoding: "utf8" }).stdout,
    ).toBe("");
  });

  it.each([
    [
      "an empty changelog",
      (folder: string) => writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n"),
      ["0.2.0"],
      "Nothing stands under Unreleased",
    ],
    ["an earlier version", () => undefined, ["0.0.9"], "must be later than 0.1.0, not 0.0.9"],
    [
      "a missing chart",
      (folder: string) => rmSync(join(folder, "charts/agent"), { recursive: true }),
      ["0.2.0"],
      "charts/agent/Chart.yaml not found",
    ],
  ])("refuses %s, and leaves everything as it was", (_what, change, args, problem) => {
    using repo = repository();
    change(repo.folder);
    repo.git("add", "-A");
    repo.git("commit", "-q", "--allow-empty", "-m", "changed");
    const { status, text } = npmVersion(repo.folder, ...args);
    expect(status).not.toBe(0);
    expect(text).toContain(problem);
    expect(repo.git("status", "--porcelain") + repo.git("tag")).toBe("");
  });

  it("refuses a tree with a file that nobody added", () => {
    using repo = repository();
    writeFileSync(join(repo.folder, "forgotten.ts"), "");
    expect(npmVersion(repo.folder, "0.2.0")).toMatchObject({ status: 1, text: expect.stringContaining("forgotten.ts") });
  });
});

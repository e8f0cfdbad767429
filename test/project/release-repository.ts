import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const epoch = 1_800_000_000;
export const changelog =
  "# Changelog\n\n## Unreleased\n\n### Upgrading\n\n- Do this.\n\n### Added\n\n- That.\n\n## 0.1.0 - 2026-10-01\n\n### Added\n\n- All.\n";

/** What tells operators which version to take. */
export const pages = ["README.md", "SECURITY.md", "compose.yaml", "Dockerfile", "docs/operations", "docs/runtimes.md", "charts"];

/** A repository with what a release needs and images that are made in no time. */
export function repository(): { readonly folder: string; readonly git: (...args: string[]) => string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "outpost-release-"));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.invalid", "-c", "init.defaultBranch=main", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, GIT_AUTHOR_DATE: `${epoch} +0000`, GIT_COMMITTER_DATE: `${epoch} +0000` },
    });
  cpSync(".ci", join(folder, ".ci"), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules")); // with the Node.js that a release is held against
  cpSync("package-lock.json", join(folder, "package-lock.json"));
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const { preversion, version } = manifest.scripts;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, version: "0.1.0", scripts: { preversion, version } }, null, 2));
  writeFileSync(join(folder, "CHANGELOG.md"), changelog);
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  cpSync("compose.yaml", join(folder, "compose.yaml"));
  for (const name of ["agent", "control-plane"]) {
    mkdirSync(join(folder, "charts", name, "templates"), { recursive: true });
    writeFileSync(join(folder, "charts", name, "values.yaml"), 'image:\n  # registry in front\n  registry: ""\nproxy:\n  registry: ""\n');
    writeFileSync(
      join(folder, "charts", name, "Chart.yaml"),
      `apiVersion: v2\nname: outpost-${name}\ndescription: A chart\nversion: 0.1.0\nappVersion: 0.1.0\n`,
    );
  }
  const stages = ["agent", "agent-browser", "agent-uptime", "control-plane", "all", "migration"].map(
    (target) =>
      `FROM scratch AS ${target}\nARG VERSION\nARG REVISION\nLABEL v="\${VERSION} \${REVISION}"\nCOPY CHANGELOG.md /app/\nCOPY sbom.json /app/sbom.cdx.json\n`,
  );
  writeFileSync(join(folder, "Dockerfile"), stages.join("\n"));
  writeFileSync(join(folder, "sbom.json"), "{}\n");
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "all");
  return { folder, git, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A copy of what `npm version` reads and writes here, with a change to release where the last release was just made. */
export function realRepository(): ReturnType<typeof repository> {
  const repo = repository();
  const files = execFileSync("git", ["ls-files", ".ci", "CHANGELOG.md", "package.json", "package-lock.json", ...pages], {
    encoding: "utf8",
  });
  for (const path of files.trim().split("\n")) cpSync(path, join(repo.folder, path));
  const text = readFileSync("CHANGELOG.md", "utf8");
  const isReleased = /^## Unreleased\s+## /m.test(text);
  if (isReleased) writeFileSync(join(repo.folder, "CHANGELOG.md"), text.replace("## Unreleased", "## Unreleased\n\n### Added\n\n- That."));
  repo.git("add", "-A");
  repo.git("commit", "-q", "-m", "as it is");
  return repo;
}

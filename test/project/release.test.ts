import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { changelogProblems, releasedChangelog, releaseNotes } from "../../.ci/changelog.ts";
import { cycloneDx } from "../../.ci/cyclonedx.ts";
import { chartAt, isLater, namesAt } from "../../.ci/versions.ts";
import { chartTools } from "../support/chart-tools.ts";

const epoch = 1_800_000_000;
const changelog =
  "# Changelog\n\n## Unreleased\n\n### Upgrading\n\n- Do this.\n\n### Added\n\n- That.\n\n## 0.1.0 - 2026-10-01\n\n### Added\n\n- All.\n";

describe("CHANGELOG.md", () => {
  it("holds its conventions, so that a release can be made from it at any time", () => {
    expect(changelogProblems(readFileSync("CHANGELOG.md", "utf8"))).toEqual([]);
  });

  it("gets the version and the day over what was unreleased, and an empty section above", () => {
    const released = releasedChangelog(changelog, "0.2.0", "2026-11-20");
    expect(released).toContain("## Unreleased\n\n## 0.2.0 - 2026-11-20\n\n### Upgrading\n\n- Do this.");
    expect(releaseNotes(released, "0.2.0")).toBe("### Upgrading\n\n- Do this.\n\n### Added\n\n- That.\n");
    expect(releaseNotes(released, "0.1.0")).toBe("### Added\n\n- All.\n");
    expect(changelogProblems(released)).toEqual([]);
  });

  it.each([
    ["nothing is unreleased", "# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-10-01\n", "Nothing stands under Unreleased"],
    ["the version is there", changelog.replace("0.1.0", "0.2.0"), "has a section 0.2.0 already"],
    ["there is no Unreleased", changelog.replace("## Unreleased", "## Next"), 'must be "## Unreleased"'],
    ["a kind is unknown", changelog.replace("### Upgrading", "### Chores"), '"### Chores" under Unreleased must be one of'],
    ["upgrading comes late", changelog.replace("### Upgrading", "### Fixed"), "must stand once each, in this order"],
    ["a version has no day", changelog.replace("0.1.0 - 2026-10-01", "0.1.0"), "must be a version and its day"],
  ])("is refused when %s", (_when, text, problem) => {
    expect(() => releasedChangelog(text, "0.2.0", "2026-11-20")).toThrow(problem);
  });
});

describe("versions", () => {
  it.each([
    ["0.2.0", "0.1.9", true],
    ["0.10.0", "0.9.0", true],
    ["1.0.0", "1.0.0-rc.1", true],
    ["1.0.0-rc.10", "1.0.0-rc.9", true],
    ["1.0.0-rc.1", "1.0.0-rc", true],
    ["1.0.0-rc.x", "1.0.0-rc.1", true],
    ["1.0.0-rc.1", "1.0.0", false],
    ["0.1.0", "0.1.0", false],
    ["v0.2.0", "0.1.0", false],
    ["0.2", "0.1.0", false],
    ["01.0.0", "0.1.0", false],
  ])("%s after %s: %s", (version, before, expected) => {
    expect(isLater(version, before)).toBe(expected);
  });

  it("go into both lines of a chart, and a chart without them is refused", () => {
    const chart = 'apiVersion: v2\nname: outpost-agent\nversion: 0.1.0\nappVersion: "0.1.0"\n';
    expect(chartAt(chart, "Chart.yaml", "0.2.0")).toBe('apiVersion: v2\nname: outpost-agent\nversion: 0.2.0\nappVersion: "0.2.0"\n');
    expect(() => chartAt("version: 0.1.0\n", "Chart.yaml", "0.2.0")).toThrow('Chart.yaml must have one line "appVersion: …"');
  });

  it("go into the names of images, archives and charts, and into nothing else", () => {
    const page = "outpost/agent:0.1.0 outpost-agent-0.1.0.tgz --version 0.1.0 outpost/agent:0.1.01 outpost/agent:0.1.0-rc.1 node 0.1.0";
    expect(namesAt(page, "0.1.0", "0.2.0")).toBe(
      "outpost/agent:0.2.0 outpost-agent-0.2.0.tgz --version 0.2.0 outpost/agent:0.1.01 outpost/agent:0.1.0-rc.1 node 0.1.0",
    );
  });

  it("are the same in package.json and both charts", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    const charts = ["agent", "control-plane"].map((name) => `charts/${name}/Chart.yaml`);
    expect(charts.map((path) => chartAt(readFileSync(path, "utf8"), path, version))).toEqual(
      charts.map(() => expect.stringContaining(version)),
    );
    for (const path of charts)
      expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^version: ${version}\\nappVersion: "?${version}"?$`, "m"));
  });
});

interface Document {
  readonly specVersion: string;
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string };
  readonly components: readonly { readonly "bom-ref": string; readonly purl: string; readonly licenses?: readonly object[] }[];
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
}

interface Tree {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, Tree>>;
}

describe("the bill of materials", () => {
  const lock = readFileSync("package-lock.json", "utf8");
  const debian = "libc6 2.36-9+deb12u10 amd64 glibc 2.36-9+deb12u10\nlibatomic1 12.2.0-14 amd64 gcc-12\nzlib1g 1:1.2 amd64\n";
  const document = (parts: object = {}): Document => cycloneDx({ name: "outpost/agent", lock, ...parts }) as Document;

  // `npm sbom --omit dev` leaves out packages that a development tool needs too (zod, yaml): `npm ls` does not.
  it("lists the packages that npm installs for production", () => {
    const { packages } = JSON.parse(lock) as { packages: Record<string, { optional?: boolean }> };
    const npm = spawnSync("npm", ["ls", "--all", "--omit=dev", "--package-lock-only", "--json"], { encoding: "utf8" });
    const purls = (tree: Tree): string[] =>
      Object.entries(tree.dependencies ?? {}).flatMap(([name, below]) => [
        ...(packages[`node_modules/${name}`]?.optional || below.version === undefined
          ? []
          : [`${name.replace("@", "%40")}@${below.version}`]),
        ...purls(below),
      ]);
    const expected = [...new Set(purls(JSON.parse(npm.stdout) as Tree))].map((purl) => `pkg:npm/${purl}`);
    expect(expected.length).toBeGreaterThan(50);
    expect(document().components.map(({ purl }) => purl)).toEqual(expected.toSorted());
  });

  it("names Debian's packages with their source, and Node.js", () => {
    const purls = document({ debian, distro: "debian-12", node: "v26.10.0", only: new Set(["zod"]) }).components.map(({ purl }) => purl);
    expect(purls).toEqual([
      "pkg:deb/debian/libatomic1@12.2.0-14?arch=amd64&distro=debian-12&upstream=gcc-12",
      "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12&upstream=glibc%402.36-9%2Bdeb12u10",
      "pkg:deb/debian/zlib1g@1%3A1.2?arch=amd64&distro=debian-12",
      "pkg:generic/node@26.10.0",
      expect.stringMatching(/^pkg:npm\/zod@/),
    ]);
    expect(() => document({ debian: "libc6 2.36\n" })).toThrow('not "libc6 2.36"');
  });

  it("is the same each time: no serial number, no time but that of the source, each reference once", () => {
    const made = document({ debian, node: "26.10.0", epoch });
    expect(made).toEqual(document({ debian, node: "26.10.0", epoch }));
    expect(made).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", metadata: { timestamp: "2027-01-15T08:00:00.000Z" } });
    expect(made.serialNumber).toBeUndefined();
    expect(document().metadata.timestamp).toBeUndefined();
    const refs = made.components.map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    expect(made.dependencies[0]?.dependsOn).toEqual(refs);
  });
});

/** A repository with what a release needs and images that are made in no time. */
function repository(): { readonly folder: string; readonly git: (...args: string[]) => string } & Disposable {
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

const missing = noRelease();
if (missing !== null) process.stdout.write(`the dry run of a release is skipped: ${missing}\n`);

function noRelease(): string | null {
  if (spawnSync("buildah", ["--version"]).error !== undefined) return "buildah is not installed";
  return chartTools() === null ? "there is no helm" : null;
}

describe(".ci/release", () => {
  const run = (folder: string, ...args: string[]) => {
    const storage = join(folder, ".git/storage");
    const conf = join(folder, ".git/storage.conf");
    writeFileSync(conf, `[storage]\ndriver = "vfs"\ngraphroot = "${storage}/graph"\nrunroot = "${storage}/run"\n`);
    const env = { ...process.env, CONTAINERS_STORAGE_CONF: conf, BUILDAH_ISOLATION: "chroot", HELM: chartTools()?.helm ?? "" };
    const { status, stderr } = spawnSync(join(folder, ".ci/release"), args, { cwd: folder, env, encoding: "utf8" });
    return { status, stderr };
  };

  it.skipIf(missing !== null)(
    "gives the same bytes twice: an archive, a bill of materials per platform, charts, notes and checksums of all",
    () => {
      using repo = repository();
      const folders = ["one", "two"].map((name) => join(repo.folder, ".git", name));
      for (const out of folders) expect(run(repo.folder, "--dry-run", "--engine", "buildah", "--out", out)).toMatchObject({ status: 0 });
      const [one = "", two = ""] = folders.map((out) => readFileSync(join(out, "SHA256SUMS"), "utf8"));
      expect(one).toBe(two);
      const out = folders[0] ?? "";
      const files = ["agent", "agent-browser", "agent-uptime", "control-plane", "outpost", "agent-migration"].flatMap((name) => [
        `outpost-${name}-0.1.0.oci.tar`,
        `outpost-${name}-0.1.0-linux-amd64.cdx.json`,
        `outpost-${name}-0.1.0-linux-arm64.cdx.json`,
      ]);
      const others = [
        "outpost-agent-0.1.0.tgz",
        "outpost-control-plane-0.1.0.tgz",
        "outpost-0.1.0.cdx.json",
        "images.json",
        "release-notes.md",
      ];
      expect(readdirSync(out).toSorted()).toEqual([...files, ...others, "SHA256SUMS"].toSorted());
      expect(one.trim().split("\n")).toHaveLength(files.length + others.length);
      expect(spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: out }).status).toBe(0);
      expect(readFileSync(join(out, "release-notes.md"), "utf8")).toBe("### Added\n\n- All.\n");
      const images = JSON.parse(readFileSync(join(out, "images.json"), "utf8")) as { name: string; platforms: { platform: string }[] }[];
      expect(images.map(({ name }) => name)).toEqual(
        ["agent", "agent-browser", "agent-uptime", "control-plane", "outpost", "agent-migration"].map((name) => `outpost/${name}`),
      );
      expect(images[0]?.platforms.map(({ platform }) => platform)).toEqual(["linux/amd64", "linux/arm64"]);
      const index = execFileSync("tar", ["-xOf", join(out, "outpost-agent-0.1.0.oci.tar"), "./index.json"], { encoding: "utf8" });
      expect(JSON.parse(index)).toMatchObject({
        manifests: [{ annotations: { "io.containerd.image.name": "localhost/outpost/agent:0.1.0" } }],
      });
    },
    180_000,
  );

  it.each([
    [[], "--out DIR is missing"],
    [["--out", "x"], "--registry HOST/PATH is missing"],
    [["--dry-run", "--out", "x", "--platforms", "linux/s390x"], 'not "linux/s390x"'],
    [["--dry-run", "--out", "x", "--engine", "kaniko"], 'not "kaniko"'],
    [["--out", "x", "--registry", "https://registry.invalid"], "without https://"],
    [["--out"], "--out needs a value"],
    [["--fast"], 'there is no option "--fast"'],
    [["--dry-run", "--out", "charts"], "charts is not empty"],
  ])("refuses %j with a sentence and exit code 2, and writes nothing", (args, problem) => {
    using repo = repository();
    expect(run(repo.folder, ...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(problem) });
    expect(existsSync(join(repo.folder, "x"))).toBe(false);
  });
});

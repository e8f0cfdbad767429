import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { changelogProblems, releasedChangelog, releaseNotes } from "../../.ci/changelog.ts";
import { cycloneDx } from "../../.ci/cyclonedx.ts";
import { chartAt, isLater, namesAt } from "../../.ci/versions.ts";
import { changelog, epoch } from "./release-repository.ts";

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

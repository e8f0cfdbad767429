import { execFileSync, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chartTools } from "../support/chart-tools.ts";
import { fileOf, packingOf } from "./release-archive.ts";
import { repository } from "./release-repository.ts";

const missing = noRelease();
const noOpenssl = spawnSync("openssl", ["version"]).error !== undefined;
if (noOpenssl) process.stdout.write("keys of a release that are refused are skipped: openssl is not installed\n");
if (missing !== null) process.stdout.write(`the dry run of a release is skipped: ${missing}\n`);

function noRelease(): string | null {
  if (spawnSync("buildah", ["--version"]).error !== undefined) return "buildah is not installed";
  return chartTools() === null ? "there is no helm" : null;
}

interface Provenance {
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicate: {
    readonly buildDefinition: {
      readonly externalParameters: object;
      readonly resolvedDependencies: readonly { readonly digest: object }[];
    };
  };
}

/** A throw-away key of a releaser: the private one with a password, and the public one. */
function releaseKey(folder: string, curve = "prime256v1"): { readonly key: string; readonly publicKey: string } {
  const [key, publicKey] = [join(folder, ".git/release.key"), join(folder, ".git/release.pub")];
  const { privateKey, publicKey: shown } = generateKeyPairSync("ec", {
    namedCurve: curve,
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "only for this test" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  writeFileSync(key, privateKey);
  writeFileSync(publicKey, shown);
  return { key, publicKey };
}

describe(".ci/release", () => {
  const environment = (folder: string): NodeJS.ProcessEnv => {
    const storage = join(folder, ".git/storage");
    const conf = join(folder, ".git/storage.conf");
    writeFileSync(conf, `[storage]\ndriver = "vfs"\ngraphroot = "${storage}/graph"\nrunroot = "${storage}/run"\n`);
    return { ...process.env, CONTAINERS_STORAGE_CONF: conf, BUILDAH_ISOLATION: "chroot", HELM: chartTools()?.helm ?? "" };
  };
  const run = (folder: string, ...args: string[]) => runWith({}, folder, ...args);
  const runWith = (variables: object, folder: string, ...args: string[]) => {
    const env = { ...environment(folder), ...variables };
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
        "provenance.intoto.json",
        "release-notes.md",
      ];
      expect(readdirSync(out).toSorted()).toEqual([...files, ...others, "SHA256SUMS"].toSorted());
      expect(one.trim().split("\n")).toHaveLength(files.length + others.length);
      expect(spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: out }).status).toBe(0);
      expect(readFileSync(join(out, "release-notes.md"), "utf8")).toBe("### Added\n\n- All.\n");
      const images = JSON.parse(readFileSync(join(out, "images.json"), "utf8")) as {
        name: string;
        digest: string;
        platforms: { platform: string }[];
      }[];
      expect(images.map(({ name }) => name)).toEqual(
        ["agent", "agent-browser", "agent-uptime", "control-plane", "outpost", "agent-migration"].map((name) => `outpost/${name}`),
      );
      expect(images[0]?.platforms.map(({ platform }) => platform)).toEqual(["linux/amd64", "linux/arm64"]);
      const origin = JSON.parse(readFileSync(join(out, "provenance.intoto.json"), "utf8")) as Provenance;
      expect(origin.predicate.buildDefinition.resolvedDependencies[0]?.digest).toEqual({
        gitCommit: repo.git("rev-parse", "HEAD").trim(),
      });
      expect(origin.predicate.buildDefinition.externalParameters).toMatchObject({ version: "0.1.0", engine: "buildah" });
      const sums = one
        .trim()
        .split("\n")
        .map((line) => line.split("  "));
      const covered = sums.filter(([, name = ""]) => /\.(oci\.tar|tgz|cdx\.json)$/.test(name));
      expect(origin.subject.map(({ name, digest }) => [digest.sha256, name])).toEqual([
        ...images.map(({ name, digest }) => [digest.replace("sha256:", ""), name]),
        ...covered.toSorted(([, a = ""], [, b = ""]) => (a < b ? -1 : 1)),
      ]);
      const archive = (name: string): string => join(out, `outpost-${name}-0.1.0.oci.tar`);
      expect(new Set(packingOf(archive("agent")))).toEqual(new Set(["gzip"]));
      for (const name of ["agent-browser", "agent-migration"]) {
        expect(new Set(packingOf(archive(name)))).toEqual(new Set(["zstd"]));
        expect(fileOf(archive(name), "app/sbom.cdx.json", environment(repo.folder))).toBe("{}\n");
      }
      const index = execFileSync("tar", ["-xOf", join(out, "outpost-agent-0.1.0.oci.tar"), "./index.json"], { encoding: "utf8" });
      expect(JSON.parse(index)).toMatchObject({
        manifests: [{ annotations: { "io.containerd.image.name": "localhost/outpost/agent:0.1.0" } }],
      });
    },
    180_000,
  );

  it.skipIf(missing !== null)(
    "signs the checksums with the releaser's key, and the documented command finds what was changed afterwards",
    () => {
      using repo = repository();
      const { key, publicKey } = releaseKey(repo.folder);
      const out = join(repo.folder, ".git/out");
      const password = { RELEASE_KEY_PASSWORD: "only for this test" };
      const args = [
        "--dry-run",
        "--engine",
        "buildah",
        "--platforms",
        "linux/amd64",
        "--key",
        key,
        "--registry",
        "registry.example.com/acme",
        "--out",
        out,
      ];
      expect(runWith(password, repo.folder, ...args)).toMatchObject({ status: 0 });
      expect(readFileSync(join(out, "SHA256SUMS"), "utf8")).not.toContain("SHA256SUMS.sig");
      const [documented = ""] = /^openssl dgst .*\n.*sha256sum .*$/m.exec(readFileSync("docs/operations/air-gapped.md", "utf8")) ?? [];
      const verify = documented.replace("outpost-release.pub", publicKey);
      expect(verify).toContain(publicKey);
      const verified = () => spawnSync("sh", ["-ec", verify], { cwd: out, encoding: "utf8" }).status === 0;
      expect(verified()).toBe(true);
      const chart = ["-xOzf", join(out, "outpost-agent-0.1.0.tgz"), "outpost-agent/values.yaml"];
      expect(execFileSync("tar", chart, { encoding: "utf8" })).toBe(
        'image:\n  # registry in front\n  registry: "registry.example.com/acme"\nproxy:\n  registry: ""\n',
      );
      const images = readFileSync(join(out, "images.json"), "utf8");
      writeFileSync(join(out, "images.json"), images.replace("sha256:", "sha256:0"));
      expect(verified()).toBe(false);
      const { stdout: sums } = spawnSync("sh", ["-c", "find . -type f ! -name 'SHA256SUMS*' -printf '%P\\0' | xargs -0 sha256sum"], {
        cwd: out,
        encoding: "utf8",
      });
      writeFileSync(join(out, "SHA256SUMS"), sums);
      expect(verified()).toBe(false);
    },
    180_000,
  );

  it.skipIf(noOpenssl)("refuses a key that is none, whose password is wrong or whose curve is another before it builds anything", () => {
    using repo = repository();
    const out = join(repo.folder, "x");
    const args = ["--dry-run", "--out", out, "--key"];
    const { key } = releaseKey(repo.folder);
    const unread = { status: 2, stderr: expect.stringContaining("the key of --key cannot be read") };
    expect(run(repo.folder, ...args, join(repo.folder, "package.json"))).toMatchObject(unread);
    expect(runWith({ RELEASE_KEY_PASSWORD: "another" }, repo.folder, ...args, key)).toMatchObject(unread);
    const other = releaseKey(repo.folder, "secp384r1").key;
    expect(runWith({ RELEASE_KEY_PASSWORD: "only for this test" }, repo.folder, ...args, other)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("must be ECDSA P-256"),
    });
    expect(existsSync(out)).toBe(false);
  });

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

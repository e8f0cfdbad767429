import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { freePort } from "../support/free-ports.ts";
import { OutpostProcess, until } from "../support/processes.ts";
import { SuiteFolder, shop } from "./suite-folder.ts";

let plane: ControlPlaneUnderTest;
let folder: SuiteFolder;
beforeAll(async () => {
  plane = await controlPlaneUnderTest();
  folder = new SuiteFolder(shop);
  for (const slugName of ["berlin", "paris"]) await plane.call("POST", "/v1/private-locations", { body: { name: slugName, slugName } });
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await plane[Symbol.asyncDispose]();
});

const remote = (): Record<string, string> => ({ OUTPOST_URL: plane.base, OUTPOST_API_KEY: plane.ownerKey });

async function suite(words: readonly string[], env: Readonly<Record<string, string>> = remote()) {
  await using process = new OutpostProcess(["suite", ...words], { DATA_DIR: folder.at("none"), ...env }, folder.path);
  const code = await process.exit(60_000);
  return { code, stdout: process.stdout, stderr: process.stderr };
}

const checks = async (): Promise<readonly Record<string, unknown>[]> => (await plane.call("GET", "/v1/checks")).body;
const bundles = async (): Promise<readonly { readonly key: string }[]> => (await plane.call("GET", "/v1/code-bundles")).body;

describe("outpost suite deploy", () => {
  it("makes a check of a repository in one command, and changes it with the next", async () => {
    const words = ["deploy", ".", "--no-run", "--every", "30m", "--location", "berlin"];
    const dry = await suite([...words, "--dry-run"]);
    expect([dry.code, dry.stderr]).toEqual([0, ""]);
    expect(dry.stdout).toMatch(
      /^Suite \.\n {2}4 files, \d+ bytes packed, .*; npm, Playwright 1\.64\.1\n {2}largest: package-lock\.json .*\nWould upload: [0-9a-f]{64}\.tar\.gz\n\+ check "shop-e2e" \(id shop-e2e\)\n$/,
    );
    expect([await checks(), await bundles()]).toEqual([[], []]);

    const made = await suite([...words, "--env", "BASE_URL=https://shop.example.com", "--secret", "TOKEN"], {
      ...remote(),
      TOKEN: "d5f0-41c9",
    });
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toMatch(
      /Uploaded: .*\n\+ check "shop-e2e" \(id shop-e2e\)\n {4}environment variable BASE_URL: new\n {4}secret TOKEN: new\n$/,
    );
    expect(made.stdout).not.toContain("d5f0");
    const [check, ...others] = await checks();
    const [bundle] = await bundles();
    expect(others).toEqual([]);
    expect(check).toMatchObject({
      checkType: "PLAYWRIGHT",
      name: "shop-e2e",
      frequency: 30,
      privateLocations: ["berlin"],
      codeBundlePath: bundle?.key,
      cacheHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      playwrightVersion: "1.64.1",
      workingDir: null,
      testCommand: "npx playwright test",
      environmentVariables: [
        { key: "BASE_URL", value: "https://shop.example.com", secret: false },
        { key: "TOKEN", value: null, secret: true },
      ],
    });

    const again = await suite(["deploy", "--no-run"]);
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(/Already uploaded: .*\n= check "shop-e2e" \(id shop-e2e\): unchanged\n$/),
    ]);
    folder.write({ "tests/more.spec.ts": "// more\n" });
    await plane.call("PUT", `/v1/checks/${String(check?.["id"])}`, { body: { tags: ["by-hand"], muted: true } });
    const changed = await suite([
      "deploy",
      "--no-run",
      "--name",
      "The shop",
      "--every",
      "1h",
      "--location",
      "berlin,paris",
      "--env",
      "BASE_URL=https://b.example.com",
    ]);
    expect([changed.code, changed.stdout]).toEqual([
      0,
      expect.stringMatching(
        /\n~ check "The shop" \(id shop-e2e\)\n {4}name: "shop-e2e" → "The shop"\n {4}frequency: 30 → 60\n {4}privateLocations: \["berlin"\] → \["berlin","paris"\]\n {4}codeBundlePath: "[0-9a-f]+.*\n {4}environment variable BASE_URL: changed\n$/,
      ),
    ]);
    expect(await checks()).toMatchObject([
      {
        id: check?.["id"],
        tags: ["by-hand"],
        muted: true,
        frequency: 60,
        environmentVariables: [
          { key: "TOKEN", value: null, secret: true },
          { key: "BASE_URL", value: "https://b.example.com" },
        ],
      },
    ]);
  });

  it("shares one bundle between checks that run other parts of it", async () => {
    using other = new SuiteFolder({ ...shop, "tests/shared.spec.ts": "// shared\n" });
    const before = (await bundles()).length;
    const words = ["deploy", other.path, "--no-run", "--location", "berlin"];
    const smoke = await suite([...words, "--id", "smoke", "--name", "Smoke", "--grep", "@smoke|it's quick", "--project", "chromium"]);
    const all = await suite([
      ...words,
      "--id",
      "nightly",
      "--name",
      "Nightly",
      "--project",
      "chromium",
      "--project",
      "slow ones",
      "--every",
      "24h",
    ]);
    expect([smoke.code, all.code, all.stdout]).toEqual([0, 0, expect.stringContaining("Already uploaded")]);
    expect((await bundles()).length).toBe(before + 1);
    const made = (await checks()).filter(({ name }) => name === "Smoke" || name === "Nightly");
    const told = made.map(({ name, testCommand, frequency }) => [name, testCommand, frequency]);
    expect(told.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
      ["Nightly", "npx playwright test --project=chromium --project='slow ones'", 1440],
      ["Smoke", "npx playwright test --grep='@smoke|it'\\''s quick' --project=chromium", 10],
    ]);
    expect(new Set(made.map(({ codeBundlePath }) => codeBundlePath)).size).toBe(1);
  });

  it("makes the check anew that somebody deleted", async () => {
    using other = new SuiteFolder({ ...shop, "tests/gone.spec.ts": "// gone\n" });
    const words = ["deploy", other.path, "--no-run", "--location", "berlin", "--id", "gone", "--name", "Gone"];
    await suite(words);
    const [first] = (await checks()).filter(({ name }) => name === "Gone");
    await plane.call("DELETE", `/v1/checks/${String(first?.["id"])}`);
    expect(await suite(words)).toMatchObject({ code: 0, stdout: expect.stringContaining('+ check "Gone" (id gone)') });
    expect((await checks()).filter(({ name }) => name === "Gone")).toMatchObject([{ codeBundlePath: first?.["codeBundlePath"] }]);
  });

  it("warns of what looks like a secret, by name", async () => {
    using other = new SuiteFolder({ ...shop, "certs/client.key": "" });
    const { code, stdout, stderr } = await suite(["run", other.path, "--dry-run", "--location", "berlin"]);
    expect(stdout).toMatch(/\nWould upload: \S+\n$/);
    expect([code, stderr]).toEqual([
      0,
      "! certs/client.key looks like a secret. Exclude it in .outpostignore and pass the value with --secret instead\n",
    ]);
  });

  it("says what to put right", async () => {
    const port = await freePort();
    using empty = new SuiteFolder({ "package.json": "{}" });
    const deploy = ["deploy", "--no-run"];
    const cases: readonly [readonly string[], Record<string, string>, number, RegExp][] = [
      [[], remote(), 2, /^usage: outpost suite deploy/],
      [[...deploy, "--secret", "NOT_SET"], remote(), 2, /^--secret NOT_SET: the environment has no NOT_SET/],
      [["deploy", empty.path], remote(), 2, /has no lock file/],
      [[...deploy, "--id", "elsewhere"], remote(), 2, /^A new suite needs a location .* The account has berlin, paris/],
      [[...deploy, "--id", "elsewhere", "--location", "rome"], remote(), 2, /^The control plane said: .*rome.* \(400\)/],
      [[...deploy, "--api-key", `sv_${"0".repeat(32)}`], remote(), 2, /^OUTPOST_API_KEY \(--api-key\): the control plane refused it/],
      [[...deploy, "--url", `http://127.0.0.1:${port}`], remote(), 3, /^OUTPOST_URL \(--url\): .*ECONNREFUSED/],
    ];
    for (const [words, env, code, message] of cases) {
      expect({ words, ...(await suite(words, env)) }).toMatchObject({ words, code, stderr: expect.stringMatching(message) });
    }
  }, 120_000);
});

describe("a run of a suite", () => {
  it.each([
    ["deploy", /check-sessions/],
    ["run", /test-sessions/],
  ])("that outpost suite %s waits for says why no agent ran it", async (command, link) => {
    const stored = (await checks()).length;
    using other = new SuiteFolder({ ...shop, "tests/run.spec.ts": `// ${command}\n` });
    const words = ["suite", command, other.path, "--location", "berlin", "--id", command];
    await using process = new OutpostProcess(words, { DATA_DIR: other.at("none"), ...remote() }, other.path);
    await until("it runs", () => process.stdout.includes("Running: "));
    plane.advance(10 * 60_000);
    expect(await process.exit(60_000)).toBe(3);
    expect(process.stdout).toMatch(/\n! berlin: not run\n {4}\| .*agent.*\nhttp\S+\n$/);
    expect(process.stdout).toMatch(link);
    expect((await checks()).length).toBe(stored + (command === "deploy" ? 1 : 0));
  });

  it.each(["deploy", "run"])("that outpost suite %s waits for is cancelled with the command", async (command) => {
    using other = new SuiteFolder({ ...shop, "tests/run.spec.ts": `// cancelled ${command}\n` });
    const words = ["suite", command, other.path, "--location", "berlin", "--id", `cancelled-${command}`];
    await using process = new OutpostProcess(words, { DATA_DIR: other.at("none"), ...remote() }, other.path);
    await until("it runs", () => process.stdout.includes("Running: "));
    process.signal("SIGINT");
    expect(await process.exit(60_000)).toBe(3);
    expect(process.stderr).toContain("Cancelling the run. To leave without waiting for its end, press Ctrl-C again.\n");
    expect(process.stdout).toMatch(/cancelled/);
  });
});

describe("docs/playwright-suites.md", () => {
  it("names every option that --help names for suites", async () => {
    await using process = new OutpostProcess(["--help"], {}, folder.path);
    expect(await process.exit(60_000)).toBe(0);
    const options = [...process.stdout.matchAll(/^ {2}(--[\w-]+) +(?:.*[,;] )?suite(?: deploy)?:/gm)].map(([, option = ""]) => option);
    expect(options).toContain("--grep");
    const page = readFileSync("docs/playwright-suites.md", "utf8");
    expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([]);
  });
});

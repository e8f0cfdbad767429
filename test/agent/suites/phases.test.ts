import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunContext } from "../../../src/agent/runners/check-runner.ts";
import { tries } from "../../attacks/cases.ts";
import { httpServer } from "../../support/http-servers/http-server.ts";
import { noPlaywright } from "../../support/playwright-runtime.ts";
import type { TinyRegistry } from "../runtimes/tiny-registry.ts";
import { manifest, npmLock, npmProject, playwrightRegistry } from "./project.ts";
import { SuitesUnderTest } from "./suite-under-test.ts";

const timeout = 240_000;
const passing = { "a.spec.ts": `import { test } from "@playwright/test"; test("a", () => {});` };
const hang = "await new Promise((done) => setTimeout(done, 200_000));";

describe.skipIf(noPlaywright !== null)("the phases of a suite", { timeout }, () => {
  const made = new AsyncDisposableStack();
  let registry: TinyRegistry;
  let suites: SuitesUnderTest;
  let base: string;
  let lock: string;
  beforeAll(async () => {
    registry = made.use(await playwrightRegistry());
    lock = await npmLock(registry);
    suites = made.use(await SuitesUnderTest.start({ registry: registry.url }));
    const shop = made.use(
      await httpServer((request, response) => {
        response.setHeader("content-type", "text/html");
        if (request.url === "/sign-in") response.setHeader("set-cookie", "who=ada");
        response.end(`<h1>${request.headers.cookie ?? "nobody"}</h1>`);
      }),
    );
    base = shop.url;
  }, timeout);
  afterAll(() => made.disposeAsync());

  it("have a set-up of the whole suite, its storage state, three projects and two workers", async () => {
    const bundle = npmProject(lock, {
      "playwright.config.ts": `import { defineConfig } from "@playwright/test";
export default defineConfig({
  globalSetup: "./set-up.ts", fullyParallel: true, workers: 2, use: { storageState: "state.json" },
  projects: ["one", "two", "three"].map((name) => ({ name })),
});`,
      "set-up.ts": `import { chromium } from "@playwright/test";
export default async () => {
  const browser = await chromium.launch();
  const page = await browser.newPage();
  await page.goto(process.env.BASE_URL + "/sign-in");
  await page.context().storageState({ path: "state.json" });
  await browser.close();
};`,
      "shop.spec.ts": `import { expect, test } from "@playwright/test";
for (const n of [1, 2]) test("knows who it is " + n, async ({ page }) => {
  await page.goto(process.env.BASE_URL);
  await expect(page.locator("h1")).toHaveText("who=ada");
  expect(test.info().parallelIndex).toBeLessThan(2);
});`,
    });
    const seen = await suites.run({ codeBundlePath: suites.add(bundle) }, { BASE_URL: base });
    expect([seen.failure, seen.result.errors]).toEqual([null, []]);
    expect(seen.result.tests.map(({ project, title, status }) => `${project} ${title} ${status}`).toSorted()).toEqual(
      ["one", "three", "two"].flatMap((project) => [1, 2].map((n) => `${project} knows who it is ${n} passed`)),
    );
  });

  it.each([
    [
      "its set-up",
      { "set-up.ts": `export default async () => { ${hang} };`, ...passing },
      "globalSetup: './set-up.ts',",
      /Timed out waiting 5s for the global setup|Timed out waiting 5s/,
    ],
    [
      "a test",
      { "a.spec.ts": `import { test } from "@playwright/test"; test("a", async () => { test.setTimeout(0); ${hang} });` },
      "",
      /Timed out waiting 5s/,
    ],
    [
      "its tear-down",
      { "down.ts": `export default async () => { ${hang} };`, ...passing },
      "globalTeardown: './down.ts',",
      /Timed out waiting 5s/,
    ],
  ])("end by the suite's own time-out in %s, and say so", async (_where, files, setting, sentence) => {
    const bundle = npmProject(lock, { "playwright.config.ts": `export default { ${setting} globalTimeout: 5000 };`, ...files });
    const { failure, outcome, result } = await suites.run({ codeBundlePath: suites.add(bundle) });
    const told = [failure?.message ?? "", ...result.errors.map(({ message }) => message)].join("\n");
    expect([outcome, told]).toEqual(["failed", expect.stringMatching(sentence)]);
    expect(suites.runFolders()).toEqual([]);
  });

  /** Cancels a run as soon as `when` resolves. @returns what it ended with, and what is left of it */
  async function cancelled(
    files: Readonly<Record<string, string>>,
    more: Partial<RunContext>,
    when: Promise<unknown>,
  ): Promise<readonly unknown[]> {
    const ending = new AbortController();
    const running = suites.run({ codeBundlePath: suites.add(npmProject(lock, files)) }, {}, { signal: ending.signal, ...more });
    running.catch(() => {});
    await Promise.race([when, running]);
    ending.abort(new Error("cancelled by a test"));
    const end: unknown = await running.then(
      () => "ran",
      (error: unknown) => error,
    );
    return [end, ...suites.runFolders()];
  }
  const cleanly = [expect.objectContaining({ message: "cancelled by a test" }) as unknown];

  it("can be cancelled while the bundle is fetched", async () => {
    const asked = Promise.withResolvers<void>();
    const read = (_sha: string, _from: number, _to: number, signal: AbortSignal): Promise<never> => {
      asked.resolve();
      return new Promise((_done, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    };
    expect(
      await cancelled(
        { ...passing, fetched: "never" },
        { bundles: { accountId: "00000000-0000-4000-8000-000000000002", read } },
        asked.promise,
      ),
    ).toEqual(cleanly);
  });

  it("can be cancelled while packages are installed", async () => {
    registry.holdsArchives = true;
    try {
      const before = registry.asked.length;
      const isAsked = () => registry.asked.slice(before).some((path) => path.endsWith(".tgz"));
      const asking = vi.waitUntil(isAsked, { timeout: 60_000, interval: 20 });
      expect(
        await cancelled({ ...passing, "package.json": JSON.stringify(manifest({ description: "installed anew" })) }, {}, asking),
      ).toEqual(cleanly);
    } finally {
      registry.holdsArchives = false;
    }
  });

  it("can be cancelled while tests are looked for", async () => {
    const begun = Promise.withResolvers<void>();
    await using target = await httpServer((_request, response) => {
      begun.resolve();
      response.end();
    });
    const file = `import { test } from "@playwright/test"; const answer = fetch("${target.url}"); ${hang} test("a", () => answer);`;
    expect(
      await cancelled({ "a.spec.mts": file, "package.json": JSON.stringify(manifest({ type: "module" })) }, {}, begun.promise),
    ).toEqual(cleanly);
  });

  it(
    "say who is to blame where a bundle comes cut, and fetch it anew the next time",
    tries("F11", "an error of the agent's side; nothing of it is kept"),
    async () => {
      const bundle = npmProject(lock, { ...passing, cut: "x".repeat(10_000) });
      const codeBundlePath = suites.add(bundle);
      const accountId = "00000000-0000-4000-8000-000000000003";
      const cut = async (_sha: string, from: number) => ({
        bytes: bundle.subarray(from, Math.floor(bundle.length * 0.99)),
        size: bundle.length,
      });
      const { failure } = await suites.run({ codeBundlePath }, {}, { bundles: { accountId, read: cut } });
      expect(failure).toMatchObject({
        side: "agent",
        message: expect.stringMatching(/the control plane sent \d+ bytes of a code bundle of \d+/) as unknown,
      });
      expect((await suites.run({ codeBundlePath })).failure).toBeNull();
    },
  );

  it(
    "use packages that are kept while the registry is away, and blame nobody's target where there are none",
    tries("F12", "install failed, on the agent's side"),
    async () => {
      const away = await SuitesUnderTest.start({ registry: "http://127.0.0.1:9/" });
      await using _away = away;
      const { failure } = await away.run({
        codeBundlePath: away.add(npmProject(lock.replaceAll(registry.url, "http://127.0.0.1:9/"), passing)),
      });
      expect(failure).toMatchObject({ side: "agent", message: expect.stringMatching(/^install failed: npm ci: /) as unknown });
      const project = npmProject(lock, { ...passing, kept: "1" });
      await suites.run({ codeBundlePath: suites.add(project) });
      registry.holdsArchives = true;
      const again = await suites.run({ codeBundlePath: suites.add(npmProject(lock, { ...passing, kept: "2" })) });
      registry.holdsArchives = false;
      expect([again.failure, again.result.cachedPackages]).toEqual([null, true]);
    },
  );

  it("refuse packages that are not what the lock file says", async () => {
    const wrong = lock.replace(/"integrity": "sha512-[^"]{20}/, `"integrity": "sha512-${"A".repeat(20)}`);
    expect(wrong).not.toBe(lock);
    const { failure } = await suites.run({ codeBundlePath: suites.add(npmProject(wrong, passing)) });
    expect(failure).toMatchObject({
      side: "agent",
      message: expect.stringMatching(/^install failed: npm ci: .*(?:EINTEGRITY|integrity)/i) as unknown,
    });
  });

  it(
    "install anew where the lock file differs, and for each account",
    tries("F13", "a key of the agent's own, of the lock file and the account"),
    async () => {
      const cached = async (text: string, more: Partial<RunContext> = {}): Promise<boolean> => {
        const { failure, result } = await suites.run({ codeBundlePath: suites.add(npmProject(text, passing)) }, {}, more);
        expect(failure).toBeNull();
        return result.cachedPackages;
      };
      await cached(lock);
      expect(await cached(lock)).toBe(true);
      expect(await cached(`${lock}\n`)).toBe(false);
      const read: NonNullable<RunContext["bundles"]>["read"] = async (sha256, from, to) => {
        const all = suites.bundles.get(sha256) ?? Buffer.alloc(0);
        return { bytes: all.subarray(from, to + 1), size: all.length };
      };
      expect(await cached(lock, { bundles: { accountId: "00000000-0000-4000-8000-000000000004", read } })).toBe(false);
    },
  );

  it("run no code of packages at the install", tries("S10", "--ignore-scripts, always"), async () => {
    const version = "1.0.0";
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('made', '')\"" };
    await registry.publish({ name: "mean", version, files: { "index.js": "" }, more: { scripts } });
    const more = { dependencies: { mean: version } };
    const files = {
      "package.json": JSON.stringify(manifest({ ...more, scripts })),
      "a.spec.ts": `import { existsSync } from "node:fs"; import { dirname, join } from "node:path"; import { expect, test } from "@playwright/test";
test("a", () => { const at = dirname(require.resolve("mean")); expect([existsSync(join(at, "made")), existsSync(join(at, "../../made"))]).toEqual([false, false]); });`,
    };
    const { failure, result } = await suites.run({ codeBundlePath: suites.add(npmProject(await npmLock(registry, more), files)) });
    expect([failure, result.errors]).toEqual([null, []]);
  });
});

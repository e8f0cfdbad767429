import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { certificateOf, peoplesAuthority, StrictServer } from "../../support/http-servers/strict-server.ts";
import { noPlaywright } from "../../support/playwright-runtime.ts";
import { npmLock, npmProject, playwrightRegistry } from "./project.ts";
import { SuitesUnderTest } from "./suite-under-test.ts";

const timeout = 240_000;
const spec = `import { expect, test } from "@playwright/test";
test("page", async ({ page }) => { await page.goto(process.env.ALICES!); await expect(page.locator("body")).toHaveText("CN=alice by HTTP/2.0"); });
test("request", async ({ request }) => { expect(await (await request.get(process.env.BOBS!)).text()).toBe("CN=bob by HTTP/1.1"); });
`;

describe.skipIf(noPlaywright !== null)("client certificates of the account in a suite", { timeout }, () => {
  const made = new AsyncDisposableStack();
  const authority = made.use(peoplesAuthority());
  let suites: SuitesUnderTest;
  let bundle: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    const registry = made.use(await playwrightRegistry());
    const trust = () => createTrust([authority.read("root.pem")]);
    suites = made.use(await SuitesUnderTest.start({ registry: registry.url, trust }));
    const [alices, bobs] = [
      await StrictServer.start(authority, "localhost", "alices"),
      await StrictServer.start(authority, "127.0.0.1", "bobs"),
    ];
    environment = { ALICES: made.use(alices).url, BOBS: made.use(bobs).url };
    const config = "export default { use: { ignoreHTTPSErrors: true } };";
    bundle = suites.add(npmProject(await npmLock(registry), { "playwright.config.ts": config, "who.spec.ts": spec }));
  }, timeout);
  afterAll(() => made.disposeAsync());

  it("are shown to each host its own by pages and requests, and to none without them", async () => {
    const certificates = [certificateOf(authority, "alice", "localhost"), certificateOf(authority, "bob", "127.0.0.1")];
    const outcomes = async (more: object): Promise<readonly string[]> => {
      const { result } = await suites.run({ codeBundlePath: bundle }, environment, more);
      return result.tests.map(({ title, status }) => `${title}: ${status}`);
    };
    expect(await outcomes({ certificates })).toEqual(["page: passed", "request: passed"]);
    expect(await outcomes({})).toEqual(["page: failed", "request: failed"]);
  });
});

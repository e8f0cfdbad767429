import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { browser } from "../control-plane/console/browser.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";
import { asUsualMs, cpuPerCallMs } from "./cpu-of.ts";
import { unfinished } from "./unfinished.ts";

const limitMs = 20;
const formType = "application/x-www-form-urlencoded";
const pairs = (bytes: number): string => "a&".repeat(bytes / 2);

describe("forms of people who are not signed in", { timeout: 120_000 }, () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start({ env: { RATE_LIMIT_FORMS: "100000/60" } });
  }, 120_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
  });

  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) =>
    fetch(site.base + path, { method: "POST", body, headers: { "content-type": formType, ...headers }, redirect: "manual" });
  /** What a browser has that looked at the page. */
  const cookie = async (): Promise<string> => {
    const here = browser(site.base);
    await here.get("/sign-in");
    return [...here.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  };

  attack("A1", "a kilobyte of gzip that becomes a megabyte of fields, by whoever has no key", async (held) => {
    const packed = Uint8Array.from(gzipSync(pairs(1_048_576)));
    expect(packed.length).toBeLessThan(2_048);
    const headers = { "content-encoding": "gzip", cookie: await cookie() };
    for (const path of ["/sign-in", "/set-up", "/join/x", "/dashboards/x", "/"]) {
      const answer = await post(path, packed, headers);
      expect([path, answer.status]).toEqual([path, 415]);
      expect(await answer.text()).toContain("must not be compressed");
    }
    const spent = await cpuPerCallMs(site.controlPlane.pid, () => post("/sign-in", packed, headers));
    expect(asUsualMs(spent, limitMs)).toBeLessThan(limitMs);
    held("forms must not be compressed (415)", `${spent} ms of CPU (limit ${limitMs})`);
  });

  attack("A1", "as many fields as a form of a stranger may have bytes", async (held) => {
    const headers = { cookie: await cookie() };
    const answer = await post("/sign-in", pairs(65_536), headers);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("more than 1000 fields")]);
    expect((await post("/sign-in", pairs(65_538), headers)).status).toBe(413);
    const spent = await cpuPerCallMs(site.controlPlane.pid, () => post("/sign-in", pairs(65_536), headers));
    expect(asUsualMs(spent, limitMs)).toBeLessThan(limitMs);
    held("fields are counted before they are parsed (400)", `${spent} ms of CPU (limit ${limitMs})`);
  });

  attack("A1", "a form of a stranger without a cookie, or of another site", async (held) => {
    const send = (headers: Readonly<Record<string, string>>, path = "/sign-in") =>
      unfinished(site.base + path, "a=1&", { "content-type": formType, ...headers });
    const own = await cookie();
    expect(await send({})).toBe(403);
    expect(await send({ cookie: own, origin: "https://evil.example" })).toBe(403);
    expect(await send({ cookie: own }, "/members/invitations")).toBe(303);
    expect(await send({ cookie: own }, "/there/is/no/such/form")).toBe(404);
    held("answered by its head, before the body is read");
  });
});

describe("an address that sends forms on and on", () => {
  attack(
    "A1",
    "six hundred forms a minute, and one more",
    async (held) => {
      await using site = await Site.start({ env: { RATE_LIMIT_FORMS: "5/60" } });
      const send = () =>
        fetch(`${site.base}/sign-in`, { method: "POST", body: "", headers: { "content-type": formType }, redirect: "manual" });
      const statuses: number[] = [];
      for (let n = 0; n < 6; n += 1) statuses.push((await send()).status);
      expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
      const refused = await send();
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      held("a limit per address (429)", "5 forms (RATE_LIMIT_FORMS=5/60)");
    },
    60_000,
  );
});

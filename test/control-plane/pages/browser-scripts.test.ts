import { get as httpGet } from "node:http";
import { buffer } from "node:stream/consumers";
import { Script } from "node:vm";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptAddress } from "../../../src/control-plane/pages/browser-scripts.ts";
import { page } from "../../../src/control-plane/pages/page.ts";
import { html } from "../../../src/control-plane/view/html.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("scripts of pages", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const bytesOf = (path: string, encoding: string) =>
    new Promise<{ headers: Readonly<Record<string, unknown>>; body: Buffer }>((resolve, reject) => {
      const request = httpGet(`${plane.base}${path}`, { headers: { "accept-encoding": encoding } }, (response) => {
        buffer(response).then((body) => resolve({ headers: response.headers, body }), reject);
      });
      request.once("error", reject);
    });

  it("are kept by browsers for good, packed where they may be, and the same bytes either way", async () => {
    const address = scriptAddress("times");
    const [plain, packed] = [await bytesOf(address, "identity"), await bytesOf(address, "gzip, br")];
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(() => new Script(plain.body.toString())).not.toThrow();
  });

  it.each(["/assets/0000000000000000/times.js", `${scriptAddress("times")}x`, scriptAddress("times").replace("times.js", "..%2fpage.ts")])(
    "are nothing else: %s",
    async (path) => {
      expect((await plane.call("GET", path, { key: undefined })).status).toBe(404);
    },
  );

  it("run by a word that each answer has for itself", () => {
    const policies = [1, 2].map(() => page({ title: "A", body: html`<p>`, modules: ["times"] }).headers?.["content-security-policy"] ?? "");
    expect(policies[0]).toMatch(/; script-src 'nonce-[\w+/=]{24}'; connect-src 'self';/);
    expect(policies[0]).not.toBe(policies[1]);
  });
});

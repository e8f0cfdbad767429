import { describe, expect, it } from "vitest";
import { noImages } from "../support/containers.ts";
import { noNginx, startNginx } from "../support/nginx.ts";
import { replaceAgents } from "../support/rolling-replace.ts";
import { Site } from "../support/site.ts";

const missing = noImages ?? noNginx;
if (missing !== null) process.stdout.write(`rolling updates are not tested: ${missing}\n`);

describe.skipIf(missing !== null)("a rolling update of three agents under load", () => {
  it("loses no run, runs none twice, and each old agent ends with 0 (U-03)", { timeout: 180_000 }, async () => {
    await using nginx = await startNginx();
    await using site = await Site.start();
    const { finals, missed, exitCodes } = await replaceAgents(site, `http://127.0.0.1:${nginx.httpPort}/`, 150);
    expect([missed, exitCodes]).toEqual([0, [0, 0, 0]]);
    expect(finals).toBeGreaterThan(300);
  });
});

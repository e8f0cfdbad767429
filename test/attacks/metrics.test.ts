import { describe, expect } from "vitest";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";

describe("what /metrics tells", () => {
  attack(
    "A5",
    "tenants' names, asked for by anybody",
    async (held) => {
      const token = "a-token-of-the-operator";
      await using site = await Site.start({ env: { METRICS_TOKEN: token } });
      await site.check("http://127.0.0.1:9/", [(await site.location("secret-project"), "secret-project")]);
      const get = async (authorization?: string) => {
        const answer = await fetch(`${site.base}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
        return { status: answer.status, text: await answer.text() };
      };
      const anonymous = await get();
      expect(anonymous.status).toBe(200);
      expect(anonymous.text).not.toContain("secret-project");
      expect(anonymous.text).toMatch(/^outpost_jobs_queued \d/m);
      expect((await get("Bearer not-the-operators-token")).status).toBe(401);
      expect((await get(`Bearer ${token}`)).text).toMatch(/^outpost_jobs_queued\{location="secret-project"\} \d/m);
      held("names only for METRICS_TOKEN");
    },
    60_000,
  );
});

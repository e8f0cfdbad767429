import { afterAll, beforeAll, describe, expect } from "vitest";
import { noSandbox } from "../../src/agent/sandbox/no-sandbox.ts";
import { smallEngine } from "../agent/script-checks/small-engine.ts";
import { attemptsWith, variable } from "../agent/scripts/scripted-attempts.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { checkDetails } from "../support/check-details.ts";
import { attack } from "./attack.ts";

describe("checks that are a script", { timeout: 120_000 }, () => {
  let site: ControlPlaneUnderTest;
  beforeAll(async () => {
    site = await controlPlaneUnderTest();
  }, 120_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
  });

  attack("E2", "files of a script that leave its folder, in every spelling", async (held) => {
    const spellings = ["../x.js", "a/../../x.js", "/etc/x.js", "C:/x.js", "a\\..\\x.js", "\\x.js", "a/..", ".", "a/", "x\0.js"];
    const engine = smallEngine(() => ({}));
    for (const path of spellings) {
      for (const files of [{ scriptPath: path }, { dependencies: [{ path, content: "1" }] }]) {
        const { status } = await site.call("POST", "/v1/checks/browser", {
          body: { name: "a", locations: ["eu-west-1"], script: "1", ...files },
        });
        expect([path, status]).toEqual([path, 400]);
        const given = { request: {}, checkType: "BROWSER", settings: { script: "1", ...files } };
        const report = await attemptsWith(noSandbox, {}, engine).report(given);
        expect([path, report.agentSide]).toEqual([path, true]);
      }
    }
    expect(engine.tasks).toEqual([]);
    held("refused with 400, and by the agent before anything starts", `${spellings.length} spellings, 0 written`);
  });

  attack("E2", "variables that steer what runs a script", async (held) => {
    const names = [
      "NODE_OPTIONS",
      "node_options",
      "NODE_EXTRA_CA_CERTS",
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "PLAYWRIGHT_BROWSERS_PATH",
      "PW_TEST",
      "OUTPOST_KEY",
    ];
    const engine = smallEngine(() => ({}));
    for (const key of names) {
      const body = { name: "a", locations: ["eu-west-1"], script: "1", environmentVariables: [{ key, value: "x" }] };
      expect((await site.call("POST", "/v1/checks/multistep", { body })).status).toBe(400);
      const material = { variables: [variable(key, "--require=/tmp/evil.js")] }; // as a group or an account may have it
      await attemptsWith(noSandbox, {}, engine).report({ request: {}, checkType: "MULTI_STEP", settings: { script: "1" }, material });
    }
    const given = engine.tasks.flatMap(({ environment }) => Object.keys(environment));
    expect(given.filter((name) => names.includes(name))).toEqual([]);
    held("refused with 400, and left out where a group or an account has them", `${names.length} names, 0 reached a script`);
  });

  attack("E2", "a secret in every text that a script tells", async (held) => {
    const canary = "c4n4ry-of-the-attack";
    const forms = [canary, Buffer.from(canary).toString("base64"), encodeURIComponent(canary), Buffer.from(canary).toString("hex")];
    const told = JSON.parse(JSON.stringify(checkDetails.BROWSER).replaceAll("shop", forms.join(" "))) as object;
    const engine = smallEngine(() => ({ result: told, outcome: "failed" }));
    const material = { variables: [variable("TOKEN", canary, true)] };
    const report = await attemptsWith(noSandbox, {}, engine).report({
      request: {},
      checkType: "BROWSER",
      settings: { script: "1" },
      material,
    });
    const text = JSON.stringify(report);
    expect(forms.filter((form) => text.includes(form))).toEqual([]);
    held("all texts of all lists are scrubbed in the agent", `${forms.length} forms, 0 found`);
  });
});

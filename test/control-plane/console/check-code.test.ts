import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "#contract/client.ts";
import { readAccount } from "../../../src/config-as-code/account-state.ts";
import { applySteps } from "../../../src/config-as-code/apply.ts";
import { readConfigFile } from "../../../src/config-as-code/file.ts";
import { planOf } from "../../../src/config-as-code/plan.ts";
import { missingPrograms } from "../../support/programs.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

/** What a shell, a terminal or a page could take for its own. */
const hostile = `${evil} '; touch owned; ' $(touch owned) \`touch owned\` !! \\ \u202e\u007f <script>alert(1)</script>`;

const noCurl = missingPrograms("a check as a curl command is", "curl");

describe("a check as code", () => {
  let plane: ControlPlaneUnderTest;
  let here: Browser;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    here = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const made = async (path: string, body: object) => (await plane.call("POST", path, { body })).body;
  const texts = async (id: string, who = here) => {
    const { text, status } = await who.get(`/checks/${id}/code`);
    const [yaml = "", curl = ""] = [...text.matchAll(/<pre class="verbatim"[^>]*>([\s\S]*?)<\/pre>/g)].map(([, inner = ""]) =>
      plain(inner),
    );
    return { text, status, yaml, curl };
  };
  const furnished = async (changes: object = {}) => {
    const group = await made("/v1/check-groups", { name: `Shop ${crypto.randomUUID()}`, locations: ["eu-west-1"] });
    const channel = await made("/v1/alert-channels", { type: "EMAIL", config: { address: `${crypto.randomUUID()}@example.com` } });
    const alertChannelSubscriptions = [{ alertChannelId: channel.id, activated: true }];
    const check = await made("/v1/checks/api?autoAssignAlerts=false", {
      ...apiCheck({ name: hostile, groupId: group.id, alertChannelSubscriptions }),
      ...changes,
    });
    return { group, channel, check };
  };

  it("is a file that outpost apply finds unchanged, with names in the place of ids", async () => {
    const { group, channel, check } = await furnished();
    const { yaml, text } = await texts(check.id);
    expect(activeParts(text)).toEqual([]);
    expect(yaml).toContain(`groupId: ${group.name}`);
    expect(yaml).toContain(`alertChannelId: EMAIL ${channel.config.address}`);
    const client = createClient({ baseUrl: plane.base, apiKey: plane.ownerKey });
    const state = await readAccount(client);
    const steps = planOf(readConfigFile(yaml, {}), state, false);
    expect(steps.map(({ action }) => action)).toEqual(["keep"]);
    const renamed = readConfigFile(yaml.replace("frequency: 1440", "frequency: 720"), {});
    await applySteps(client, planOf(renamed, state, false), state);
    expect((await plane.call("GET", `/v1/checks/${check.id}`)).body.frequency).toBe(720);
  });

  it.skipIf(noCurl !== null)("is a curl command that makes the same check, whatever shell signs its texts have", async () => {
    const { check } = await furnished();
    const { curl } = await texts(check.id);
    expect(curl).not.toMatch(/[\u007f\u202e]/);
    const { stdout } = await promisify(execFile)("sh", ["-c", curl], {
      env: { PATH: process.env["PATH"], OUTPOST_API_KEY: plane.ownerKey },
    });
    const { id: _id, created_at: _at, groupOrder: _order, frequencyOffset: _offset, ...copy } = JSON.parse(stdout);
    expect(check).toMatchObject(copy);
    expect(copy.name).toBe(hostile);
  });

  it("holds no secret and no locked value, whoever asks", async () => {
    const request = {
      method: "GET",
      url: "https://ada:url-password@shop.example.com/",
      headers: [
        { key: "x-token", value: "locked-header", locked: true },
        { key: "Authorization", value: "Bearer plain-header" },
        { key: "accept", value: "text/html" },
      ],
      queryParameters: [{ key: "k", value: "locked-parameter", locked: true }],
      basicAuth: { username: "ada", password: "basic-password" },
    };
    const { check } = await furnished({ name: "Secrets", request });
    const environmentVariables = [
      { key: "PIN", value: "secret-variable", secret: true },
      { key: "USER", value: "locked-variable", locked: true },
    ];
    const script = { ...apiCheck({ name: "Browser" }), script: "1", environmentVariables, runtimeId: "2026.04", request: undefined };
    const scripted = await made("/v1/checks/multistep", script);
    const { yaml, curl, text } = await texts(check.id);
    const other = await texts(scripted.id);
    expect(`${text}${other.text}`).not.toMatch(/locked-|plain-header|-password|secret-variable/);
    expect(yaml).toContain("${env:CHECK_SECRETS_REQUEST_HEADERS_0_VALUE}");
    expect(yaml).toContain("value: text/html");
    expect(curl).toContain('"password": "********"');
    expect(other.yaml).toMatch(/key: PIN\n\s+value: \$\{env:/);
    const heartbeat = await made("/v1/checks/heartbeat", {
      name: "Job",
      heartbeat: { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" },
    });
    const ping = await texts(heartbeat.id);
    expect([ping.status, ping.text.includes(heartbeat.heartbeat.pingToken), ping.yaml.includes("checkType: HEARTBEAT")]).toEqual([
      200,
      false,
      true,
    ]);
  });

  it("is for readers, too, is linked from the check and its form, and is not there for others", async () => {
    const { check } = await furnished({ name: "Linked" });
    const reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    expect((await texts(check.id, reader)).yaml).toContain("name: Linked");
    for (const path of [`/checks/${check.id}`, `/checks/${check.id}/edit`]) {
      expect((await here.get(path)).text).toContain(`href="/checks/${check.id}/code"`);
    }
    expect((await texts(check.id, await stranger(plane))).status).toBe(404);
  });
});

function plain(inner: string): string {
  const letters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return inner.replaceAll(/&(#39|\w+);/g, (whole, name: string) => letters[name] ?? whole);
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { freePort } from "../support/free-ports.ts";
import { OutpostProcess } from "../support/processes.ts";

const controlPlane = await controlPlaneUnderTest();
const folder = mkdtempSync(join(tmpdir(), "outpost-test-"));
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await controlPlane[Symbol.asyncDispose]();
});

async function outpost(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  await using process = new OutpostProcess([...words], { DATA_DIR: folder, ...env }, folder);
  const code = await process.exit(60_000);
  return { code, stdout: process.stdout, stderr: process.stderr };
}

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const remote = { OUTPOST_URL: controlPlane.base, OUTPOST_API_KEY: controlPlane.ownerKey };

describe("outpost import, apply and export", () => {
  it("lead from a list of curl commands to checks that run, and back to a file", async () => {
    await controlPlane.call("POST", "/v1/private-locations", { body: { name: "Berlin", slugName: "berlin" } });
    const commands = file("commands.txt", "curl -X POST https://shop.example.com/orders --json '{\"n\": 1}'\n");
    const imported = await outpost(["import", "curl", commands, "--location", "berlin"]);
    expect([imported.code, imported.stderr]).toEqual([0, "1 check, 0 warnings. Next: outpost apply <the file>\n"]);
    const checks = file("checks.yaml", imported.stdout);
    const dry = await outpost(["apply", checks, "--dry-run"], remote);
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/^\+ check ".+"\n1 to create\n$/)]);
    expect((await controlPlane.call("GET", "/v1/checks")).body).toEqual([]);
    const applied = await outpost(["apply", checks], remote);
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringMatching(/1 to create\nApplied\.\n$/)]);
    expect((await controlPlane.call("GET", "/v1/checks")).body).toMatchObject([
      { checkType: "API", request: { method: "POST", url: "https://shop.example.com/orders" }, privateLocations: ["berlin"] },
    ]);
    const exported = await outpost(["export"], remote);
    expect([exported.code, exported.stdout]).toEqual([0, expect.stringContaining("https://shop.example.com/orders")]);
    const again = await outpost(["apply", file("all.yaml", exported.stdout)], remote);
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^\d+ unchanged\n$/)]);
  });

  it("let a project own what its file names, and nothing else", async () => {
    const read = async (name: string) =>
      (await controlPlane.call("GET", "/v1/checks?limit=100")).body.find((one: { readonly name: string }) => one.name === name);
    const shop = (names: readonly string[], more = "") =>
      file(
        "shop.yaml",
        `outpost: 1\nproject: shop\n${more}checks:\n${names.map((name) => `  - { checkType: URL, name: ${name}, locations: [eu-west-1], request: { url: "https://shop.example.com/" } }\n`).join("")}`,
      );
    const apply = async (path: string, ...flags: string[]) => {
      const { code, stdout, stderr } = await outpost(["apply", path, ...flags], remote);
      return [code, stdout + stderr];
    };
    await controlPlane.call("POST", "/v1/checks/url", {
      body: { name: "by hand", locations: ["eu-west-1"], request: { url: "https://shop.example.com/" } },
    });
    const told = '+ check "cart"\n+ check "till"\n2 to create\nproject "shop": owns 2 more\nApplied.\n';
    expect(await apply(shop(["cart", "till"]))).toEqual([0, told]);
    expect((await read("cart")).projectBindings.owner).toMatchObject({ project: { logicalId: "shop" }, binding: { logicalId: "cart" } });
    expect(await apply(shop(["cart", "till"]))).toEqual([0, "2 unchanged\n"]);
    // It takes over what it names, and leaves what it names no more.
    expect(await apply(shop(["cart", "by hand"]))).toEqual([
      0,
      expect.stringMatching(/project "shop": owns 1 more, 1 no longer, which stay\nApplied\.\n$/),
    ]);
    const owners = await Promise.all(["cart", "by hand", "till"].map(async (name) => (await read(name)).projectBindings.owner?.binding));
    expect(owners).toEqual([{ logicalId: "cart", pending: false }, { logicalId: "by hand", pending: false }, undefined]);
    // With --prune it removes what it owned, and nothing of others.
    const pruned = await apply(shop(["cart"]), "--prune");
    expect(pruned).toEqual([0, '- check "by hand"\n1 to remove, 1 unchanged\nApplied.\n']);
    expect(await read("till")).toBeDefined();
    const others = file(
      "other.yaml",
      'outpost: 1\nproject: { logicalId: other, name: Other }\nchecks:\n  - { checkType: URL, name: cart, locations: [eu-west-1], frequency: 5, request: { url: "https://shop.example.com/" } }\n',
    );
    expect(await apply(others)).toEqual([2, expect.stringContaining('The check "cart" belongs to the project "shop"')]);
    expect((await read("cart")).frequency).toBe(10);
    expect(await apply(file("wrong.yaml", "outpost: 1\nproject: [shop]\n"))).toEqual([2, expect.stringContaining("project: must be")]);
  });

  it("take an account of the hosted service over, to one's own location", async () => {
    // It speaks the same contract: here another control plane stands for it.
    await using theirs = await controlPlaneUnderTest();
    const post = (path: string, body: object) => theirs.call("POST", path, { body });
    const channel = (await post("/v1/alert-channels", { type: "EMAIL", config: { address: "on-call@example.com" } })).body.id;
    const group = (await post("/v2/check-groups", { name: "Shop", locations: ["eu-west-1"] })).body.id;
    const alertChannelSubscriptions = [{ alertChannelId: channel, activated: true }];
    const request = { url: "https://shop.example.com/" };
    await post("/v1/checks/url", { name: "Front page", groupId: group, locations: ["us-east-1"], request, alertChannelSubscriptions });
    await post("/v1/variables", { key: "SHOP_TOKEN", value: "kTz+9f/31c07e2b", secret: true });
    const key = { CHECKLY_API_KEY: theirs.ownerKey, CHECKLY_ACCOUNT_ID: theirs.account.uuid, CHECKLY_API_URL: theirs.base };
    const imported = await outpost(["import", "checkly", "--location", "berlin"], key);
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining("4 entries.")]);
    expect(imported.stdout).not.toMatch(/31c07e2b|us-east-1|eu-west-1/);
    const all = file("theirs.yaml", imported.stdout);
    const applied = await outpost(["apply", all], { ...remote, ENVIRONMENT_VARIABLE_SHOP_TOKEN_VALUE: "given" });
    expect([applied.code, applied.stderr, applied.stdout]).toEqual([0, "", expect.stringMatching(/Applied/)]);
    const checks = (await controlPlane.call("GET", "/v1/checks?limit=100")).body;
    expect(checks.find(({ name }: { readonly name: string }) => name === "Front page")).toMatchObject({
      locations: [],
      privateLocations: ["berlin"],
      alertChannelSubscriptions: [{ activated: true }],
      groupId: expect.any(Number),
    });
    for (const [env, words, code, message] of [
      [{}, [], 2, /CHECKLY_API_KEY/],
      [{ ...key, CHECKLY_API_KEY: `cu_${"0".repeat(32)}` }, [], 2, /the service refused it/],
      [{ ...key, CHECKLY_API_URL: `http://127.0.0.1:${await freePort()}` }, [], 4, /gave no answer/],
      [key, ["file.yaml"], 2, /usage/],
    ] as const) {
      const refused = await outpost(["import", "checkly", ...words], env);
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringMatching(message)]);
    }
  });

  it("says what to put right", async () => {
    const port = await freePort();
    const empty = file("empty.yaml", "outpost: 1\n");
    const needy = file("needy.yaml", "outpost: 1\nvariables: [{ key: TOKEN, value: '${env:THE_TOKEN}', secret: true }]\n");
    const cases: readonly [readonly string[], Record<string, string>, number, RegExp][] = [
      [["apply"], remote, 2, /^usage: outpost apply <file/],
      [["apply", join(folder, "none.yaml")], remote, 2, /none\.yaml cannot be read \(ENOENT\)/],
      [["apply", empty], {}, 2, /^OUTPOST_API_KEY is not set, .* outpost keys create/],
      [
        ["apply", empty],
        { ...remote, OUTPOST_API_KEY: `sv_${"0".repeat(32)}` },
        2,
        /^OUTPOST_API_KEY: the control plane refused it: Bad Token/,
      ],
      [["apply", empty], { ...remote, OUTPOST_URL: `http://127.0.0.1:${port}` }, 4, /^OUTPOST_URL \(--url\): .* gave no answer/],
      [["apply", needy], remote, 2, /^The environment lacks secrets: set THE_TOKEN/],
      [["import", "nagios", empty], {}, 2, /^usage: outpost import openapi\|curl\|blackbox\|gatus/],
    ];
    for (const [words, env, code, message] of cases) {
      const said = await outpost(words, env);
      expect([said.code, said.stderr]).toEqual([code, expect.stringMatching(message)]);
    }
  });
});

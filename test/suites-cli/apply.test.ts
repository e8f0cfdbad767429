import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { OutpostProcess } from "../support/processes.ts";
import { SuiteFolder, shop } from "./suite-folder.ts";

let plane: ControlPlaneUnderTest;
let folder: SuiteFolder;
beforeAll(async () => {
  plane = await controlPlaneUnderTest();
  folder = new SuiteFolder(Object.fromEntries(Object.entries(shop).map(([path, text]) => [`e2e/${path}`, text])));
  await plane.call("POST", "/v1/private-locations", { body: { name: "Berlin", slugName: "berlin" } });
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await plane[Symbol.asyncDispose]();
});

async function outpost(...words: readonly string[]) {
  const env = { DATA_DIR: folder.at("none"), OUTPOST_URL: plane.base, OUTPOST_API_KEY: plane.ownerKey };
  await using process = new OutpostProcess([...words], env, folder.at("e2e"));
  const code = await process.exit(60_000);
  return { code, stdout: process.stdout, stderr: process.stderr };
}

const checks = async (): Promise<readonly Record<string, unknown>[]> => (await plane.call("GET", "/v1/checks")).body;
const bundles = async (): Promise<readonly { readonly key: string }[]> => (await plane.call("GET", "/v1/code-bundles")).body;

/** A file with checks of type PLAYWRIGHT. */
function file(...entries: readonly string[]): string {
  const told = entries.map((entry) => `  - { checkType: PLAYWRIGHT, privateLocations: [berlin], ${entry} }\n`);
  folder.write({ "outpost.yaml": `outpost: 1\nchecks:\n${told.join("")}` });
  return folder.at("outpost.yaml");
}

describe("outpost apply", () => {
  it("bundles the folders that checks name, and uploads each bundle once", async () => {
    const yaml = file("name: Smoke, playwright: ./e2e, testCommand: npx playwright test --grep=@smoke", "name: All, playwright: e2e");
    const dry = await outpost("apply", yaml, "--dry-run");
    expect([dry.code, dry.stderr, await bundles()]).toEqual([0, "", []]);
    expect(dry.stdout).toMatch(/^Suite e2e\n {2}4 files, .*Playwright 1\.64\.1\n.*\n\+ check "Smoke"\n\+ check "All"\n2 to create\n$/);
    expect(await outpost("apply", yaml)).toMatchObject({ code: 0, stdout: expect.stringMatching(/2 to create\nApplied\.\n$/) });
    const [bundle, ...others] = await bundles();
    expect(others).toEqual([]);
    const made = { codeBundlePath: bundle?.key, playwrightVersion: "1.64.1", cacheHash: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(await checks()).toEqual([expect.objectContaining(made), expect.objectContaining(made)]);
    expect(await outpost("apply", yaml)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n2 unchanged\n$/) });
  });

  it("shows a bundle that changes, also without uploading it", async () => {
    const yaml = file("name: All, playwright: e2e");
    folder.write({ "e2e/tests/more.spec.ts": "// more\n" });
    const [before] = await bundles();
    const dry = await outpost("apply", yaml, "--dry-run");
    expect(dry.stdout).toMatch(
      /\n~ check "All"\n {4}codeBundlePath: "[0-9a-f]+… \(\d+ characters\) → "[0-9a-f]+… \(\d+ characters\)\n1 to change\n$/,
    );
    expect((await bundles()).length).toBe(1);
    expect((await outpost("apply", yaml)).code).toBe(0);
    const all = await bundles();
    expect([all.length, (await checks()).find(({ name }) => name === "All")?.["codeBundlePath"]]).toEqual([
      2,
      all.find(({ key }) => key !== before?.key)?.key,
    ]);
    const exported = await outpost("export");
    folder.write({ "exported.yaml": exported.stdout });
    expect(await outpost("apply", folder.at("exported.yaml"))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ unchanged\n$/),
    });
  });

  it.each([
    ["name: Bad, playwright: ./none", /^checks "Bad": The folder .*none cannot be read \(ENOENT\)/],
    ["name: Bad, playwright: 5", /checks\[0\] \(Bad\): playwright must be a folder, as seen from the file/],
    ["name: Bad, playwright: e2e, codeBundlePath: x", /^checks "Bad": codeBundlePath comes from the folder in playwright/],
    ["name: Bad, playwrite: e2e", /playwrite: no such field; fields: playwright, /],
  ])("refuses %s", async (entry, message) => {
    expect(await outpost("apply", file(entry), "--dry-run")).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });
});

import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { makeScriptRuntime, type ScriptRuntime } from "../../support/script-runtime.ts";
import { outpostRun } from "./outpost-run.ts";

const key = "sesame-street-77";
/** The check of docs/scripts.md, as it stands there. */
const documented = /```yaml\n(checkType: API\nname: orders\n.*?)```/s.exec(
  readFileSync(join(import.meta.dirname, "../../../docs/scripts.md"), "utf8"),
)?.[1];

describe("outpost run, with scripts", () => {
  let shop: HttpServer;
  let runtime: ScriptRuntime;
  let orders: string;

  beforeAll(async () => {
    shop = await httpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const expected = createHmac("sha256", key).update(Buffer.concat(chunks)).digest("hex");
        const state = request.headers["x-signature"] === expected ? "taken" : "refused";
        response.end(JSON.stringify({ state, key, atMs: Date.now() }));
      });
    });
    runtime = await makeScriptRuntime();
    orders = documented?.replace("https://shop.example.com", shop.url) ?? "";
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
  });

  it("runs the check of the documentation as it is written there", async () => {
    expect(orders).toContain(shop.url);
    const env = { RUNTIMES_DIR: runtime.folder, SERVICE_SECRET_SIGNING: key };
    const ended = await outpostRun(["orders.yaml"], { "orders.yaml": orders }, { env });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^✓ passed {2}orders/);
  });

  it("takes variables from a file, and masks secrets in what scripts say", async () => {
    const check = orders.replace(
      "localSetupScript: |\n",
      "localSetupScript: |\n  console.warn(process.env.PLAIN, process.env.SERVICE_SECRET_SIGNING);\n",
    );
    const files = { "orders.yaml": check, "variables.txt": `PLAIN='in the clear'\nSERVICE_SECRET_SIGNING="${key}"\n` };
    const env = { RUNTIMES_DIR: runtime.folder, PLAIN: "of the environment" };
    const ended = await outpostRun(["orders.yaml", "--variables", "variables.txt"], files, { env });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("setup       in the clear ********");
    const json = await outpostRun(["orders.yaml", "--variables", "variables.txt", "--json"], files, { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: "passed", apiCheckResult: { response: { body: '{"state":"taken"}' } } });
    expect(ended.stdout + json.stdout).not.toContain(key);
  });

  it("says why a script failed", async () => {
    const check = orders.replace("localSetupScript: |\n", "localSetupScript: |\n  throw new Error('no luck');\n");
    const ended = await outpostRun(["orders.yaml"], { "orders.yaml": check }, { env: { RUNTIMES_DIR: runtime.folder } });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("ESCRIPT: setup script failed: Error: no luck (line 1)");
  });

  it.each<[string, string, string[], Record<string, string>, RegExp]>([
    [
      "without any runtime",
      "",
      [],
      { RUNTIMES_DIR: "" },
      /scripts, and no runtime is installed in data\/runtimes: outpost runtime install 2026\.04\n$/,
    ],
    [
      "of another runtime",
      'runtimeId: "2024.09"\n',
      [],
      {},
      /scripts, and runtime 2024\.09 is not installed in .*: outpost runtime install 2024\.09\n$/,
    ],
    ["where they are refused", "", [], { SCRIPT_SANDBOX: "off" }, /scripts, and SCRIPT_SANDBOX=off refuses them: set it to auto\n$/],
    ["with a snippet", "setupSnippetId: 5\n", [], {}, /^orders\.yaml:1:17: setupSnippetId names a snippet .*: use localSetupScript\n$/],
    ["with variables of a file that is missing", "", ["--variables", "nowhere"], {}, /^nowhere cannot be read \(ENOENT\)\n$/],
  ])("%s: a sentence and code 2, and nothing is sent", async (_title, more, words, env, sentence) => {
    const files = { "orders.yaml": more + orders };
    const ended = await outpostRun(["orders.yaml", ...words], files, { env: { RUNTIMES_DIR: runtime.folder, ...env } });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(sentence);
  });
});

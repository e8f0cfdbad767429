import { afterAll, describe, expect, it } from "vitest";
import { readAgentConfig } from "../../src/agent/config.ts";
import { diagnoseModel } from "../../src/agent/doctor/doctor-model.ts";
import { freePort } from "../support/free-ports.ts";
import { httpServer } from "../support/http-servers/http-server.ts";

describe("what doctor says of the model of agentic checks", { timeout: 60_000 }, () => {
  const made = new AsyncDisposableStack();
  afterAll(() => made.disposeAsync());

  const said = (env: Readonly<Record<string, string>>) =>
    diagnoseModel(readAgentConfig({ API_KEY: "key", API_URL: "http://127.0.0.1:1", ...env }), AbortSignal.timeout(30_000));

  /** Takes one key, and only questions with tools. */
  async function endpoint(): Promise<string> {
    const server = await httpServer(async (request, response) => {
      const { tools, model } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const isRight = request.headers.authorization === "Bearer right" && model === "small" && tools?.length === 1;
      response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
      response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "ok" } }] }));
    });
    made.use(server);
    return `${server.url}/v1`;
  }

  it("is that none is set, or none is wanted", async () => {
    expect(await said({})).toMatchObject({ verdict: "ok", text: expect.stringContaining("no model is set") });
    const unwanted = { AGENTIC_MODEL_URL: "http://127.0.0.1:9/v1", AGENTIC_MODEL: "small", AGENTIC_CONCURRENCY: "0" };
    expect(await said(unwanted)).toMatchObject({ verdict: "ok", text: expect.stringContaining("AGENTIC_CONCURRENCY is 0") });
  });

  it("is that it answers, or why it does not, and never its key", async () => {
    const set = { AGENTIC_MODEL_URL: await endpoint(), AGENTIC_MODEL: "small" };
    expect(await said({ ...set, AGENTIC_KEY: "right" })).toMatchObject({ verdict: "ok", text: expect.stringContaining("answers") });
    const refused = await said({ ...set, AGENTIC_KEY: "wrong-key-77" });
    expect(refused).toMatchObject({ verdict: "warn", text: expect.stringContaining("refuses the key") });
    expect(JSON.stringify(refused)).not.toContain("wrong-key-77");
    const nobody = await said({ ...set, AGENTIC_MODEL_URL: `http://127.0.0.1:${await freePort()}/v1` });
    expect(nobody).toMatchObject({ verdict: "warn", next: expect.stringContaining("NO_PROXY") });
  });
});

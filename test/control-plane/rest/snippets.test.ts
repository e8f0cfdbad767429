import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("snippets", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (name: string, script = "export default 1;") => plane.call("POST", "/v1/snippets", { body: { name, script } });

  it("are created, read, replaced and deleted", async () => {
    const { status, body } = await create("login");
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      name: "login",
      script: "export default 1;",
      created_at: body.created_at,
      updated_at: null,
    });
    expect((await plane.call("GET", `/v1/snippets/${body.id}`)).body).toEqual(body);
    const { body: after } = await plane.call("PUT", `/v1/snippets/${body.id}`, { body: { name: "sign in", script: "2" } });
    expect(after).toEqual({ ...body, name: "sign in", script: "2", updated_at: expect.stringMatching(/^2.*Z$/) });
    expect((await plane.call("DELETE", `/v1/snippets/${body.id}`)).status).toBe(204);
    for (const method of ["GET", "DELETE"]) expect((await plane.call(method, `/v1/snippets/${body.id}`)).status).toBe(404);
    expect((await plane.call("PUT", `/v1/snippets/${body.id}`, { body: { name: "x", script: "x" } })).status).toBe(404);
  });

  it("are listed by page, with their total", async () => {
    for (const name of ["a", "b", "c"]) await create(name);
    const { body, headers } = await plane.call("GET", "/v1/snippets?limit=2&page=2");
    expect(body.map(({ name }: { name: string }) => name)).toEqual(["c"]);
    expect(headers.get("content-range")).toBe("items 2-2/3");
  });

  it("leave checks and groups that use them when they are deleted, which can be sent back as they are read", async () => {
    const { body: snippet } = await create("used");
    const names = { setupSnippetId: snippet.id, tearDownSnippetId: snippet.id };
    const { body: group } = await plane.call("POST", "/v2/check-groups", { body: { name: "g", ...names } });
    const { body: check } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ groupId: group.id, ...names }) });
    expect([check, group]).toMatchObject([names, names]);
    expect((await plane.call("DELETE", `/v1/snippets/${snippet.id}`)).status).toBe(204);
    for (const [path, by] of [
      [`/v1/checks/${check.id}`, `/v1/checks/api/${check.id}`],
      [`/v1/check-groups/${group.id}`, `/v2/check-groups/${group.id}`],
    ] as const) {
      const { body } = await plane.call("GET", path);
      expect(body).toMatchObject({ setupSnippetId: null, tearDownSnippetId: null });
      expect((await plane.call("PUT", by, { body })).status).toBe(200);
    }
  });

  it.each([
    [{ name: "", script: "x" }, "name"],
    [{ name: "x".repeat(256), script: "x" }, "name"],
    [{ name: "x" }, "script"],
    [{ name: "x", script: "x".repeat(262_145) }, "script"],
  ])("are refused where the body is wrong, naming the field", async (body, path) => {
    const answer = await plane.call("POST", "/v1/snippets", { body });
    expect(answer.status).toBe(400);
    expect(answer.body.attributes.issues).toEqual([{ path, message: expect.any(String) }]);
  });
});

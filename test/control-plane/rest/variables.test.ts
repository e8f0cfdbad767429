import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("environment variables", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (body: object) => plane.call("POST", "/v1/variables", { body });
  const replace = (key: string, body: object) => plane.call("PUT", `/v1/variables/${key}`, { body });
  const read = async (key: string) => (await plane.call("GET", `/v1/variables/${key}`)).body;
  /** What the store keeps, opened where it is sealed. */
  const stored = async (key: string) => {
    const row = await plane.context.storage.documents.find<{ value: string }>(plane.account.id, "variable", { name: key });
    return row?.definition.value;
  };

  it("are addressed by their key, which stays", async () => {
    const { status, body } = await create({ key: "BASE_URL", value: "http://a/" });
    expect(status).toBe(201);
    expect(body).toEqual({ key: "BASE_URL", value: "http://a/", locked: false, secret: false });
    expect((await replace("BASE_URL", { key: "OTHER", value: "http://b/", locked: true })).body).toEqual({
      key: "BASE_URL",
      value: "http://b/",
      locked: true,
      secret: false,
    });
    expect((await plane.call("DELETE", "/v1/variables/BASE_URL")).status).toBe(204);
    expect((await plane.call("GET", "/v1/variables/BASE_URL")).status).toBe(404);
    expect((await replace("BASE_URL", { value: "x" })).status).toBe(404);
  });

  it("exist once per key, also when many are made at once", async () => {
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await create({ key: "ONCE", value: "" })).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
  });

  it("never show a secret again, nor store it readable", async () => {
    const { body } = await create({ key: "TOKEN", value: "hush-hush", secret: true });
    expect(body).toEqual({ key: "TOKEN", value: "********", locked: false, secret: true });
    expect(await read("TOKEN")).toEqual({ key: "TOKEN", value: null, locked: false, secret: true });
    const { text } = await plane.call("GET", "/v1/variables?limit=100");
    expect(text).toContain('"TOKEN"');
    expect(text).not.toContain("hush");
    expect(await stored("TOKEN")).not.toContain("hush");
    expect(plane.logLines.join()).not.toContain("hush-hush");
  });

  it.each(["********", null])("keep a secret that is sent back as %s, and only while it stays one", async (value) => {
    const key = `KEPT_${value === null ? "NULL" : "MASK"}`;
    await create({ key, value: "hush-hush", secret: true });
    const before = await stored(key);
    expect((await replace(key, { value, secret: true, locked: true })).body).toMatchObject({ locked: true, secret: true });
    expect(await stored(key)).toBe(before);
    const opened = await replace(key, { value, secret: false });
    expect(opened.status).toBe(400);
    expect(opened.body.attributes.issues[0].path).toBe("value");
    expect((await replace(key, { value: "in the open", secret: false })).body.value).toBe("in the open");
    expect((await replace(key, { value, secret: true })).status).toBe(400);
  });

  it("cannot be the asterisks that stand for a secret", async () => {
    expect((await create({ key: "MASKED", value: "********", secret: true })).status).toBe(400);
  });

  it("show a locked value to those only who could change it", async () => {
    await create({ key: "LOCKED", value: "half open", locked: true });
    const valueFor = async (role: "READ_ONLY" | "READ_RUN" | "READ_WRITE") =>
      (await plane.call("GET", "/v1/variables/LOCKED", { key: await plane.keyFor(role) })).body.value;
    expect(await valueFor("READ_ONLY")).toBeNull();
    expect(await valueFor("READ_RUN")).toBeNull();
    expect(await valueFor("READ_WRITE")).toBe("half open");
  });

  it.each(["", "9LIVES", "WITH-DASH", "WITH SPACE", "É", "x".repeat(256)])("refuse the key %j", async (key) => {
    const { status, body } = await create({ key, value: "x" });
    expect(status).toBe(400);
    expect(body.attributes.issues[0].path).toBe("key");
  });
});

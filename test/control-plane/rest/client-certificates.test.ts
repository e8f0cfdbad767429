import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClientCertificate } from "#contract/client-certificates.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("client certificates", () => {
  const certificates = makeCertificates();
  const { cert, key } = certificates.pair("good");
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    certificates[Symbol.dispose]();
    await plane[Symbol.asyncDispose]();
  });
  const create = (change: object = {}) =>
    plane.call("POST", "/v1/client-certificates", { body: { host: "*.example.com", cert, key, ...change } });

  it("are created, read and deleted, and never show their key", async () => {
    const { status, body, text } = await create({ ca: certificates.ca, passphrase: "unused words" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      host: "*.example.com",
      cert,
      ca: certificates.ca,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(text).not.toContain("PRIVATE KEY");
    expect((await plane.call("GET", `/v1/client-certificates/${body.id}`)).body).toEqual(body);
    expect((await plane.call("GET", "/v1/client-certificates")).body).toEqual([body]);
    const row = await plane.context.storage.documents.find(plane.account.id, "client-certificate", { uuid: body.id });
    expect(JSON.stringify(row)).not.toMatch(/PRIVATE KEY|unused words/);
    expect((await plane.call("DELETE", `/v1/client-certificates/${body.id.toUpperCase()}`)).status).toBe(204);
    expect((await plane.call("GET", `/v1/client-certificates/${body.id}`)).status).toBe(404);
    expect((await plane.call("DELETE", "/v1/client-certificates/nothing")).status).toBe(404);
  });

  it("are accepted as the documentation shows one", async () => {
    expect((await plane.call("POST", "/v1/client-certificates", { body: createClientCertificate.example.body })).status).toBe(201);
  });

  it.each(["api.example.com", "localhost", "10.0.0.7", "::1", "*.internal", "a_b.example"])("take the host %s", async (host) => {
    expect((await create({ host })).status).toBe(201);
  });

  it.each([
    ["a host with a scheme", { host: "https://example.com" }, "host"],
    ["a wildcard inside", { host: "a.*.com" }, "host"],
    ["another certificate's key", { key: certificates.pair("selfSigned").key }, "key"],
    ["no key", { key: undefined }, "key"],
    ["no certificate", { cert: "text" }, "cert"],
    ["a key instead of the authority", { ca: key }, "ca"],
  ])("are refused with %s, naming the field and nothing of the key", async (_what, change, path) => {
    const { status, body, text } = await create(change);
    expect(status).toBe(400);
    expect(body.attributes.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
    expect(text).not.toContain("PRIVATE");
  });
});

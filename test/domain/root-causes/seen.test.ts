import { describe, expect, it } from "vitest";
import { checkTypes } from "../../../src/contract/checks/index.ts";
import { codeOf, seenOf } from "../../../src/domain/root-causes/seen.ts";
import { targetHost } from "../../../src/domain/root-causes/target-host.ts";
import { checkDetails } from "../../support/check-details.ts";

describe("what a run saw", () => {
  it("is read of every check type, and of a detail that is nothing like it", () => {
    for (const type of Object.keys(checkTypes) as (keyof typeof checkTypes)[]) {
      expect(() => seenOf(type, { error: null, statusCode: null, detail: checkDetails[type] })).not.toThrow();
      for (const detail of [
        null,
        [],
        "text",
        { response: 5 },
        { response: { hops: null, answer: [] }, connection: [], requests: [null, 1], errors: [{}] },
      ])
        expect(() => seenOf(type, { error: "ECONNREFUSED: no", statusCode: 0, detail })).not.toThrow();
    }
  });

  it("has the code that a message begins with", () => {
    expect(codeOf("ECONNREFUSED: connect")).toBe("ECONNREFUSED");
    expect(codeOf("CERT_HAS_EXPIRED: the certificate")).toBe("CERT_HAS_EXPIRED");
    for (const text of [null, "", "status 500 is not 200", "E2E failed: x", "Error: x"]) expect(codeOf(text)).toBeNull();
  });

  it("knows where a step that was late ended", () => {
    const ended = (requestError: string) => seenOf("API", { error: requestError, statusCode: null, detail: { requestError } }).endedIn;
    expect(ended("ETIMEDOUT: DNS: no server answered for shop.example (limit 5000 ms)")).toBe("dns");
    expect(ended("ETIMEDOUT: connect to 192.0.2.1:443 took longer than 10000 ms")).toBe("tcp");
    expect(ended("ETIMEDOUT: TLS took longer than 10000 ms")).toBe("tls");
    expect(ended("ETIMEDOUT: headers took longer than 10000 ms")).toBe("firstByte");
  });
});

describe("the host that a check looks at", () => {
  it.each([
    ["API", { url: "https://Shop.example:8443/cart?x=1" }, "shop.example"],
    ["URL", { url: "https://[2001:db8::1]/" }, "[2001:db8::1]"],
    ["TCP", { url: "db.example", hostname: "db.example" }, "db.example"],
    ["TCP", { url: "db.example:5432" }, "db.example"],
    ["DNS", { query: "shop.example." }, "shop.example"],
    ["SSL", { hostname: "shop.example" }, "shop.example"],
    ["API", { url: "{{BASE_URL}}/cart" }, null],
    ["API", { url: "https://{{HOST}}/cart" }, null],
    ["BROWSER", {}, null],
    ["API", { url: 5 }, null],
  ])("of %s %j", (_type, names, host) => {
    expect(targetHost(names)).toBe(host);
  });
});

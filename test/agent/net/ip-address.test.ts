import { expect, it } from "vitest";
import { withoutZone } from "../../../src/agent/net/ip-address.ts";

it("withoutZone takes the zone off", () => {
  expect(withoutZone("fe80::1%eth0")).toBe("fe80::1");
  expect(withoutZone("10.0.0.1")).toBe("10.0.0.1");
});

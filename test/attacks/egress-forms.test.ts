import fc from "fast-check";
import { expect } from "vitest";
import { createEgressPolicy } from "../../src/agent/net/egress-policy.ts";
import { createAddressRules } from "../../src/daemon/address-rules.ts";
import { embeddings } from "../support/ipv4-embeddings.ts";
import { attack } from "./attack.ts";

const agents = createEgressPolicy({ allowCidrs: [], denyCidrs: ["10.0.0.0/8"], mode: "default", ownPorts: [] });
const webhooks = createAddressRules({ allowCidrs: [], denyCidrs: ["10.0.0.0/8"], mode: "default" });
const inDenied = fc.oneof(
  fc.tuple(fc.constant("169.254"), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant("10.1"), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant("224.0"), fc.nat(255), fc.nat(255)),
);
const denied = fc.oneof(
  inDenied.map((parts) => parts.join(".")),
  fc.constantFrom("100.100.100.200", "168.63.129.16", "192.0.0.192", "255.255.255.255"),
);

for (const { name, write } of embeddings) {
  attack("B3", `a denied IPv4 address written as ${name}`, (held) => {
    fc.assert(
      fc.property(denied, (address) => {
        const written = write(address);
        expect(webhooks.kindOf(written)).toBe("denied");
        expect(() => agents.check(written, 80, written)).toThrow(expect.objectContaining({ code: "EPOLICY" }));
      }),
    );
    held("the table of translations, for agents and webhooks", "100 addresses, none let through");
  });
}

attack("B3", "an address that stands for an allowed and for a denied one", (held) => {
  const rules = createAddressRules({ allowCidrs: ["10.0.0.0/8"], denyCidrs: [], mode: "default" });
  expect(rules.kindOf("64:ff9b:1:a9fe:a9:fe00:a00:1")).toBe("denied");
  expect(rules.kindOf("2001:0:a9fe:a9fe:0:0:f5ff:fffe")).toBe("denied");
  expect(rules.kindOf("64:ff9b:1::10.0.0.1")).toBe("allowed");
  held("allowed is only what is allowed in every reading");
});

import { expect, it } from "vitest";
import { loggedConfig } from "../../../src/control-plane/secrets/channel-secrets.ts";

it("the list of notifications has a channel's configuration without its secrets, and only the beginning of a long template", () => {
  const config = {
    name: "hook",
    url: "sealed",
    template: `${"x".repeat(998)}😀${"y".repeat(100_000)}`,
    webhookSecret: "sealed",
    webhookType: null,
    headers: [
      { key: "authorization", value: "sealed", locked: true },
      { key: "x-team", value: "", locked: false },
    ],
  };
  expect(loggedConfig(config)).toEqual({
    name: "hook",
    url: "********",
    template: `${"x".repeat(998)}…`,
    webhookSecret: "********",
    webhookType: null,
    headers: [
      { key: "authorization", value: "********", locked: true },
      { key: "x-team", value: "", locked: false },
    ],
  });
});

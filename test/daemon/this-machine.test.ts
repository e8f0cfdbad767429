import { expect, it } from "vitest";
import { isThisMachine } from "#daemon/this-machine.ts";

it.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["[::1]", true],
  ["127.example.com", false],
  ["localhost.example.com", false],
  ["10.0.0.1", false],
  ["[::2]", false],
])("%s is this machine: %s", (hostname, is) => {
  expect(isThisMachine(hostname)).toBe(is);
});

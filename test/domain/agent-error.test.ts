import { describe, expect, it } from "vitest";
import { agentErrorHash, cleanedAgentError } from "#domain/agent-error.ts";

const event = { message: "m", stack: "s", agentVersion: "1.0.0", platform: "linux x64", runtimeVersion: "v26.10.0" };
const key = "0123456789abcdef0123456789abcdef";

describe("a report of an agent about itself", () => {
  it.each([
    ["plain text", "connect ECONNREFUSED 127.0.0.1:80", "connect ECONNREFUSED 127.0.0.1:80"],
    ["a location's key", `refused pl_${key}!`, "refused ********!"],
    ["keys of every kind, in any case", `cu_${key} SV_${key.toUpperCase()} as_${key}`, "******** ******** ********"],
    ["a bearer token", "authorization: Bearer eyJhbGciOi.x-y_z", "authorization: Bearer ********"],
    ["a password in a URL", "postgres://user:hunter2@db/x", "postgres://user:********@db/x"],
    ["U+0000 and escapes of terminals", "a\0b\u001b[31mc\u202ed", "a�b�[31mc�d"],
    ["lines, in a message", "a\nb\tc", "a�b�c"],
    ["half of a surrogate pair", "a\ud800", "a�"],
  ])("is stored without what it must not have: %s", (_what, message, stored) => {
    expect(cleanedAgentError({ ...event, message }).message).toBe(stored);
  });

  it("keeps the lines of a stack, and nothing that hides in any other field", () => {
    const { stack, platform } = cleanedAgentError({ ...event, stack: "Error: a\r\n\tat b\u0007", platform: `x\0pl_${key}` });
    expect({ stack, platform }).toEqual({ stack: "Error: a\n\tat b�", platform: "x�********" });
  });

  it("is the same as another one when all of it is", () => {
    expect(agentErrorHash({ ...event })).toBe(agentErrorHash(event));
    const others = Object.keys(event).map((field) => agentErrorHash({ ...event, [field]: "other" }));
    expect(new Set([agentErrorHash(event), ...others]).size).toBe(6);
  });
});

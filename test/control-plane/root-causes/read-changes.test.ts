import { describe, expect, it } from "vitest";
import { readChanges } from "../../../src/control-plane/root-causes/read-changes.ts";
import type { AuditEntry, CheckRow, LocationRow } from "../../../src/control-plane/storage/storage.ts";

const check = { uuid: "the-check", accountId: 1, groupId: 7, locationIds: [3] } as unknown as CheckRow;
const user = { userId: "u", userName: "ada@example.com", role: "ADMIN" } as const;

function entry(
  operation: string,
  resourceId: string | null = null,
  fields: readonly string[] = [],
  actor: AuditEntry["actor"] = user,
): AuditEntry {
  return { id: 1, accountId: 1, atMs: 5, operation, resourceId, fields, actor, request: null };
}

const changesOf = (...entries: readonly AuditEntry[]) =>
  readChanges(
    {
      audit: { list: async () => entries },
      locations: { byUuid: async (_account, uuid) => ({ id: uuid === "ours" ? 3 : 4 }) as LocationRow },
    },
    check,
    { fromMs: 0, toMs: 10 },
  );

describe("what was changed before a failure", () => {
  it.each([
    ["a check of any type", entry("updateApiCheck", "the-check", ["request"]), "check"],
    ["by the operation of all types", entry("updateCheck", "the-check", ["request"]), "check"],
    ["its group", entry("updateCheckGroupV2", "7", ["environmentVariables"]), "group"],
    ["a variable", entry("updateVariable", "TOKEN", ["value"]), "variable"],
    ["a snippet", entry("updateSnippet", "4"), "snippet"],
    ["a client certificate", entry("deleteClientCertificate", "x"), "certificate"],
    ["a location of it", entry("updatePrivateLocation", "ours", ["proxyUrl"]), "location"],
    ["a project", entry("deployProject", "x"), "deployment"],
  ])("is told of %s", async (_what, one, what) => {
    expect(await changesOf(one)).toEqual([{ what, atMs: 5, by: "ada@example.com", fields: one.fields }]);
  });

  it.each([
    ["another check", entry("updateApiCheck", "another", ["request"])],
    ["another group", entry("updateCheckGroupV2", "8", ["locations"])],
    ["another location", entry("updatePrivateLocation", "theirs", ["proxyUrl"])],
    ["whether it is muted", entry("updateCheck", "the-check", ["muted"])],
    ["its channels and tags", entry("updateApiCheck", "the-check", ["alertChannelSubscriptions", "tags"])],
    ["a channel", entry("updateAlertChannel", "3", ["config"])],
    ["a sign-in", entry("signIn")],
  ])("is not told of %s", async (_what, one) => {
    expect(await changesOf(one)).toEqual([]);
  });

  it("names a key by what is shown of it, and the command line", async () => {
    const key = { keyId: "k", maskedKey: "sv_…ab12", kind: "service", role: "OWNER" } as const;
    const found = await changesOf(entry("updateVariable", "A", [], key), entry("updateVariable", "A", [], null));
    expect(found.map(({ by }) => by)).toEqual(["API key sv_…ab12", "The command line"]);
  });
});

import { describe, expect, it } from "vitest";
import { type LocationNotice, noticeMessage } from "#domain/alerting/notice-message.ts";

const notice: LocationNotice = {
  kind: "AGENTS_SILENT",
  sinceMs: Date.UTC(2026, 10, 22, 9),
  atMs: Date.UTC(2026, 10, 22, 9, 10),
  location: { code: "berlin", name: "Berlin\r\nBcc: all" },
  checks: ["shop", "web\nX: y"],
  checkCount: 60,
};

describe("a notice of a location", () => {
  it.each([
    ["AGENTS_SILENT", "critical", "Location Berlin Bcc: all is silent: no agent is heard of, 60 checks not run there"],
    ["AGENTS_BACK", "resolved", "Location Berlin Bcc: all is back: agents are heard of again"],
    ["NO_DATA", "warning", "60 checks without data, last seen in Berlin Bcc: all"],
    ["DATA_AGAIN", "resolved", "60 checks with data again, last seen in Berlin Bcc: all"],
  ] as const)("%s is %s: %s", (kind, severity, title) => {
    expect(noticeMessage({ ...notice, kind })).toMatchObject({ severity, title, variables: { ALERT_TYPE: kind, ALERT_TITLE: title } });
  });

  it("lists its checks in lines that no name can forge, and counts the rest", () => {
    const { text, variables } = noticeMessage(notice);
    expect(text.split("\n").slice(1)).toEqual(["Since: 2026-11-22 09:00:00 UTC", "- shop", "- web X: y", "and 58 more"]);
    expect(variables).toMatchObject({ CHECK_NAME: "60 checks", CHECK_ID: "", REGION: "berlin", STARTED_AT: "2026-11-22T09:00:00.000Z" });
  });

  it("opens and resolves one incident of a paging service", () => {
    const keyOf = (kind: LocationNotice["kind"]): string => noticeMessage({ ...notice, kind }).dedupKey;
    expect(keyOf("AGENTS_SILENT")).toBe(keyOf("AGENTS_BACK"));
    expect(keyOf("NO_DATA")).toBe(keyOf("DATA_AGAIN"));
    expect(keyOf("NO_DATA")).not.toBe(keyOf("AGENTS_SILENT"));
  });
});

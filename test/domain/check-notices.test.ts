import { describe, expect, it } from "vitest";
import { type CheckNotice, checkNotices, type HeldWindow, type NoticeFacts } from "#domain/check-notices.ts";

const nowMs = 1_800_000_000_000;
const goneMs = 60_000;
const minuteMs = 60_000;

const fine: NoticeFacts = {
  activated: true,
  ofGroup: null,
  muted: false,
  mutedUntilMs: null,
  hasRun: true,
  nextDueMs: nowMs + minuteMs,
  places: [{ name: "Lyon", lastSeenAtMs: nowMs - 1_000 }],
  windows: [],
};
const inGroup = { activated: true, muted: false };

function held(changes: Partial<HeldWindow> = {}): HeldWindow {
  return { name: "Patching", startsAtMs: nowMs, endsAtMs: nowMs + 60 * minuteMs, pauses: true, silences: false, ...changes };
}

describe("what people should know of a check", () => {
  it.each<readonly [string, Partial<NoticeFacts>, readonly CheckNotice[]]>([
    ["nothing of one that runs and alerts", {}, []],
    ["that it is paused", { activated: false }, [{ kind: "paused", by: "check" }]],
    ["that its group is paused", { activated: false, ofGroup: { ...inGroup, activated: false } }, [{ kind: "paused", by: "group" }]],
    ["that it is paused in a group that is not", { activated: false, ofGroup: inGroup }, [{ kind: "paused", by: "check" }]],
    ["that it is muted for good", { muted: true }, [{ kind: "muted", by: "check", untilMs: null }]],
    ["until when it is muted", { mutedUntilMs: nowMs + 1 }, [{ kind: "muted", by: "check", untilMs: nowMs + 1 }]],
    ["no mute that is over", { mutedUntilMs: nowMs }, []],
    ["that its group is muted", { muted: true, ofGroup: { ...inGroup, muted: true } }, [{ kind: "muted", by: "group", untilMs: null }]],
    [
      "that it is muted while it is paused",
      { activated: false, muted: true },
      [
        { kind: "paused", by: "check" },
        { kind: "muted", by: "check", untilMs: null },
      ],
    ],
    ["which window holds, from its start", { windows: [held()] }, [{ kind: "maintenance", window: held() }]],
    ["no window that is over", { windows: [held({ startsAtMs: nowMs - 1, endsAtMs: nowMs })] }, []],
    ["no window that is yet to come", { windows: [held({ startsAtMs: nowMs + 1 })] }, []],
    ["no window of a check that is paused", { activated: false, windows: [held()] }, [{ kind: "paused", by: "check" }]],
    [
      "that no agent is connected, and since when",
      {
        places: [
          { name: "Lyon", lastSeenAtMs: nowMs - 90_000 },
          { name: "Berlin", lastSeenAtMs: nowMs - 61_000 },
        ],
      },
      [{ kind: "no-agent", places: ["Lyon", "Berlin"], sinceMs: nowMs - 61_000 }],
    ],
    ["no agent ever", { places: [{ name: "Lyon", lastSeenAtMs: null }] }, [{ kind: "no-agent", places: ["Lyon"], sinceMs: null }]],
    [
      "nothing where one location of several has an agent",
      {
        places: [
          { name: "Lyon", lastSeenAtMs: null },
          { name: "Berlin", lastSeenAtMs: nowMs - goneMs },
        ],
      },
      [],
    ],
    ["nothing of agents of what runs nowhere", { places: [] }, []],
    ["when its first run comes", { hasRun: false }, [{ kind: "first-run", atMs: nowMs + minuteMs }]],
    ["no first run of what no schedule runs", { hasRun: false, nextDueMs: null }, []],
    [
      "no first run where no agent is connected",
      { hasRun: false, places: [{ name: "Lyon", lastSeenAtMs: null }] },
      [{ kind: "no-agent", places: ["Lyon"], sinceMs: null }],
    ],
    ["no first run in a window that pauses it then", { hasRun: false, windows: [held({ startsAtMs: nowMs + 1 })] }, []],
    [
      "its first run in a window that only silences it",
      { hasRun: false, windows: [held({ startsAtMs: nowMs + 1, pauses: false, silences: true })] },
      [{ kind: "first-run", atMs: nowMs + minuteMs }],
    ],
  ])("is %s", (_what, facts, notices) => {
    expect(checkNotices({ ...fine, ...facts }, nowMs, goneMs)).toEqual(notices);
  });
});

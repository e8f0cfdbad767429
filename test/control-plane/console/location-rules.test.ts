import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { adviceFor } from "../../../src/control-plane/console/locations/advice.ts";
import { agentCommands } from "../../../src/control-plane/console/locations/agent-commands.ts";
import { agentsOf } from "../../../src/control-plane/console/locations/agents.ts";
import { clockText } from "../../../src/control-plane/console/locations/lengths.ts";
import { stateOfLocation } from "../../../src/control-plane/console/locations/location-state.ts";
import { queueBuckets } from "../../../src/control-plane/console/locations/queue-chart.ts";
import type { AgentSessionRow } from "../../../src/control-plane/storage/storage.ts";
import { version } from "../../../src/daemon/version.ts";

const nowMs = Date.UTC(2026, 10, 20, 12, 0, 0);
const goneMs = 60_000;

function session(change: Partial<AgentSessionRow> = {}): AgentSessionRow {
  return {
    id: 1,
    agentId: "a",
    locationId: 1,
    accountId: 1,
    keyId: "key",
    name: "host",
    version,
    checkTypes: ["API"],
    runtimes: [],
    openedAtMs: nowMs - 1_000,
    lastSeenAtMs: nowMs - 1_000,
    lastExecutedAtMs: null,
    expiresAtMs: nowMs + 1_000,
    state: "running",
    sandboxLevel: 0,
    capabilities: {},
    outboxDepth: 0,
    eventLoopDelayMs: 0,
    clockAheadMs: null,
    platform: null,
    ...change,
  };
}

describe("agents of a location", () => {
  it("count once however often they renewed their session, with the last job of any of them", () => {
    const old = session({ lastSeenAtMs: nowMs - 3_600_000, lastExecutedAtMs: nowMs - 3_700_000, version: "0.0.1" });
    const agents = agentsOf([session({ id: 2 }), old], nowMs, goneMs);
    expect(agents).toMatchObject([{ version, isOutdated: false, lastExecutedAtMs: nowMs - 3_700_000, state: "connected" }]);
  });

  it.each([
    ["running", 0, "connected"],
    ["running", goneMs + 1, "silent"],
    ["draining", 0, "stopping"],
    ["draining", goneMs + 1, "stopped"],
  ] as const)("that told %s and were heard of %i ms ago are %s", (state, agoMs, expected) => {
    expect(agentsOf([session({ state, lastSeenAtMs: nowMs - agoMs })], nowMs, goneMs)).toMatchObject([{ state: expected }]);
  });
});

describe("the clock of an agent", () => {
  it.each([
    [0, "clock within 2 s", false],
    [-1_999, "clock within 2 s", false],
    [2_000, "clock 2 s ahead", false],
    [-4_999, "clock 5 s behind", false],
    [5_000, "clock 5 s ahead", true],
    [-86_400_000, "clock 1 d behind", true],
    [-1.8e12, "clock 20833 d 8 h behind", true],
  ])("that is %d ms ahead: %s, wrong %s", (clockAheadMs, text, isClockOff) => {
    expect(clockText(clockAheadMs)).toBe(text);
    const agents = agentsOf([session({ clockAheadMs })], nowMs, goneMs);
    expect(agents).toMatchObject([{ isClockOff }]);
    const advice = adviceFor({ agents, lastSeenAtMs: nowMs, waitPercent: null, nowMs, longestWaitMs: 0, queueWaitMs: 1 });
    expect(advice.some(({ text: told }) => told.includes("clock"))).toBe(isClockOff);
  });

  it("is told by its earlier session until its new one tells it", () => {
    const old = session({ lastSeenAtMs: nowMs - 3_600_000, clockAheadMs: 7_000 });
    expect(agentsOf([old, session({ id: 2 })], nowMs, goneMs)).toMatchObject([{ clockAheadMs: 7_000 }]);
  });
});

describe("advice for a location", () => {
  const queueWaitMs = 360_000;
  const advise = (percent: number, count = 2, lastSeenAtMs: number | null = nowMs) => {
    const sessions = Array.from({ length: count }, (_, index) => session({ id: index, agentId: `a${index}` }));
    const standing = { agents: agentsOf(sessions, nowMs, goneMs), lastSeenAtMs, waitPercent: percent, nowMs };
    const longestWaitMs = (percent / 100) * queueWaitMs;
    return { grades: adviceFor({ ...standing, longestWaitMs, queueWaitMs }).map(({ grade }) => grade), ...stateOfLocation(standing) };
  };

  it.each([
    [0, 2, [], "ok"],
    [79.9, 2, [], "ok"],
    [80, 2, ["soon"], "warn"],
    [90, 2, ["now"], "warn"],
    [90, 1, ["now", "hint"], "warn"],
    [0, 1, ["hint"], "ok"],
    [0, 0, ["now"], "bad"],
  ] as const)("at %f %% of the longest wait with %i agents: %j", (percent, count, grades, tone) => {
    expect(advise(percent, count)).toMatchObject({ grades, tone });
  });

  it("is none where no agent ever was", () => {
    expect(advise(0, 0, null)).toMatchObject({ grades: [], tone: "none" });
  });
});

describe("the queue of a day", () => {
  it("is shown by its peaks, with gaps where nothing was sampled", () => {
    const sample = (atMs: number, queueSize: number) => ({ atMs, queueSize, oldestMs: queueSize * 10 });
    const buckets = queueBuckets([sample(0, 1), sample(99, 5), sample(100, 2), sample(399, 7)], 0, 400, 4);
    expect(buckets.map(({ queueSize }) => queueSize)).toEqual([5, 2, null, 7]);
    expect(buckets.map(({ oldestMs }) => oldestMs)).toEqual([50, 20, null, 70]);
  });
});

describe("commands that start an agent", () => {
  const told = { slugName: "-Berlin-2-", apiUrl: "https://outpost.example.com/it's,here", rawKey: "pl_0123", version };
  const lines = (name: string): string => agentCommands(told).find((one) => one.name === name)?.lines ?? "";
  const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

  it("take every address as one word, and names that Kubernetes takes", () => {
    expect(lines("Docker")).toContain(String.raw`-e API_URL='https://outpost.example.com/it'\''s,here'`);
    expect(lines("Helm")).toContain(String.raw`--set apiUrl='https://outpost.example.com/it'\''s\,here'`);
    expect(lines("Helm")).toContain("helm -n outpost install berlin-2 charts/agent");
    expect(lines("Helm")).toContain("generic outpost-key-berlin-2 --from-literal=api-key='pl_0123'");
  });

  it("are those of the documents: flags of Docker, the compose file and its variables, values of the chart", () => {
    const flags = lines("Docker").match(/ --?[a-z][a-z-]*(?=[ =])/g) ?? [];
    const docker = read("docs/operations/docker.md");
    expect(flags.length).toBeGreaterThan(10);
    expect(flags.filter((flag) => flag !== " -m" && flag !== " -o" && !docker.includes(flag.trim()))).toEqual([]);
    expect(docker).toContain(`localhost/outpost/agent:${version}`);
    const [file = "none"] = /docs\/\S+\.yaml/.exec(lines("Compose")) ?? [];
    expect(["API_URL", "API_KEY_PATH"].filter((name) => !read(file).includes(`\${${name}:`))).toEqual([]);
    const values = [...lines("Helm").matchAll(/--set ([\w.]+)=/g)].map(([, name]) => name ?? "");
    const chart = read("charts/agent/README.md");
    expect(values).toEqual(["apiUrl", "apiKey.existingSecret.name", "image.registry"]);
    expect(values.filter((name) => !chart.includes(`| \`${name}\` |`))).toEqual([]);
  });
});

import { type Html, html } from "../../pages/html.ts";
import { stateLabel, type Tone } from "../../pages/public/state-label.ts";
import { countText, durationText } from "../../pages/public/units.ts";
import { table } from "../table.ts";
import type { Agent } from "./agents.ts";
import { agoWithTime, clockText } from "./texts.ts";

/** More of them make a page that nobody reads; a location that scales leaves many behind in a day. */
const shownAgents = 50;

const states: Readonly<Record<Agent["state"], readonly [tone: Tone, text: string]>> = {
  connected: ["ok", "connected"],
  stopping: ["busy", "stopping"],
  stopped: ["none", "stopped"],
  silent: ["bad", "silent"],
};

/** Those that stopped by themselves are folded away: they need nobody. */
export function agentTable(agents: readonly Agent[], nowMs: number): Html {
  if (agents.length === 0) return html`<p class="box">No agent was heard of in the last 24 hours.</p>`;
  const stopped = agents.filter(({ state }) => state === "stopped");
  const present = agents.filter(({ state }) => state !== "stopped");
  return html`${present.length > 0 && rowsOf(present, nowMs)}
${stopped.length > 0 && html`<details><summary>${countText(stopped.length, "agent")} that stopped in the last 24 hours</summary>${rowsOf(stopped, nowMs)}</details>`}`;
}

function rowsOf(agents: readonly Agent[], nowMs: number): Html {
  const names = ["Agent", "Version and platform", "Last contact", "Last job executed", "Its own condition", "What it can run"];
  const rest = agents.length - shownAgents;
  return html`${table(
    names,
    agents.slice(0, shownAgents).map((agent) => agentRow(agent, nowMs)),
    "agents",
  )}
${rest > 0 && html`<p class="soft">And ${countText(rest, "more agent")}.</p>`}`;
}

function agentRow(agent: Agent, nowMs: number): Html {
  const { agentId, name, version, isOutdated, platform, lastSeenAtMs, lastExecutedAtMs } = agent;
  return html`<tr><td><strong>${name || "without a name"}</strong><span class="under">${stateLabel(...states[agent.state])}</span><span class="under">${agentId.slice(0, 8)}</span></td>
<td>${version}${isOutdated && html`<span class="under">older than the control plane</span>`}${platform !== null && platformLines(platform)}</td>
<td>${agoWithTime(lastSeenAtMs, nowMs)}</td><td>${agoWithTime(lastExecutedAtMs, nowMs)}</td>
<td>${condition(agent)}</td><td class="chips">${abilities(agent).map((text) => html`<span class="chip">${text}</span>`)}</td></tr>`;
}

function platformLines({ os, arch, nodeVersion, isContainer }: NonNullable<Agent["platform"]>): Html {
  return html`<span class="under">${os}/${arch}${isContainer && ", container"}</span><span class="under">Node.js ${nodeVersion}</span>`;
}

function condition({ outboxDepth, eventLoopDelayMs, clockAheadMs, isClockOff }: Agent): Html {
  const waiting = outboxDepth === 0 ? "all results delivered" : `${countText(outboxDepth, "result")} to deliver`;
  const clock = clockAheadMs !== null && (isClockOff ? stateLabel("warn", clockText(clockAheadMs)) : clockText(clockAheadMs));
  return html`${waiting}<span class="under">event loop late by ${durationText(eventLoopDelayMs)}</span>${clock && html`<span class="under">${clock}</span>`}`;
}

/** Check types, scripts, and what its rights let it see: all as the agent told it. */
function abilities({ checkTypes, sandboxLevel, runtimes, capabilities }: Agent): readonly string[] {
  const scripts = sandboxLevel === 0 ? ["no sandbox for scripts"] : [`sandbox level ${sandboxLevel}`, ...runtimeTexts(runtimes)];
  const rights = Object.entries(capabilities).map(([name, value]) =>
    typeof value === "string" ? `${name}: ${value}` : value ? name : `no ${name}`,
  );
  return [...checkTypes, ...scripts, ...rights];
}

function runtimeTexts(runtimes: readonly string[]): readonly string[] {
  return runtimes.length === 0 ? ["no runtime"] : runtimes.map((runtime) => `runtime ${runtime}`);
}

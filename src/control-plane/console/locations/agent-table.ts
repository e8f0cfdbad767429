import { agentTexts as texts } from "../../texts/locations.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { table } from "../table.ts";
import type { Agent } from "./agents.ts";
import { agoWithTime, clockText } from "./lengths.ts";

/** More of them make a page that nobody reads; a location that scales leaves many behind in a day. */
const shownAgents = 50;

const tones: Readonly<Record<Agent["state"], Tone>> = { connected: "ok", stopping: "busy", stopped: "none", silent: "bad" };

/** Those that stopped by themselves are folded away: they need nobody. */
export function agentTable(agents: readonly Agent[], nowMs: number): Html {
  if (agents.length === 0) return html`<p class="box">${texts.none}</p>`;
  const stopped = agents.filter(({ state }) => state === "stopped");
  const present = agents.filter(({ state }) => state !== "stopped");
  return html`${present.length > 0 && rowsOf(present, nowMs)}
${stopped.length > 0 && html`<details><summary>${texts.stopped(stopped.length)}</summary>${rowsOf(stopped, nowMs)}</details>`}`;
}

function rowsOf(agents: readonly Agent[], nowMs: number): Html {
  const rest = agents.length - shownAgents;
  return html`${table(
    texts.names,
    agents.slice(0, shownAgents).map((agent) => agentRow(agent, nowMs)),
    "agents",
  )}
${rest > 0 && html`<p class="soft">${texts.more(rest)}</p>`}`;
}

function agentRow(agent: Agent, nowMs: number): Html {
  const { agentId, name, version, isOutdated, platform, lastSeenAtMs, lastExecutedAtMs } = agent;
  return html`<tr><td><strong>${name || texts.unnamed}</strong><span class="under">${stateLabel(tones[agent.state], texts.states[agent.state])}</span><span class="under">${agentId.slice(0, 8)}</span></td>
<td>${version}${isOutdated && html`<span class="under">${texts.outdated}</span>`}${platform !== null && platformLines(platform)}</td>
<td>${agoWithTime(lastSeenAtMs, nowMs)}</td><td>${agoWithTime(lastExecutedAtMs, nowMs)}</td>
<td>${condition(agent)}</td><td class="chips">${abilities(agent).map((text) => html`<span class="chip">${text}</span>`)}</td></tr>`;
}

function platformLines({ os, arch, nodeVersion, isContainer }: NonNullable<Agent["platform"]>): Html {
  return html`<span class="under">${texts.platform(os, arch, isContainer)}</span><span class="under">${texts.nodeVersion(nodeVersion)}</span>`;
}

function condition({ outboxDepth, eventLoopDelayMs, clockAheadMs, isClockOff }: Agent): Html {
  const waiting = outboxDepth === 0 ? texts.delivered : texts.undelivered(outboxDepth);
  const clock = clockAheadMs !== null && (isClockOff ? stateLabel("warn", clockText(clockAheadMs)) : clockText(clockAheadMs));
  return html`${waiting}<span class="under">${texts.loopDelay(eventLoopDelayMs)}</span>${clock && html`<span class="under">${clock}</span>`}`;
}

/** Check types, scripts, and what its rights let it see: all as the agent told it. */
function abilities({ checkTypes, sandboxLevel, runtimes, capabilities }: Agent): readonly string[] {
  const scripts = sandboxLevel === 0 ? [texts.noSandbox] : [texts.sandbox(sandboxLevel), ...runtimeTexts(runtimes)];
  const rights = Object.entries(capabilities).map(([name, value]) =>
    typeof value === "string" ? `${name}: ${value}` : value ? name : texts.without(name),
  );
  return [...checkTypes, ...scripts, ...rights];
}

function runtimeTexts(runtimes: readonly string[]): readonly string[] {
  return runtimes.length === 0 ? [texts.noRuntime] : runtimes.map(texts.runtime);
}

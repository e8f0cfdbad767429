import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type AgentSessionRequest, protocolVersion } from "#contract/agent-protocol.ts";
import { type CheckType, checkTypes, isPromptType, isScriptType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { version } from "#daemon/version.ts";
import { hostPlatform } from "../host/platform.ts";
import { icmpAbility } from "../net/icmp/icmp-ability.ts";
import { hostHasFamily } from "../net/ip-families.ts";
import type { Runners } from "../runners/index.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** What an agent can run, and what it can run scripts on. */
export interface Abilities {
  readonly runners: Partial<Runners>;
  readonly runtimes?: readonly string[];
  readonly sandbox?: Pick<Sandbox, "level">;
  /** Null where no script of browser and multistep checks runs. */
  readonly playwright?: ScriptAbilities | null;
  /** Null where no suite runs. */
  readonly suites?: object | null;
  /** The operator's model that leads checks which are a prompt; null where none is set. */
  readonly agentModel?: { readonly chat: { readonly name: string } } | null;
}

/** Which checks that are a script run here, on which runtimes, and how they are kept apart. */
export interface ScriptAbilities {
  readonly offers: ReadonlyMap<string, { readonly types: readonly string[] }>;
  readonly browser: string | null;
  readonly level: number;
  readonly egressWall: string;
}

/** The runtimes on which scripts of checks of this type, or their prompts, run here. */
export function runtimesFor(type: CheckType, { playwright, agentModel }: Pick<Abilities, "playwright" | "agentModel">): readonly string[] {
  if (isPromptType(type) && agentModel == null) return [];
  const ran = traitsOf(type).runsOn ?? type;
  return [...(playwright?.offers ?? [])].flatMap(([runtime, { types }]) => (types.includes(ran) ? [runtime] : []));
}

/** Who a process is to its control plane, for as long as it runs. */
export interface AgentIdentity {
  readonly agentId: string;
  /** Only this process has it: nobody else goes on in its name. */
  readonly proof: string;
}

export function newIdentity(): AgentIdentity {
  return { agentId: crypto.randomUUID(), proof: randomBytes(32).toString("base64url") };
}

const types = Object.keys(checkTypes) as CheckType[]; // a literal table

function runsHere(type: CheckType, abilities: Abilities): boolean {
  if (traitsOf(type).scripts === "project") return abilities.suites != null;
  return !isScriptType(type) || runtimesFor(type, abilities).length > 0;
}

/** What the browser is, and how its scripts are kept apart; nothing where there is none. */
function browserAbility({ playwright }: Pick<Abilities, "playwright">): Readonly<Record<string, string>> {
  if (!playwright) return {};
  const { browser, level, egressWall } = playwright;
  return { ...(browser !== null && { browser }), browserSandbox: String(level), browserEgress: egressWall };
}

/** What the agent tells of itself when it opens a session: what it runs, and what its rights let it see. */
export function introduce({ agentId, proof }: AgentIdentity, abilities: Abilities, evidence: string): AgentSessionRequest {
  const { runners, runtimes = [], sandbox } = abilities;
  return {
    agentId,
    proof,
    name: hostname(),
    version,
    protocol: protocolVersion,
    checkTypes: types.filter((type) => Object.hasOwn(runners, type) && runsHere(type, abilities)),
    runtimes: [...runtimes],
    sandboxLevel: sandbox?.level ?? 0,
    capabilities: {
      icmp: icmpAbility().path,
      ipv6: hostHasFamily("IPv6"),
      evidence,
      ...browserAbility(abilities),
      ...(abilities.agentModel && { agentic: abilities.agentModel.chat.name.slice(0, 200) }),
    },
    platform: hostPlatform(),
  };
}

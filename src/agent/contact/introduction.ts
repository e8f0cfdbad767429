import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type AgentSessionRequest, protocolVersion } from "#contract/agent-protocol.ts";
import { checkTypes } from "#contract/checks/index.ts";
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

/** What the agent tells of itself when it opens a session: what it runs, and what its rights let it see. */
export function introduce(
  { agentId, proof }: AgentIdentity,
  { runners, runtimes = [], sandbox }: Abilities,
  evidence: string,
): AgentSessionRequest {
  return {
    agentId,
    proof,
    name: hostname(),
    version,
    protocol: protocolVersion,
    checkTypes: Object.keys(checkTypes).filter((type) => Object.hasOwn(runners, type)),
    runtimes: [...runtimes],
    sandboxLevel: sandbox?.level ?? 0,
    capabilities: { icmp: icmpAbility().path, ipv6: hostHasFamily("IPv6"), evidence },
    platform: hostPlatform(),
  };
}

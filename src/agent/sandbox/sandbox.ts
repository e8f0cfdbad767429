import type { z } from "zod";
import type { JobScript } from "#contract/agent-protocol.ts";
import type { JobLogEntry } from "#contract/checks/api.ts";
import type { Network } from "../egress/network.ts";

/** How well scripts are kept apart from the agent; 0: they are refused. See docs/scripts.md. */
export type SandboxLevel = 0 | 1 | 2 | 3;

/** `kernel`: a process can connect to its proxy in the agent and nowhere else. `process`: it is Node.js in the process that sees to it. */
export type EgressWall = "kernel" | "process";

/** What scripts read and may change (behaviour 4). All of it is untrusted when it comes back. */
export interface ScriptRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParameters: Readonly<Record<string, string>>;
}

export interface ScriptResponse {
  readonly statusCode: number;
  readonly statusText: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly timings: Readonly<Record<string, number | null>>;
  readonly timingPhases: Readonly<Record<string, number | null>>;
}

/** One phase of a run. Its scripts run one after the other in one fresh process, which ends with the phase. */
export interface ScriptPhase {
  readonly runtimeId: string;
  readonly phase: "setup" | "teardown";
  /** TypeScript or JavaScript, at least one. */
  readonly scripts: readonly JobScript[];
  /** Code by name, for `./snippets/<name>.js`. */
  readonly snippets: Readonly<Record<string, string>>;
  /** The whole of `process.env`. */
  readonly env: Readonly<Record<string, string>>;
  readonly request: ScriptRequest;
  /** Null in the setup phase, and in a teardown without an answer. */
  readonly response: ScriptResponse | null;
  /** As the request of the check has it; who an https proxy may be signed by is the sandbox's. */
  readonly network: Omit<Network, "trust">;
  readonly signal: AbortSignal;
}

export interface ScriptMade {
  readonly env: Readonly<Record<string, string>>;
  /** Sensitive ones of the request (behaviour 4). */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ScriptOutcome {
  /** As the scripts left them, checked; as they were handed over where a script failed. */
  readonly env: Readonly<Record<string, string>>;
  readonly request: ScriptRequest;
  readonly response: ScriptResponse | null;
  /** What the scripts wrote to `console`, at most 1 MB of it. */
  readonly log: readonly z.infer<typeof JobLogEntry>[];
  /** What scripts set on their way, also those that failed, and what they changed again: secrets may be among it. */
  readonly made: readonly ScriptMade[];
  /** A sentence for people that names the script; null when all came to their end. */
  readonly failure: string | null;
}

/** Runs users' code in processes of its own. */
export interface Sandbox {
  /** The lowest level at which scripts run here; 0: none do. */
  readonly level: SandboxLevel;
  /** Each runtime that is here, and the level of its scripts; 0: refused. */
  readonly levels: ReadonlyMap<string, SandboxLevel>;
  /** What holds scripts to the egress policy: the kernel on every runtime that is here, or on one of them Node.js alone. */
  readonly egressWall: EgressWall;
  /** Why the level is not the one that was asked for, or a runtime's scripts are refused, for people; else null. */
  readonly limitation: string | null;
  /** @throws the signal's reason, or an AppError: no such runtime here, or scripts are refused on this machine */
  run(phase: ScriptPhase): Promise<ScriptOutcome>;
  /** Kills what runs. */
  close(): Promise<void>;
}

import type { ArtifactDeclaration } from "#contract/agent-artifacts.ts";
import type { BaselineName, KeptBaseline } from "#contract/agent-baselines.ts";
import type { AgenticPlan } from "#contract/agent-plans.ts";
import type { JobCertificate } from "#contract/agent-protocol.ts";
import type { CheckType, ResultOf, SettingsOf } from "#contract/checks/index.ts";
import type { RunProgress } from "#contract/run-progress.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";
import type { ScriptOutcome } from "#domain/check-rules.ts";
import type { BodyLease } from "../net/body-memory.ts";
import type { EgressPolicy } from "../net/egress-policy.ts";
import type { Resolver } from "../net/resolver.ts";

export interface RunContext {
  /** Aborts on the run's deadline, on cancel and on hard stop; `reason` says which. */
  readonly signal: AbortSignal;
  /** Milliseconds on a clock that never goes back, with fractions. */
  readonly monotonicMs: () => number;
  /** Proxy of the location, for this check's traffic; null goes direct. */
  readonly proxyUrl: string | null;
  readonly resolver: Resolver;
  readonly egress: EgressPolicy;
  /** `product/version`. */
  readonly userAgent: string;
  /** Where the bytes of large responses are counted; absent: nowhere. */
  readonly bodyMemory?: BodyLease | undefined;
  /** The `traceparent` that a request to this host carries; null: none. Absent where none does. */
  readonly traceparentFor?: ((host: string) => string | null) | undefined;
  /** Client certificates, the newest first; only API and gRPC checks show them. None when absent. */
  readonly certificates?: readonly JobCertificate[] | undefined;
  /** What a check that is a script gets beside its settings. */
  readonly script?: ScriptSurroundings | undefined;
  /** Of a check that is a script: somebody looks on, and hears how far it is. */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Absent where nobody keeps any. */
  readonly baselines?: Baselines | undefined;
  /** Absent where there is nobody to ask. */
  readonly bundles?: Bundles | undefined;
  /** Of a check that is a prompt; absent where nobody keeps plans. */
  readonly plans?: Plans | undefined;
  /** The account lets no model be asked. */
  readonly noModel?: boolean | undefined;
}

/** What a check that is a prompt did when it passed last. */
export interface Plans {
  /** Null: there is none, or what it depends on has changed. */
  readonly kept: AgenticPlan | null;
  /** In the place of what was kept. @throws {AppError} conflict, too_large, unavailable */
  keep(plan: AgenticPlan, signal: AbortSignal): Promise<void>;
  /** For the audit log. @throws {AppError} conflict, unavailable */
  noteUse(use: ModelUse, signal: AbortSignal): Promise<void>;
}

/** How a run used the operator's model. */
export interface ModelUse {
  readonly model: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Projects of tests that the control plane has. */
export interface Bundles {
  /** The account whose check it is. */
  readonly accountId: string;
  /**
   * Bytes of a bundle, from the one to the other, both counted in, and its size.
   *
   * @throws {AppError} not_found, unavailable
   */
  read(sha256: string, from: number, to: number, signal: AbortSignal): Promise<{ readonly bytes: Buffer; readonly size: number }>;
}

/** A picture in base64. */
export type BaselinePicture = BaselineName & { readonly data: string };

/** Pictures that the screenshots of a check are compared with. */
export interface BaselineList {
  /** Those that came with the code of the check are under `browserOfCode`. */
  readonly baselines: readonly KeptBaseline[];
  /** Pictures stand beside their script, under the names that code has them by. */
  readonly isCodeNamed: boolean;
}

export interface Baselines {
  list(signal: AbortSignal): Promise<BaselineList>;
  read(one: KeptBaseline, signal: AbortSignal): Promise<string>;
  /** Where there is one of its name, that one stays. */
  keep(picture: BaselinePicture, signal: AbortSignal): Promise<void>;
}

/** Where and with what the script of a check runs. */
export interface ScriptSurroundings {
  /** Null for a project of tests, which brings its own packages. */
  readonly runtimeId: string | null;
  /** All that the check's variables and the built-in ones come to. */
  readonly environment: Readonly<Record<string, string>>;
  /** Code by name, for `./snippets/<name>.js`. */
  readonly snippets: Readonly<Record<string, string>>;
  /** What must not leave the agent. */
  readonly secrets: readonly string[];
}

/** Why an attempt saw no (whole) answer. */
export interface ProbeFailure {
  /** `ECONNREFUSED`, `ENOTFOUND`, `ETIMEDOUT`, `CERT_HAS_EXPIRED`, `EPOLICY` … */
  readonly code: string;
  /** A sentence for people, without secrets. */
  readonly message: string;
  /** `agent`: the agent's own resolver, egress or loop spoiled the attempt; never the target's failure. */
  readonly side: "target" | "agent";
}

/** Where the network let an attempt down: what evidence is gathered about. */
export interface Trail {
  readonly host: string;
  readonly port: number;
  readonly ipFamily: "IPv4" | "IPv6";
  /** The address that was dialled last; null when there was none. */
  readonly address: string | null;
  readonly tls: boolean;
  /** `failure.code` of the attempt. */
  readonly code: string;
}

/** The whole body of an answer, where the result stores only its beginning. */
export interface LongBody {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
}

/** A file that an attempt leaves beside its report, still with its secrets. */
export interface FoundFile extends Pick<ArtifactDeclaration, "name" | "type" | "contentType"> {
  /** In memory; or a file or folder of the attempt's own, which is removed once it is taken. A folder travels as `.tar.gz`. */
  readonly content: Buffer | { readonly file: string } | { readonly folder: string };
}

/** What one attempt saw. Times are milliseconds with fractions, on `monotonicMs`. */
export interface Observation<T extends CheckType> {
  readonly startedMs: number;
  readonly stoppedMs: number;
  /** By the check type's rule (behaviour 3); queue, setup and retries are never part of it. */
  readonly responseTimeMs: number;
  readonly statusCode: number | null;
  /** Phases by the names in `checkTypes[T].metrics`; null where the attempt did not get so far. */
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly failure: ProbeFailure | null;
  /** What assertions read; the whole body, not the stored part. */
  readonly facts: AssertionFacts;
  /** The result member, without evaluated assertions and unscrubbed. */
  readonly result: ResultOf<T>;
  readonly longBody?: LongBody | undefined;
  /** How a check that judges itself ended. */
  readonly outcome?: ScriptOutcome | undefined;
  /** Traces, screenshots, videos, reports of a script, unscrubbed; of runs that passed, too. */
  readonly files?: readonly FoundFile[] | undefined;
  /** Only where the network failed an API, URL, TCP or gRPC check that went direct. */
  readonly trail?: Trail | null | undefined;
}

/**
 * Talks one protocol. A runner reports what it saw; it never judges, retries, scrubs or stores. A target that
 * cannot be reached is an observation with a `failure`. It throws only the signal's reason, or a bug.
 */
export interface CheckRunner<T extends CheckType> {
  run(settings: SettingsOf<T>, context: RunContext): Promise<Observation<T>>;
}

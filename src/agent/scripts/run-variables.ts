import type { JobPayload } from "#contract/agent-protocol.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { secretLines } from "#domain/scrub/secret-refusal.ts";
import { secretPrefix } from "./agent-secrets.ts";

/** What a run is about, as its built-in variables tell it. */
export interface RunIdentity
  extends Pick<
    JobPayload,
    "accountId" | "checkId" | "checkName" | "checkType" | "groupId" | "tags" | "checkRunId" | "runLocation" | "runtimeId" | "material"
  > {
  /** The id under which the result will be known. */
  readonly resultId: string;
}

export type Variables = Readonly<Record<string, string>>;

/**
 * The variables of one run by name, in templates and in `process.env` of its scripts (behaviour 4). Built-in ones win over those of the
 * agent, and these over those of the check, its group and its account.
 *
 * @param requestUrl null for types whose request has no address
 */
export function variablesOf(run: RunIdentity, ofAgent: Variables, requestUrl: string | null): Record<string, string> {
  const { material } = run;
  const variables = Object.fromEntries((material?.variables ?? []).map(({ key, value }) => [key, value]));
  return Object.assign(variables, ofAgent, {
    ACCOUNT_ID: run.accountId,
    CHECK_ID: run.checkId,
    CHECK_NAME: run.checkName,
    CHECK_TYPE: run.checkType,
    CHECK_RESULT_ID: run.resultId,
    CHECK_RUN_ID: String(run.checkRunId),
    REGION: run.runLocation,
    SERVICE: "1",
    ...(run.runtimeId !== null && { RUNTIME_VERSION: run.runtimeId }),
    ...(material?.groupBaseUrl != null && { GROUP_BASE_URL: material.groupBaseUrl }),
    ...(requestUrl !== null && { REQUEST_URL: requestUrl }),
  });
}

/** What scripts may add of their own in one run, lines and characters: each costs a part of a millisecond before it can be looked for. */
export const madeLimits = { lines: 50, characters: 16_384 } as const;
/** Compiled at once, before others get their turn. */
const linesAtOnce = 10;

/** What may never leave of one run's variables and certificates. It only grows: a script may forget a secret, its log does not. */
export class RunSecrets {
  readonly #names: ReadonlySet<string>;
  readonly #values = new Set<string>();
  /** Lines that scripts made and nobody has looked for yet. */
  readonly #made: string[] = [];
  #madeLines = 0;
  #madeCharacters = 0;
  /** As the run began; the same in each run of the check. */
  readonly given: readonly string[];

  constructor({ material }: RunIdentity, ofAgent: readonly string[]) {
    const secret = (material?.variables ?? []).filter(({ isSecret }) => isSecret);
    this.#names = new Set(secret.map(({ key }) => key));
    this.add([...ofAgent, ...secret.map(({ value }) => value)]);
    for (const { key, passphrase } of material?.certificates ?? []) this.add([key, passphrase ?? ""]);
    this.given = this.values;
  }

  add(values: Iterable<string>): void {
    for (const value of values) if (value !== "") this.#values.add(value);
  }

  /** Those that a script made, while there is room for them. */
  addMade(values: Iterable<string>): void {
    for (const value of values) {
      if (value === "" || this.#values.has(value)) continue;
      const lines = secretLines(value);
      this.#made.push(...lines.slice(0, madeLimits.lines + 1));
      this.#madeLines += lines.length;
      this.#madeCharacters += value.length;
      if (!this.hasTooMany) this.#values.add(value);
    }
  }

  /** Values of secret variables and of SERVICE_SECRET_*, as scripts left them. */
  addOf(variables: Variables): void {
    const isSecret = (name: string): boolean => name.startsWith(secretPrefix) || this.#names.has(name);
    this.addMade(Object.entries(variables).flatMap(([name, value]) => (isSecret(name) ? [value] : [])));
  }

  /** Scripts made more than can be looked for: nothing that they wrote may leave. */
  get hasTooMany(): boolean {
    return this.#madeLines > madeLimits.lines || this.#madeCharacters > madeLimits.characters;
  }

  /** How many lines scripts made. */
  get madeLines(): number {
    return this.#madeLines;
  }

  /** Makes ready what is looked for, a few lines at a time, so that other runs go on meanwhile. */
  async prepare(): Promise<void> {
    for (let lines = this.#made.splice(0, linesAtOnce); lines.length > 0; lines = this.#made.splice(0, linesAtOnce)) {
      createScrubber(lines);
      await nextTurn();
    }
  }

  get values(): readonly string[] {
    return [...this.#values];
  }
}

function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}

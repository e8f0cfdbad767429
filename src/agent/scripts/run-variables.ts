import type { JobPayload } from "#contract/agent-protocol.ts";
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

/** What may never leave of one run's variables and certificates. It only grows: a script may forget a secret, its log does not. */
export class RunSecrets {
  readonly #names: ReadonlySet<string>;
  readonly #values = new Set<string>();
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

  /** Values of secret variables and of SERVICE_SECRET_*, as scripts left them. */
  addOf(variables: Variables): void {
    for (const [name, value] of Object.entries(variables)) if (name.startsWith(secretPrefix) || this.#names.has(name)) this.add([value]);
  }

  get values(): readonly string[] {
    return [...this.#values];
  }
}

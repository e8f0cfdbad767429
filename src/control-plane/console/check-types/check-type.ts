import type { analyticsPaths } from "#contract/analytics-metrics.ts";
import type { ApiCheckResult } from "#contract/checks/api.ts";
import type { CheckType, ResultOf } from "#contract/checks/index.ts";
import type { getCheckV1 } from "#contract/checks/operations.ts";
import type { OutputOf } from "#contract/operation.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";
import type { Html } from "../../view/html.ts";
import type { CheckField } from "./check-field.ts";

/** A check as it is read over REST. */
export type CheckRead = OutputOf<typeof getCheckV1>;

/** All that pages of people know of one check type, but for its words: those are `checkTypeTexts`. Whatever a type has none of it says. */
export interface CheckTypeInConsole<T extends CheckTypeName> {
  readonly form: CheckForm;
  /** Null of types that analytics know no figures of. */
  readonly measures: T extends MeasuredType ? Measures : null;
  /** What is checked, in a line; empty where that is a script. */
  readonly subject: (check: Extract<CheckRead, { readonly checkType: T }>) => string;
  /** Null of types that no agent runs. */
  readonly details: T extends CheckType ? Details<ResultOf<T>> : null;
}

/** What people type and choose of a check, beside what all checks have. */
interface CheckForm {
  readonly fields: readonly CheckField[];
  /** What a creation begins with; the operation fills in the rest. */
  readonly start: Readonly<Record<string, unknown>>;
  /** Null: such a check asserts nothing. */
  readonly assertions: AssertionChoices | null;
  /** What a new check of a script may begin with. */
  readonly templates?: readonly ScriptTemplate[];
}

export interface ScriptTemplate {
  /** In the address of the form. */
  readonly name: string;
  readonly title: string;
  readonly script: string;
}

export interface AssertionChoices {
  readonly sources: readonly string[];
  readonly comparisons: readonly string[];
}

type Paths = typeof analyticsPaths;
/** Types of which analytics have metrics. */
type MeasuredType = { [P in keyof Paths]: keyof Paths[P]["metrics"] extends never ? never : Paths[P]["checkType"] }[keyof Paths];

/** What is told over time of checks of one type, by metrics of their analytics. */
export interface Measures {
  /** How long a run takes. */
  readonly time: string;
  /** Where that time goes; none where nothing is kept of it. */
  readonly phases: readonly string[];
  readonly others: readonly OtherMeasure[];
}

/** A figure that only this type has. */
interface OtherMeasure {
  readonly metric: string;
  readonly title: string;
  /** By how long each point stands for. */
  readonly label: (step: string) => string;
  readonly unit: "%" | "days" | "hops" | "ms" | "score";
}

/** Where a stored file of a run can be saved, a trace be looked at, or a report be read; null for one that is not there, and where there is no viewer. */
export type FileAddress = (name: string, how: "saved" | "viewed" | "read") => string | null;

/** @param responseTimeMs of the run, as its result tells it; null where there is none */
export type Details<Seen> = (seen: Seen, responseTimeMs: number | null, fileAt: FileAddress) => RunDetails;

/** What the page of a run tells of an attempt. */
export interface RunDetails {
  /**
   * What it sent and what it saw.
   *
   * @param update what replaces the pictures that its screenshots are compared with
   * @param beside what it is compared with, of a suite
   * @param accept what takes over a suggestion, by its number
   */
  readonly shown: (update?: Html, beside?: Html, accept?: (number: number) => Html) => Html;
  /** By the measure of `Measures.time`; null where it did not come so far. */
  readonly tookMs: number | null;
  /** Milliseconds, by their names on the wire and in the order of time; their `total` is left out of the page. */
  readonly phases: Readonly<Record<string, number>>;
  /** What assertions could read, as far as it is stored. */
  readonly facts: () => Partial<AssertionFacts>;
  /** What its scripts said, and how they were kept apart; null of types without any. */
  readonly scripts: Pick<ApiCheckResult, "jobLog" | "sandboxLevel"> | null;
  /** Modules of `pages/browser` that move what is shown; none where absent. */
  readonly modules?: readonly string[];
}

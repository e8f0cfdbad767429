/**
 * What the rest of Outpost may ask of a check type instead of its name. Each type says all of it beside its schemas; `traits.ts` is the
 * table.
 */
export interface CheckTraits {
  /** How results come about: agents run it by a schedule at locations, or it is pinged. */
  readonly results: "runs" | "pings";
  /** What a run sends: an HTTP request, whose URL and status count, another kind of probe, or nothing itself. */
  readonly request: "http" | "probe" | null;
  /** Whether scripts stand around its request, a script is the whole check, or a project of tests with packages of its own is. */
  readonly scripts: "around" | "whole" | "project" | null;
  /** Whether what its group says of browser checks (`browserCheckDefaults`) stands before its script. */
  readonly sharesScript: boolean;
  /** Which seats of an agent its runs take: what is heavy has seats of its own, so that probes never wait behind it. */
  readonly seats: "probe" | "multiStep" | "browser" | "suite" | "agentic";
  /** The type whose scripts an agent has to run before it can run these; null: its own. */
  readonly runsOn: "BROWSER" | null;
  /** Variables of an agent without which it runs none, for people; null where it needs none. */
  readonly needs: string | null;
  /** Whether agents fill in templates of its request. */
  readonly fillsTemplates: boolean;
  /** Whether its request takes what the group of the check says of requests (`apiCheckDefaults`). */
  readonly sharesRequests: boolean;
  /**
   * Of its settings the URL, with its templates, for whose host client certificates of the account are looked up; null where a check speaks
   * no TLS. Null of types that show none.
   */
  readonly certificateUrl: ((settings: unknown) => string | null) | null;
  /** Whether its runs hardly use the processor: they do not count against what an agent runs at once. */
  readonly onlyWaits: boolean;
  /** Under which name results keep how long it took, ms; null: nowhere. */
  readonly duration: string | null;
  /** The same of the time that pages show: of runs that got as far, not what a failed one spent. */
  readonly shownTime: string | null;
  /** What of its results `POST /v1/analytics/checks` tells, by the names under which results keep it. */
  readonly summary: readonly string[];
  /** Names of fields of its request that answers have for others: nobody has to send them. */
  readonly aliases: readonly string[];
}

/** Most probes; a type says what is different. */
export const probeTraits = {
  results: "runs",
  request: "probe",
  scripts: null,
  sharesScript: false,
  seats: "probe",
  runsOn: null,
  needs: null,
  fillsTemplates: false,
  sharesRequests: false,
  certificateUrl: null,
  onlyWaits: false,
  duration: "responseTime",
  shownTime: "responseTime",
  summary: ["responseTime"],
  aliases: [],
} as const satisfies CheckTraits;

/** Types whose check is a script. */
export const scriptTraits = { ...probeTraits, request: null, scripts: "whole" } as const satisfies CheckTraits;

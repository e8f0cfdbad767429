import { z } from "zod";
import type { Analysis } from "#contract/root-cause-analyses.ts";
import { causeKinds, confidences, type EvidenceOf } from "#domain/root-causes/cause.ts";
import { diffOf } from "#domain/root-causes/script-facts.ts";

const EvidenceOfSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("result"), checkId: z.string(), resultId: z.string(), file: z.string().optional() }),
  z.object({ kind: z.literal("check"), checkId: z.string() }),
  z.object({ kind: z.literal("audit-log"), atMs: z.number() }),
  z.object({ kind: z.literal("maintenance") }),
  z.object({ kind: z.literal("location") }),
  z.object({ kind: z.literal("message") }),
]);
const StoredEvidence = z.object({ says: z.string(), of: EvidenceOfSchema });

const StoredChange = z.object({
  file: z.string(),
  line: z.int(),
  before: z.string(),
  after: z.string(),
  by: z.enum(["rules", "model"]),
  why: z.string(),
});

/** What is kept of an analysis: causes with their evidence, and what a model said of them. */
export const StoredAnalysis = z.object({
  causes: z.array(
    z.object({
      kind: z.enum(causeKinds),
      text: z.string(),
      confidence: z.enum(confidences),
      evidence: z.array(StoredEvidence),
    }),
  ),
  impact: z.string(),
  /** Start of the run that was looked at. */
  failedAtMs: z.number(),
  /** Null: no model was asked. */
  model: z
    .object({
      name: z.string(),
      claims: z.array(z.object({ text: z.string(), evidence: z.array(StoredEvidence) })),
      /** Claims that named no evidence. */
      dropped: z.int(),
      /** Why it said nothing; null where it answered. */
      because: z.string().nullable(),
      /** Of a script, where it named an element in place of a selector. */
      change: StoredChange.nullable().optional(),
    })
    .nullable(),
  /** Of the script of a check: offered, never made by itself. */
  change: StoredChange.extend({ checkId: z.string() }).nullable().optional(),
});
export type StoredAnalysis = z.infer<typeof StoredAnalysis>;
export type ModelWord = NonNullable<StoredAnalysis["model"]>;

/** Undefined for what is written in another form. */
export function storedAnalysis(stored: unknown): StoredAnalysis | undefined {
  return StoredAnalysis.safeParse(stored).data;
}

/** Where a page of the console shows it, as a path; null: nowhere. */
export function evidencePath(of: EvidenceOf): string | null {
  if (of.kind === "result") return `/checks/${of.checkId}/results/${of.resultId}`;
  if (of.kind === "check") return `/checks/${of.checkId}`;
  if (of.kind === "audit-log") return `/audit?from=${minuteText(of.atMs)}&to=${minuteText(of.atMs + 60_000)}`;
  if (of.kind === "maintenance") return "/maintenance";
  return of.kind === "location" ? "/locations" : null;
}

/** As the audit log's page takes it: `2026-11-22T14:05`, in UTC. */
function minuteText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

const noCause = "No rule found a cause. Look at the failed run and at the last good one.";

/** As REST tells it. @param base of links, without a slash at its end */
export function analysisView(stored: StoredAnalysis, base: string): z.infer<typeof Analysis> {
  const { causes, impact, model, change = null } = stored;
  const [first] = causes;
  const surest = causes.filter(({ confidence }) => confidence === first?.confidence).map(({ text }) => text);
  const words = [...(surest.length === 0 ? [noCause] : surest), ...(model?.claims ?? []).map(({ text }) => `The model says: ${text}`)];
  const all = [...causes.flatMap(({ evidence }) => evidence), ...(model?.claims ?? []).flatMap(({ evidence }) => evidence)];
  const pieces = new Map(all.map((one) => [JSON.stringify(one), one]));
  return {
    classification: first?.kind ?? "unknown",
    userImpact: impact,
    rootCause: words.join(" "),
    codeFix: change === null ? null : diffOf(change),
    evidence: [...pieces.values()].map(({ says, of }) => ({ description: says, artifacts: artifactsOf(of) })),
    referenceLinks: [...new Map([...pieces.values()].flatMap(({ says, of }) => linkOf(says, of, base))).values()],
  };
}

function artifactsOf(of: EvidenceOf): { name: string; type: string }[] {
  if (of.kind === "result") return [{ name: of.file ?? of.resultId, type: of.file === undefined ? "check-result" : "file" }];
  return of.kind === "check" ? [{ name: of.checkId, type: "check" }] : [];
}

function linkOf(says: string, of: EvidenceOf, base: string): readonly (readonly [string, { url: string; title: string }])[] {
  const path = evidencePath(of);
  return path === null ? [] : [[path, { url: `${base}${path}`, title: says }]];
}

import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid, UuidPathId } from "./primitives.ts";

/** How a test ended in a run; `failed` is also one whose time was over, or that was cut off. */
export const suiteTestStates = ["passed", "failed", "flaky", "skipped"] as const;
export const SuiteTestState = z.enum(suiteTestStates).describe("flaky: it passed only when it was tried again");
export type SuiteTestState = z.infer<typeof SuiteTestState>;

const RunOfTest = z.object({ resultId: Uuid, startedAt: Instant });
const Ms = z.number().min(0).nullable();

/** A test of a suite over its latest runs. Ours. */
export const SuiteTest = z
  .object({
    project: z.string().nullable(),
    file: z.string(),
    line: z.int().min(1).nullable(),
    title: z.string().describe("with the titles of its describe blocks, joined by ›"),
    state: SuiteTestState.nullable().describe("in the newest run, the worst of all locations; null: the newest runs do not have it"),
    failingSince: RunOfTest.extend({
      isNew: z.boolean().describe("it passed there before; false: it failed in all of these runs"),
    })
      .nullable()
      .describe("the first of the runs that it failed in without a pass between; null where it does not fail"),
    counts: z.object({
      passed: z.int().min(0),
      failed: z.int().min(0),
      flaky: z.int().min(0),
      skipped: z.int().min(0),
    }),
    flakyRate: z.number().min(0).max(1).nullable().describe("flaky runs among those that did not skip it; null where all did"),
    failureRate: z.number().min(0).max(1).nullable().describe("the same of runs in which it failed"),
    durationMs: z
      .object({ latest: Ms.describe("of the newest run that has it, however it ended"), p50: Ms, slowest: Ms })
      .describe("p50 and slowest are of the runs in which it passed; null where there are none"),
    outcomes: z.array(SuiteTestState.nullable()).describe("by the place of the run in runs; null where that run did not have it"),
    durationsMs: z.array(Ms).describe("by the place of the run in runs"),
  })
  .meta({ id: "SuiteTest" });
export type SuiteTest = z.infer<typeof SuiteTest>;

export const SuiteTests = z
  .object({
    checkId: Uuid,
    runs: z.array(RunOfTest.extend({ location: z.string() })).describe("newest first; a run and its retries are one"),
    tests: z.array(SuiteTest).describe("by project, file and line"),
  })
  .meta({ id: "SuiteTests" });
export type SuiteTests = z.infer<typeof SuiteTests>;

/** Runs that one answer looks at. */
export const suiteRunsAtMost = 100;

export const getTestsOfSuite = {
  tag: "Check results",
  method: "GET",
  access: "read",
  rateLimit: "results",
  successStatus: 200,
  id: "getTestsOfSuite",
  path: "/v1/checks/{id}/tests",
  summary: "Read how each test of a suite went in its latest runs",
  description: `Of a PLAYWRIGHT check: which tests fail, since when, which are flaky and which are slow. Cancelled runs, runs that the agent itself spoiled and
runs that came to no test are left out, and so are test sessions. Kept as long as results are (RESULTS_KEEP_DAYS). Other check types have no tests here.`,
  params: z.object({ id: UuidPathId }),
  query: z.object({
    runs: z.coerce
      .number()
      .int()
      .min(1)
      .max(suiteRunsAtMost)
      .default(30)
      .describe("how many of the latest runs; a retry of the check counts as one, too"),
    location: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("only runs there: a data center location or the slug name of a private location"),
  }),
  output: SuiteTests,
  example: { params: { id: exampleIds.playwrightCheck }, query: { runs: 30 } },
} as const satisfies Operation;

export const suiteTestOperations = [getTestsOfSuite] as const;

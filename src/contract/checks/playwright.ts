import { z } from "zod";
import { listOf } from "../list-of.ts";
import { schemasOf } from "./check-schemas.ts";
import { type CheckTraits, scriptTraits } from "./check-traits.ts";
import { BrowserRunResult } from "./playwright-run.ts";
import { flakyIsDegraded, reportFile, scriptedFields } from "./scripted.ts";

const Line = z.string().max(2000);

/** How a project of tests runs where nobody says it. */
export const playwrightDefaults = { testCommand: "npx playwright test", browsers: ["chromium"] };

/** Public clients write null where nobody says a command. */
function commandOr(usual: string) {
  return Line.nullable().transform((given) => given ?? usual);
}

/** What a runner needs to know of a suite, and what the verdict is judged by. */
export const PlaywrightCheckSettings = z.object({
  codeBundlePath: z.string(),
  workingDir: z.string().nullable().default(null),
  testCommand: z.string(),
  installCommand: z.string(),
  browsers: z.array(z.string()),
  engine: z.string().nullable(),
  engineVersion: z.string().nullable(),
  playwrightVersion: z.string().nullable().default(null),
  shouldFail: z.boolean().default(false),
  flakyIsDegraded: z.boolean().default(false),
});
export type PlaywrightCheckSettings = z.output<typeof PlaywrightCheckSettings>;

/** `playwrightCheckResult`: what one attempt of a suite saw (reference). */
export const PlaywrightCheckResult = BrowserRunResult.omit({ type: true })
  .extend({
    ...reportFile,
    playwrightTraceFiles: listOf(z.object({ url: z.string(), name: z.string(), filename: z.string() }), 100).describe(
      "traces that Playwright's own viewer opens",
    ),
    preparationMs: z
      .object({ bundle: z.number().min(0), packages: z.number().min(0) })
      .describe("before the tests: to have the project, and what it depends on"),
    packageManager: z.string().max(50).nullable().describe("what installed the packages; null: they came with the bundle"),
    cachedPackages: z.boolean().describe("the packages were there from an earlier run"),
  })
  .meta({ id: "PlaywrightCheckResult" });
export type PlaywrightCheckResult = z.infer<typeof PlaywrightCheckResult>;

const fields = {
  id: "PlaywrightCheck",
  title: "Playwright check",
  writable: {
    frequency: scriptedFields.frequency,
    environmentVariables: scriptedFields.environmentVariables,
    flakyIsDegraded,
    codeBundlePath: Line.describe("where the project's files are; empty: none yet"),
    cacheHash: Line.nullable().optional(),
    playwrightVersion: Line.nullable().optional(),
    workingDir: Line.nullable().optional(),
    testCommand: commandOr(playwrightDefaults.testCommand),
    installCommand: commandOr(""),
    browsers: z.array(z.string().min(1).max(50)).max(10),
    engine: z.enum(["node", "bun"]).nullable(),
    engineVersion: z.string().max(50).nullable(),
  },
  defaults: { frequency: 10, codeBundlePath: "", ...playwrightDefaults, installCommand: "", engine: null, engineVersion: null },
} as const;

/** The schemas of checks that run a Playwright project (behaviour 2.3). */
export const playwrightCheck = schemasOf("PLAYWRIGHT", fields, { testCommand: Line, installCommand: Line });

export const playwrightTraits = { ...scriptTraits, scripts: "project", seats: "suite" } as const satisfies CheckTraits;

import { z } from "zod";
import { CodeSnapshot, codeSnapshotLimits } from "../code-snapshots.ts";
import { schemasOf } from "./check-schemas.ts";
import { type CheckTraits, scriptTraits } from "./check-traits.ts";
import { BrowserRunResult } from "./playwright-run.ts";
import { flakyIsDegraded, reportFile, Script, scriptedFields, scriptedSettings, sslCheckDomain } from "./scripted.ts";

/** What a runner needs to know of a browser check, and what the verdict is judged by. */
export const BrowserCheckSettings = z.object(scriptedSettings);
export type BrowserCheckSettings = z.output<typeof BrowserCheckSettings>;

/** `browserCheckResult`: what one attempt of a browser check saw (reference). */
export const BrowserCheckResult = BrowserRunResult.extend(reportFile).meta({ id: "BrowserCheckResult" });
export type BrowserCheckResult = z.infer<typeof BrowserCheckResult>;

const snapshots = z
  .array(CodeSnapshot)
  .max(codeSnapshotLimits.checkSnapshots)
  .nullable()
  .optional()
  .describe("pictures of the project that screenshots are compared with, in the place of those that the first run would take");

/** The schemas of browser checks (behaviour 2.3). */
export const browserCheck = schemasOf("BROWSER", {
  id: "BrowserCheck",
  title: "browser check",
  writable: { ...scriptedFields, flakyIsDegraded, script: Script.nullable(), sslCheckDomain, snapshots },
  defaults: { frequency: 10 },
});

export const browserTraits = { ...scriptTraits, seats: "browser", sharesScript: true } as const satisfies CheckTraits;

import { z } from "zod";
import { schemasOf } from "./check-schemas.ts";
import { scriptTraits } from "./check-traits.ts";
import { scriptedFields } from "./scripted.ts";

const Line = z.string().max(2000);

/** How a project of tests runs where nobody says it. */
export const playwrightDefaults = { testCommand: "npx playwright test", browsers: ["chromium"] };

/** The schemas of checks that run a Playwright project (behaviour 2.3). */
export const playwrightCheck = schemasOf("PLAYWRIGHT", {
  id: "PlaywrightCheck",
  title: "Playwright check",
  writable: {
    frequency: scriptedFields.frequency,
    environmentVariables: scriptedFields.environmentVariables,
    codeBundlePath: Line.describe("where the project's files are; empty: none yet"),
    cacheHash: Line.nullable().optional(),
    playwrightVersion: Line.nullable().optional(),
    workingDir: Line.nullable().optional(),
    testCommand: Line,
    installCommand: Line,
    browsers: z.array(z.string().min(1).max(50)).max(10),
    engine: z.enum(["node", "bun"]).nullable(),
    engineVersion: z.string().max(50).nullable(),
  },
  defaults: { frequency: 10, codeBundlePath: "", ...playwrightDefaults, installCommand: "", engine: null, engineVersion: null },
});

export const playwrightTraits = scriptTraits;

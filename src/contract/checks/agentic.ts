import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";
import { checkCreateFields, checkReadFields, checkUpdateFields } from "./check.ts";
import { bodiesOf, responseTimeLimits } from "./check-schemas.ts";
import { scriptTraits } from "./check-traits.ts";
import { Script, scriptedFields, sslCheckDomain } from "./scripted.ts";

const writable = {
  ...scriptedFields,
  script: Script.nullable(),
  sslCheckDomain,
  setupSnippetId: z.int().nullable(),
  tearDownSnippetId: z.int().nullable(),
  localSetupScript: Script.nullable(),
  localTearDownScript: Script.nullable(),
  ...responseTimeLimits(30_000),
};
const filesOfScripts = scriptedFields.dependencies.describe("never there: setup and teardown have no files of their own");

/** The schemas of agentic checks: kept and given back. They are written through the forms without a type only. */
export const agenticCheck = bodiesOf("AGENTIC", {
  id: "AgenticCheck",
  title: "agentic check",
  create: {
    ...checkCreateFields,
    ...withDefaults(writable, {
      frequency: 10,
      script: null,
      setupSnippetId: null,
      tearDownSnippetId: null,
      localSetupScript: null,
      localTearDownScript: null,
      degradedResponseTime: null,
      maxResponseTime: null,
    }),
  },
  update: { ...checkUpdateFields, ...writable },
  read: {
    ...checkReadFields,
    ...writable,
    setupScriptDependencies: filesOfScripts,
    tearDownScriptDependencies: filesOfScripts,
  },
});

export const agenticTraits = scriptTraits;

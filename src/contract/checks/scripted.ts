import { z } from "zod";
import { secretField } from "../secret-fields.ts";

/** Minutes between the runs of a check with a browser or a script of its own (behaviour 2.3). */
export const scriptedFrequencies = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const;

/** What an agent can be handed of one script (behaviour 4). */
export const maxScriptLength = 262_144;
export const Script = z.string().min(1).max(maxScriptLength);

/** A variable of one check. A `secret` one is stored sealed and read back as null; null then keeps the value that is stored. */
export const CheckEnvironmentVariable = z
  .object({
    key: z.string().min(1).max(255),
    value: secretField("sealed, readable by a setting", z.string().max(65_536).nullable()),
    locked: z
      .boolean()
      .default(false)
      .describe("the value is a secret: it is scrubbed from every result, and null to keys whose role is below READ_WRITE"),
    secret: z.boolean().default(false).describe("the value is never read back: it is null in answers"),
  })
  .meta({ id: "CheckEnvironmentVariable" });
export type CheckEnvironmentVariable = z.output<typeof CheckEnvironmentVariable>;

/** A file that a script imports. */
export const ScriptDependency = z
  .object({ path: z.string().min(1).max(1000), content: z.string().min(1).max(maxScriptLength) })
  .meta({ id: "ScriptDependency" });

const dependencies = z
  .array(ScriptDependency)
  .max(300)
  .nullable()
  .optional()
  .describe("files that the script imports; in answers only with includeDependencies");

/** Of checks whose tests may be tried again by the script itself. */
export const flakyIsDegraded = z
  .boolean()
  .optional()
  .describe("a test that passed only when the script tried it again makes the check degraded");

const keptTime = z
  .number()
  .min(0)
  .max(300_000)
  .nullable()
  .optional()
  .describe("milliseconds; kept and given back: a script says itself what is slow");

/** What checks with a script of their own can be told, beside the fields of every check. */
export const scriptedFields = {
  frequency: z.literal(scriptedFrequencies).describe("minutes between runs"),
  environmentVariables: z.array(CheckEnvironmentVariable).max(200).nullable().optional(),
  scriptPath: z.string().min(1).max(1000).nullable().optional(),
  dependencies,
  degradedResponseTime: keptTime,
  maxResponseTime: keptTime,
};

/** What a runner needs to know of a check whose script is the whole of it. The rules of a group stand before the script, which may grow by them. */
export const scriptedSettings = {
  script: z.string().nullable(),
  scriptPath: z.string().nullable().default(null),
  dependencies: z
    .array(z.object({ path: z.string(), content: z.string() }))
    .nullable()
    .default(null),
  shouldFail: z.boolean().default(false),
  flakyIsDegraded: z.boolean().default(false),
};

/** As the reference has it: where no report was written there is no name. */
export const reportFile = { playwrightTestJsonReportFile: z.string().max(200).optional() };

export const sslCheckDomain = z.string().max(2048).nullable().optional().describe("kept and given back");

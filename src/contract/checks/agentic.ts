import { z } from "zod";
import { listOf } from "../list-of.ts";
import { withDefaults } from "../with-defaults.ts";
import { checkCreateFields, checkReadFields, checkUpdateFields } from "./check.ts";
import { bodiesOf, responseTimeLimits } from "./check-schemas.ts";
import { type CheckTraits, scriptTraits } from "./check-traits.ts";
import { PlaywrightLogLine } from "./playwright-run.ts";
import { Script, scriptedFields, sslCheckDomain } from "./scripted.ts";

/** Characters of a prompt, and hosts that one check may open beside those that its prompt names. */
export const promptLimits = { characters: 10_000, hosts: 50 } as const;

const prompt = z
  .string()
  .min(1)
  .max(promptLimits.characters)
  .nullable()
  .describe("what to do and what has to be true then, in plain words, with the address to begin at; `{{NAME}}` stands for a variable");

/** A host, or `*.` and a domain; the schema takes what may be one, and `promptProblems` looks closer. */
const allowedHosts = z
  .array(z.string().min(1).max(253))
  .max(promptLimits.hosts)
  .nullable()
  .optional()
  .describe("hosts that a run may open beside those that the prompt names: `login.example.com`, `*.example.com`");

const writable = {
  ...scriptedFields,
  prompt,
  allowedHosts,
  script: Script.nullable(),
  sslCheckDomain,
  setupSnippetId: z.int().nullable(),
  tearDownSnippetId: z.int().nullable(),
  localSetupScript: Script.nullable(),
  localTearDownScript: Script.nullable(),
  ...responseTimeLimits(30_000),
};
const filesOfScripts = scriptedFields.dependencies.describe("never there: setup and teardown have no files of their own");

/** The schemas of agentic checks. They are written through the forms without a type only, as the reference has it; `prompt` and `allowedHosts` are ours. */
export const agenticCheck = bodiesOf("AGENTIC", {
  id: "AgenticCheck",
  title: "agentic check",
  create: {
    ...checkCreateFields,
    ...withDefaults(writable, {
      frequency: 10,
      prompt: null,
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

/** What a runner needs to know of an agentic check, and what the verdict is judged by. */
export const AgenticCheckSettings = z.object({
  prompt: z.string().nullable().default(null),
  allowedHosts: z.array(z.string()).nullable().default(null),
  shouldFail: z.boolean().default(false),
});
export type AgenticCheckSettings = z.output<typeof AgenticCheckSettings>;

const Text = z.string().max(10_000);

/** Characters of a tool's output that are kept, and that a model is sent. */
export const longestOutput = 8_192;

/** What was to be true, and what was seen of it. */
export const AgenticAssertion = z
  .object({
    condition: Text,
    passed: z.boolean().describe("true only where `actual` was seen in this run"),
    actual: Text.describe("a quotation of what this run saw"),
    expected: Text,
  })
  .meta({ id: "AgenticAssertion" });
export type AgenticAssertion = z.infer<typeof AgenticAssertion>;

/** What would make the check better, in the model's words; nothing of it is applied by itself. */
export const AgenticSuggestion = z
  .object({
    summary: Text,
    prompt: Text.optional(),
    promptReplacement: Text.optional().describe("the whole prompt as it would be"),
    secrets: listOf(z.string().max(255), 20).optional().describe("names of variables that the check would need"),
    category: z.enum(["credentials", "endpoint", "configuration"]),
  })
  .meta({ id: "AgenticSuggestion" });
export type AgenticSuggestion = z.infer<typeof AgenticSuggestion>;

export const AgenticStep = z
  .object({
    type: z.enum(["tool_call", "tool_result", "message"]),
    name: z.string().max(200).describe("of the tool; empty for a message"),
    input: z.record(z.string(), z.unknown()),
    output: z.string().max(longestOutput),
    timestamp: z.iso.datetime(),
    sequenceNumber: z.int().min(0),
  })
  .meta({ id: "AgenticStep" });
export type AgenticStep = z.infer<typeof AgenticStep>;

/** How a run came to its verdict: led by a model, by the steps of an earlier run, or by these until one did not fit. */
export const agenticModes = ["model", "replay", "replay_then_model"] as const;
export type AgenticMode = (typeof agenticModes)[number];

/** `agenticCheckResult`: what one attempt of an agentic check did and saw (reference). From `mode` on the members are ours. */
export const AgenticCheckResult = z
  .object({
    summary: Text.nullable(),
    prompt: z.string().max(promptLimits.characters).nullable(),
    assertions: listOf(AgenticAssertion, 50),
    suggestions: listOf(AgenticSuggestion, 20),
    steps: listOf(AgenticStep, 500),
    errors: listOf(z.object({ message: Text, code: z.string().max(50) }), 20),
    artifactManifest: z.record(z.string(), z.unknown()).nullable(),
    jobLog: listOf(PlaywrightLogLine, 2_000),
    jobAssets: listOf(z.string().max(200), 100),
    pcapDataUrl: z.string().nullable().optional(),
    mode: z.enum(agenticModes),
    startTime: z.number().describe("epoch milliseconds"),
    endTime: z.number().describe("epoch milliseconds"),
    runtimeVersion: z.string().max(50),
    browserVersion: z.string().max(100),
    sandboxLevel: z.int().min(0).max(3),
    scriptEgress: z.enum(["kernel", "process"]).describe("what holds the run to the agent's egress policy"),
    playwrightTestTraces: listOf(z.string().max(200), 100),
  })
  .meta({ id: "AgenticCheckResult" });
export type AgenticCheckResult = z.infer<typeof AgenticCheckResult>;

export const agenticTraits = {
  ...scriptTraits,
  seats: "agentic",
  runsOn: "BROWSER",
  needs: "AGENTIC_MODEL_URL and AGENTIC_MODEL",
} as const satisfies CheckTraits;

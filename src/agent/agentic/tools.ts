import { z } from "zod";
import { AgenticAssertion, AgenticSuggestion } from "#contract/checks/agentic.ts";
import type { ChatTool } from "#daemon/chat-model.ts";

/*
 * What a model may do in a run. No shell, no file, no code: whatever a page talks it into is one of these, for hosts of the check alone. They are carried
 * out by `playwright/inside/led.cjs`.
 */

const text = (most: number): z.ZodString => z.string().max(most);
const nth = z.int().min(0).max(1_000).optional().describe("which one, from 0, where several have this name");
const label = text(500).describe("label or placeholder of the field");

const inputs = {
  browser_open: { about: "Open an address in the browser.", input: z.object({ url: text(4_096) }) },
  browser_look: { about: "Read the page as it is now.", input: z.object({}) },
  browser_click: {
    about: "Click an element by its role (button, link, checkbox, radio, tab, menuitem, option …) and its name.",
    input: z.object({ role: text(50), name: text(500), nth }),
  },
  browser_fill: {
    about: "Fill a field. `secret` names a variable whose value is filled in without you seeing it; give it instead of `value`.",
    input: z.object({ label, value: text(10_000).optional(), secret: text(255).optional(), nth }),
  },
  browser_select: { about: "Choose an option of a list by its text.", input: z.object({ label, option: text(500), nth }) },
  browser_press: { about: "Press a key, such as Enter, Escape or Tab.", input: z.object({ key: text(50) }) },
  browser_wait: {
    about: "Wait until a text is on the page, at most 10000 ms.",
    input: z.object({ text: text(1_000), ms: z.number().min(0).max(10_000).optional() }),
  },
  browser_screenshot: { about: "Keep a picture of the page for people. You do not see it.", input: z.object({}) },
  http_request: {
    about: "Send one HTTP request without the browser and read the answer. Redirects are not followed.",
    input: z.object({
      method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]).optional(),
      url: text(4_096),
      headers: z.record(z.string().max(200), text(4_096)).optional(),
      body: text(65_536).optional(),
    }),
  },
} as const;
export type ToolName = keyof typeof inputs;

/** How a model ends a run. */
export const Report = z.object({
  summary: text(10_000).describe("what was done and found, in one or two sentences"),
  assertions: z
    .array(
      z.object({
        condition: text(2_000).describe("what the prompt wants to be true"),
        passed: z.boolean(),
        expected: text(2_000).catch("").default("").describe("what should be there"),
        actual: text(2_000)
          .catch("")
          .default("")
          .describe(
            "words of a tool's result, copied exactly, that show it; take words that will be the same in the next run, without times and numbers that change",
          ),
      }),
    )
    .min(1)
    .max(50),
  suggestions: z
    .array(z.unknown())
    .max(100)
    .catch([])
    .default([])
    .describe("how the check could be better: {summary, category, promptReplacement?, secrets?}"),
});
export type Report = z.output<typeof Report>;

const reportTool = "report";

/** As the API wants them. */
export const chatTools: readonly ChatTool[] = [
  ...Object.entries(inputs).map(([name, { about, input }]) => ({ name, description: about, parameters: schemaOf(input) })),
  { name: reportTool, description: "End the check. Each condition of the prompt is one assertion.", parameters: schemaOf(Report) },
];

/** What a call asks for, or in words for the model why it cannot be done. */
export type Asked =
  | { readonly is: "act"; readonly tool: ToolName; readonly input: Readonly<Record<string, unknown>> }
  | { readonly is: "report"; readonly report: Report }
  | { readonly is: "refused"; readonly why: string; readonly input: Readonly<Record<string, unknown>> };

/** @param given the arguments of a call as the model wrote them */
export function askedOf(name: string, given: string): Asked {
  const parsed = objectOf(given);
  if (parsed === null) return { is: "refused", why: "the arguments are no JSON object", input: {} };
  if (name === reportTool) {
    const read = Report.safeParse(parsed);
    if (read.success) return { is: "report", report: read.data };
    return { is: "refused", why: `a report needs a summary and at least one assertion: ${issuesOf(read.error)}`, input: parsed };
  }
  if (!isTool(name)) return { is: "refused", why: `there is no tool ${name.slice(0, 50)}`, input: parsed };
  const read = inputs[name].input.safeParse(parsed);
  return read.success ? { is: "act", tool: name, input: read.data } : { is: "refused", why: issuesOf(read.error), input: parsed };
}

/** Those that can be read and are of a category that is known. */
export function suggestionsOf({ suggestions }: Report): AgenticSuggestion[] {
  return suggestions.flatMap((one) => AgenticSuggestion.safeParse(one).data ?? []).slice(0, 20);
}

export function assertionsOf({ assertions }: Report): AgenticAssertion[] {
  return assertions.map((one) => AgenticAssertion.parse(one));
}

export function isTool(name: string): name is ToolName {
  return Object.hasOwn(inputs, name);
}

function objectOf(given: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(given === "" ? "{}" : given);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function issuesOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".")}: ${message}`)
    .join("; ")
    .slice(0, 500);
}

function schemaOf(schema: z.ZodType): object {
  const { $schema: _version, ...plain } = z.toJSONSchema(schema, { io: "input" });
  return plain;
}

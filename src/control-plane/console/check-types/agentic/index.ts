import { promptLimits } from "#contract/checks/agentic.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { runtimeField, scriptMeasures } from "../shared/script-fields.ts";
import { agenticDetails } from "./details.ts";

export const agentic: CheckTypeInConsole<"AGENTIC"> = {
  form: {
    fields: [
      { path: "prompt", label: texts.prompt, kind: "area", hint: texts.promptHint(promptLimits.characters), isNullable: true },
      { path: "allowedHosts", label: texts.allowedHosts, kind: "list", hint: texts.allowedHostsHint },
      runtimeField,
    ],
    start: { prompt: null },
    assertions: null,
  },
  measures: scriptMeasures,
  subject: ({ prompt }) => firstLine(prompt ?? ""),
  details: agenticDetails,
};

function firstLine(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

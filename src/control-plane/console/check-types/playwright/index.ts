import { playwrightDefaults } from "#contract/checks/playwright.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { scriptDetails } from "../script-run/details.ts";
import { scriptMeasures } from "../shared/script-fields.ts";

export const playwright: CheckTypeInConsole<"PLAYWRIGHT"> = {
  form: {
    fields: [
      { path: "testCommand", label: texts.testCommand, kind: "text" },
      { path: "installCommand", label: texts.installCommand, kind: "text" },
      { path: "browsers", label: texts.browsers, kind: "list", hint: texts.betweenCommas },
      { path: "codeBundlePath", label: texts.bundlePath, kind: "text" },
      { path: "workingDir", label: texts.workingFolder, kind: "text", isNullable: true, within: "more" },
      { path: "playwrightVersion", label: texts.playwrightVersion, kind: "text", isNullable: true, within: "more" },
      { path: "engine", label: texts.engine, kind: "choice", options: ["", "node", "bun"], isNullable: true, within: "more" },
      { path: "engineVersion", label: texts.engineVersion, kind: "text", isNullable: true, within: "more" },
      { path: "flakyIsDegraded", label: texts.flakyIsDegraded, kind: "flag", within: "more" },
    ],
    start: playwrightDefaults,
    assertions: null,
  },
  measures: scriptMeasures,
  subject: ({ testCommand }) => testCommand,
  details: scriptDetails,
};

import { maxScriptLength } from "#contract/checks/scripted.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckField } from "../check-field.ts";
import type { Measures } from "../check-type.ts";

const scriptHint = texts.scriptHint(maxScriptLength / 1_024);

export const scriptStart = { script: null };

export const scriptMeasures: Measures = { time: "responseTime", phases: [], others: [] };

export const runtimeField: CheckField = { path: "runtimeId", label: texts.runtime, kind: "runtime", isNullable: true };

/** Of checks that are a script. */
export const scriptFields: readonly CheckField[] = [
  { path: "script", label: texts.script, kind: "code", hint: scriptHint, isNullable: true },
  runtimeField,
  { path: "scriptPath", label: texts.scriptPath, kind: "text", hint: texts.scriptPathHint, isNullable: true, within: "more" },
  { path: "flakyIsDegraded", label: texts.flakyIsDegraded, kind: "flag", within: "more" },
];

/** Of checks whose script can be recorded. */
export const journeyFields: readonly CheckField[] = scriptFields.map((field) =>
  field.path === "script" ? { ...field, hint: `${scriptHint}. ${texts.recordHint}` } : field,
);

export const sslDomainField: CheckField = {
  path: "sslCheckDomain",
  label: texts.certificateDomain,
  kind: "text",
  hint: texts.hostExample,
  isNullable: true,
  within: "more",
};

/** Of checks whose request has a script before and after it. */
export const requestScriptFields: readonly CheckField[] = [
  { path: "localSetupScript", label: texts.setupScript, kind: "code", hint: texts.setupHint, isNullable: true, within: "scripts" },
  { path: "setupSnippetId", label: texts.setupSnippet, kind: "snippet", hint: texts.snippetHint, isNullable: true, within: "scripts" },
  { path: "localTearDownScript", label: texts.teardownScript, kind: "code", hint: texts.teardownHint, isNullable: true, within: "scripts" },
  {
    path: "tearDownSnippetId",
    label: texts.teardownSnippet,
    kind: "snippet",
    hint: texts.snippetHint,
    isNullable: true,
    within: "scripts",
  },
];

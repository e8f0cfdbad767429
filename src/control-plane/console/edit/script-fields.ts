import { maxScriptLength } from "#contract/checks/scripted.ts";
import { checkFieldTexts as texts } from "../../texts/check-fields.ts";
import type { CheckField } from "./check-field.ts";

const scriptHint = texts.scriptHint(maxScriptLength / 1_024);

/** Of checks that are a script. */
export const scriptFields: readonly CheckField[] = [
  { path: "script", label: texts.script, kind: "code", hint: scriptHint, isNullable: true },
  { path: "runtimeId", label: texts.runtime, kind: "runtime", isNullable: true },
  { path: "scriptPath", label: texts.scriptPath, kind: "text", hint: texts.scriptPathHint, isNullable: true, within: "more" },
];

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
  { path: "runtimeId", label: texts.runtime, kind: "runtime", isNullable: true, within: "scripts" },
];

/** Of checks that run a project of tests. */
export const playwrightFields: readonly CheckField[] = [
  { path: "testCommand", label: texts.testCommand, kind: "text" },
  { path: "installCommand", label: texts.installCommand, kind: "text" },
  { path: "browsers", label: texts.browsers, kind: "list", hint: texts.betweenCommas },
  { path: "codeBundlePath", label: texts.bundlePath, kind: "text" },
  { path: "workingDir", label: texts.workingFolder, kind: "text", isNullable: true, within: "more" },
  { path: "playwrightVersion", label: texts.playwrightVersion, kind: "text", isNullable: true, within: "more" },
  { path: "engine", label: texts.engine, kind: "choice", options: ["", "node", "bun"], isNullable: true, within: "more" },
  { path: "engineVersion", label: texts.engineVersion, kind: "text", isNullable: true, within: "more" },
];

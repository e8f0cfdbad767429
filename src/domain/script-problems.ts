import type { OneScriptType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { runtimeCatalog } from "#contract/runtime-catalog.ts";
import type { InputProblem } from "./invalid-input.ts";

/** What a check says of its script, as far as a schema cannot judge it. */
export interface WrittenScript {
  readonly script: string | null;
  readonly scriptPath?: string | null | undefined;
  readonly dependencies?: readonly { readonly path: string; readonly content: string }[] | null | undefined;
  readonly environmentVariables?: readonly { readonly key: string }[] | null | undefined;
  readonly runtimeId?: string | null | undefined;
}

/** All files that one script brings, in bytes. */
const maxDependencyBytes = 5 * 1_048_576;
const variableName = /^[A-Za-z_]\w*$/;
/** They steer Node.js, the loader of the system, Playwright or the agent, and not the script. */
const reservedNames =
  /^(?:NODE_OPTIONS$|NODE_PATH$|NODE_EXTRA_CA_CERTS$|TEST_(?:WORKER|PARALLEL)_INDEX$|PLAYWRIGHT_|PW_|PWTEST_|LD_|OUTPOST_)/i;
/** As texts name them. */
export const reservedText =
  "NODE_OPTIONS, NODE_PATH, NODE_EXTRA_CA_CERTS, TEST_WORKER_INDEX, TEST_PARALLEL_INDEX, PLAYWRIGHT_*, PW_*, PWTEST_*, LD_* and OUTPOST_*";

/** Whether a script may have a variable of this name. Those of groups and accounts are for other checks too: scripts go without them. */
export function mayNameVariable(name: string): boolean {
  return variableName.test(name) && !reservedNames.test(name);
}

/** What is wrong with a check that is a script, each with its path; empty when nothing is. */
export function scriptProblems(type: OneScriptType, check: WrittenScript): readonly InputProblem[] {
  return [
    ...(check.script?.trim() === "" ? [{ path: "script", message: "is empty: a check of this type is what its script does" }] : []),
    ...fileProblems(check),
    ...variableProblems(check.environmentVariables),
    ...runtimeProblems(type, check.runtimeId ?? null),
  ];
}

function fileProblems({ scriptPath, dependencies }: WrittenScript): InputProblem[] {
  const files = dependencies ?? [];
  const paths = [scriptPath ?? "", ...files.map(({ path }) => path)].map(plainPath);
  const problems = files.flatMap(({ path }, index): InputProblem[] => {
    const at = `dependencies[${index}].path`;
    if (leavesFolder(path)) return [{ path: at, message: leaving(path) }];
    const first = paths.indexOf(plainPath(path));
    return first === index + 1 ? [] : [{ path: at, message: `is there twice; received ${JSON.stringify(path)}` }];
  });
  if (typeof scriptPath === "string" && leavesFolder(scriptPath)) problems.unshift({ path: "scriptPath", message: leaving(scriptPath) });
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (bytes > maxDependencyBytes)
    problems.push({ path: "dependencies", message: `have ${bytes} bytes together; at most ${maxDependencyBytes} are allowed` });
  return problems;
}

/** Whether a path does not stay among the files of its script; agents ask again before they write one. Packages are the runtime's. */
export function leavesFolder(path: string): boolean {
  const [first] = plainPath(path).split("/");
  return /^(?:[\\/]|[A-Za-z]:)|\\|\0/.test(path) || path.split("/").includes("..") || /(?:^|\/)\.?$/.test(path) || first === "node_modules";
}

function leaving(path: string): string {
  return `must be the path of a file below the script's folder, without ".." and a slash at its beginning, and not in node_modules; received ${JSON.stringify(path)}`;
}

function plainPath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "." && part !== "")
    .join("/");
}

/** Of the variables of one check. */
export function variableProblems(variables: WrittenScript["environmentVariables"]): readonly InputProblem[] {
  return (variables ?? []).flatMap(({ key }, index) => nameProblems(key, `environmentVariables[${index}].key`));
}

function nameProblems(key: string, path: string): InputProblem[] {
  if (!variableName.test(key))
    return [{ path, message: `must be letters, digits and underscores, no digit first; received ${JSON.stringify(key)}` }];
  if (mayNameVariable(key)) return [];
  const message = `is not for scripts: ${reservedText} steer what runs them; received ${JSON.stringify(key)}`;
  return [{ path, message }];
}

/** Multistep checks came with 2023.09. */
function runtimeProblems(type: OneScriptType, runtimeId: string | null): InputProblem[] {
  const runtime = runtimeCatalog.find(({ name }) => name === runtimeId);
  if (traitsOf(type).seats !== "multiStep" || runtime === undefined || runtime.multiStepSupport) return [];
  const able = runtimeCatalog.filter(({ multiStepSupport }) => multiStepSupport).map(({ name }) => name);
  return [{ path: "runtimeId", message: `must be one that runs multistep checks: ${able.join(", ")}; received ${runtime.name}` }];
}

import { stripTypeScriptTypes } from "node:module";
import { isCheckType, isOneScriptType } from "#contract/checks/index.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { checkFormTexts } from "../../texts/check-form.ts";

export interface SyntaxProblem {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Reading more would hold up others. */
const longestRead = 100_000;

/**
 * What is wrong with the grammar of a check's script, as JavaScript or TypeScript; null where nothing is found. For who is typing: it refuses nothing, as
 * Playwright's own compiler knows a little more.
 */
export function syntaxProblem(type: CheckTypeName, body: object): SyntaxProblem | null {
  const script: unknown = Reflect.get(body, "script");
  if (!isCheckType(type) || !isOneScriptType(type) || typeof script !== "string" || script.length > longestRead) return null;
  try {
    stripTypeScriptTypes(script);
    return null;
  } catch (error) {
    return error instanceof SyntaxError && "code" in error && error.code === "ERR_INVALID_TYPESCRIPT_SYNTAX" ? placed(error) : null;
  }
}

/** Node.js tells the place above the stack: `:2`, the line, and `^` below its column. */
function placed({ message, stack = "" }: SyntaxError): SyntaxProblem | null {
  const [, line] = /^[^\n]*:(\d+)\n/.exec(stack) ?? [];
  const [, before] = /^( *)\^+$/m.exec(stack) ?? [];
  const column = before === undefined ? null : before.length + 1;
  return line === undefined ? null : { line: Number(line), text: checkFormTexts.syntax(Number(line), column, message.slice(0, 300)) };
}

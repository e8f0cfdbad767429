import { stripTypeScriptTypes } from "node:module";
import { parentPort } from "node:worker_threads";

/*
 * Takes the types out of users' TypeScript, in a thread of its own: code that is nested deep enough breaks the compiler for as long as
 * its thread lives.
 */

/** Code as a module, or as the body of a function; the answer has the same lines. */
export interface StripTask {
  readonly code: string;
  readonly isModule: boolean;
}

/** `isBroken`: this thread strips nothing any more. */
export type Stripped = { readonly code: string } | { readonly problem: string; readonly line: number | null; readonly isBroken: boolean };

const head = "async () => {";
const tail = "\n}";

parentPort?.on("message", (task: StripTask) => parentPort?.postMessage(strip(task)));

function strip({ code, isModule }: StripTask): Stripped {
  try {
    if (isModule) return { code: stripTypeScriptTypes(code) };
    return { code: stripTypeScriptTypes(head + code + tail).slice(head.length, -tail.length) };
  } catch (error) {
    const { message, stack = "", code: errorCode } = error as NodeJS.ErrnoException; // the compiler throws nothing else
    const isBroken = errorCode !== "ERR_INVALID_TYPESCRIPT_SYNTAX" && errorCode !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
    const line = /^[^\n]*:(\d+)\n/.exec(stack)?.[1];
    return { problem: message.slice(0, 500), line: line === undefined ? null : Number(line), isBroken };
  }
}

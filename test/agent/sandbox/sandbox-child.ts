import { dlopen, getRawPointer } from "node:ffi";
import type { SandboxLevel } from "../../../src/agent/sandbox/sandbox.ts";
import { openNetwork, SandboxUnderTest } from "./sandbox-under-test.ts";

/*
 * A process that makes a sandbox, on a kernel without Landlock if so told, runs a script (two children wait by then), and tells what it
 * found as one line of JSON.
 */

const settings = JSON.parse(process.argv[2] ?? "{}") as {
  readonly wanted: "auto";
  readonly wantedWall?: "auto" | "require";
  readonly lacksLandlock: boolean;
  readonly highest: SandboxLevel;
  readonly code?: string;
  readonly denyCidrs?: readonly string[];
};
if (settings.lacksLandlock) takeLandlockAway();
const warned: string[] = [];
const log = { info() {}, warn: (_about: object, message: string) => void warned.push(message) };
await using tested = await SandboxUnderTest.start({ ...settings, log: log as never });
const code = settings.code ?? 'request.body = "ran"';
if (settings.code !== undefined) await Promise.all([tested.said("1"), tested.said("1")]);
const network = openNetwork({ denyCidrs: settings.denyCidrs ?? [] });
const said = await tested
  .said(code, { network })
  .catch((error: Error & { code?: string }) => ({ failure: `${error.code}: ${error.message}` }));
const { level, limitation, egressWall } = tested.sandbox;
process.stdout.write(JSON.stringify({ level, limitation, egressWall, warned, ...(typeof said === "string" ? { said } : said) }));

/** A filter of this thread and of what it starts: the three calls of Landlock answer ENOSYS, as a kernel before 5.13 does. */
function takeLandlockAway(): void {
  const { functions } = dlopen(null, { prctl: { arguments: ["i32", "u64", "u64", "u64", "u64"], return: "i32" } });
  const prctl = functions["prctl"] as (option: number, a: bigint, b: bigint, c: bigint, d: bigint) => number;
  const rules = [
    [0x20, 0, 0, 0],
    [0x15, 2, 0, 444],
    [0x15, 1, 0, 445],
    [0x15, 0, 1, 446],
    [0x06, 0, 0, 0x50000 | 38],
    [0x06, 0, 0, 0x7fff0000],
  ] as const;
  const code = Buffer.alloc(rules.length * 8);
  rules.forEach(([operation, yes, no, value], index) => {
    code.writeUInt16LE(operation, index * 8);
    code.writeUInt8(yes, index * 8 + 2);
    code.writeUInt8(no, index * 8 + 3);
    code.writeUInt32LE(value, index * 8 + 4);
  });
  const program = Buffer.alloc(16);
  program.writeUInt16LE(rules.length, 0);
  program.writeBigUInt64LE(getRawPointer(code), 8);
  if (prctl(38, 1n, 0n, 0n, 0n) !== 0 || prctl(22, 2n, getRawPointer(program), 0n, 0n) !== 0) throw new Error("no filter can be set");
}

import { z } from "zod";

/** What a child may say, one object a line. None of it is believed: a script can say it too. */

/** Far more than a request has. */
const mostNames = 2_000;
const nameLimit = 1_000;
const kindLimit = 20;

/** A text, or the kind of something that is no text. */
type Left = string | { readonly kind: string };
type LeftRecord = Readonly<Record<string, Left>>;

/** Looked at by hand and not beyond the first fault: a list of all faults in a line of 2 MB takes seconds and hundreds of megabytes. */
const Left = z.custom<Left>(isLeft).optional();
const LeftRecord = z.custom<LeftRecord>((value) => isRecordOf(value, isLeft));
const Texts = z.custom<Readonly<Record<string, string>>>((value) => isRecordOf(value, (one) => typeof one === "string"));

export const ChildFailure = z.object({
  script: z.int().min(0).max(1_000),
  how: z.enum(["threw", "unsettled", "exit", "unreadable"]),
  code: z.number().nullable().default(null),
  name: z.string().max(4_000).default(""),
  message: z.string().max(4_000).default(""),
  file: z.string().max(300).nullable().default(null),
  line: z.int().min(1).max(10_000_000).nullable().default(null).catch(null),
});
export type ChildFailure = z.output<typeof ChildFailure>;

export const ChildAttack = z.object({
  environment: z.boolean(),
  signal: z.boolean(),
  file: z.boolean(),
  exec: z.boolean(),
  socket: z.boolean(),
  /** Whether the kernel leaves it no way into the network. */
  egress: z.boolean(),
});
export type ChildAttack = z.output<typeof ChildAttack>;

/** How the scripts left what they may change. */
export const LeftBehind = z.object({
  request: z.object({ method: Left, url: Left, body: Left, headers: LeftRecord, queryParameters: LeftRecord }),
  response: z.object({ body: Left }).nullable(),
  env: LeftRecord,
});
export type LeftBehind = z.output<typeof LeftBehind>;

/** One kind a line, so that each line is looked at once. */
const kinds = {
  ready: z.object({ t: z.literal("ready") }),
  script: z.object({ t: z.literal("script"), index: z.int().min(0).max(1_000) }),
  log: z.object({
    t: z.literal("log"),
    time: z.number().min(0).max(8.64e15),
    level: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
    msg: z.string(),
  }),
  /** Variables and sensitive headers that scripts set on their way. */
  made: z.object({ t: z.literal("made"), env: Texts, headers: Texts }),
  failure: z.object({ t: z.literal("end"), failure: ChildFailure }),
  attack: z.object({ t: z.literal("end"), attack: ChildAttack }),
  left: LeftBehind.extend({ t: z.literal("end") }),
};
export type ChildLine = z.output<(typeof kinds)[keyof typeof kinds]>;
export type ChildEnd = Extract<ChildLine, { readonly t: "end" }>;
export type LogEntry = Omit<Extract<ChildLine, { readonly t: "log" }>, "t">;

/** Null where it is none of these. */
export function readChildLine(text: string): ChildLine | null {
  try {
    const line: unknown = JSON.parse(text);
    return kinds[kindOf(line)].parse(line);
  } catch {
    return null;
  }
}

/** @throws {Error} where it is none of them */
function kindOf(line: unknown): keyof typeof kinds {
  if (typeof line !== "object" || line === null || !("t" in line)) throw new Error("no line of a child");
  const { t } = line;
  if (t === "ready" || t === "script" || t === "log" || t === "made") return t;
  return "failure" in line ? "failure" : "attack" in line ? "attack" : "left";
}

function isRecordOf(value: unknown, isMeant: (one: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= mostNames && entries.every(([name, one]) => name.length <= nameLimit && isMeant(one));
}

function isLeft(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  return typeof value.kind === "string" && value.kind.length <= kindLimit;
}

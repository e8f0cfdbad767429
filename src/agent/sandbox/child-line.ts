import { z } from "zod";

/** What a child may say, one object a line. None of it is believed: a script can say it too. */

/** Far more than a request has. */
const mostNames = 2_000;
const nameLimit = 1_000;

/** An absent field, a text, or the kind of something that is no text. */
const Left = z.union([z.string(), z.object({ kind: z.string().max(20) })]).optional();
const LeftRecord = z
  .record(z.string().max(nameLimit), z.union([z.string(), z.object({ kind: z.string().max(20) })]))
  .refine((record) => Object.keys(record).length <= mostNames, `more than ${mostNames} names`);

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
});
export type ChildAttack = z.output<typeof ChildAttack>;

/** How the scripts left what they may change. */
export const LeftBehind = z.object({
  request: z.object({ method: Left, url: Left, body: Left, headers: LeftRecord, queryParameters: LeftRecord }),
  response: z.object({ body: Left }).nullable(),
  env: LeftRecord,
});
export type LeftBehind = z.output<typeof LeftBehind>;

/** Variables and sensitive headers that scripts set on their way. */
export const Made = z.object({ env: z.record(z.string(), z.string()), headers: z.record(z.string(), z.string()) });

export const ChildLine = z.union([
  z.object({ t: z.literal("ready") }),
  Made.extend({ t: z.literal("made") }),
  z.object({ t: z.literal("script"), index: z.int().min(0).max(1_000) }),
  z.object({
    t: z.literal("log"),
    time: z.number().min(0).max(8.64e15),
    level: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
    msg: z.string(),
  }),
  z.object({ t: z.literal("end"), failure: ChildFailure }),
  z.object({ t: z.literal("end"), attack: ChildAttack }),
  LeftBehind.extend({ t: z.literal("end") }),
]);
export type ChildLine = z.output<typeof ChildLine>;
export type ChildEnd = Extract<ChildLine, { readonly t: "end" }>;
export type LogEntry = Omit<Extract<ChildLine, { readonly t: "log" }>, "t">;

/** Null where it is none of these. */
export function readChildLine(text: string): ChildLine | null {
  try {
    return ChildLine.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

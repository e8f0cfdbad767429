import { isAbsolute } from "node:path";
import { z } from "zod";
import { WholeNumber } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";

export const contactAlarmEnv = {
  CONTACT_ALARM_MINUTES: WholeNumber(1, 1440)
    .default(5)
    .describe("minutes without contact to the control plane after which CONTACT_ALARM_* tell"),
  CONTACT_ALARM_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .transform((text) => new Secret(text))
    .optional()
    .describe("webhook that is told by POST, as JSON with a `text`, when contact is lost and when it is back; none when absent"),
  CONTACT_ALARM_COMMAND: z
    .string()
    .refine(isAbsolute, "must be the path of a program, from /")
    .optional()
    .describe("program that is started then, without a shell, with the word contact_lost or contact_back; none when absent"),
};

export interface ContactAlarmSettings {
  readonly afterMs: number;
  /** A token may be in it. */
  readonly url: Secret | null;
  /** Path of a program. */
  readonly command: string | null;
}

type Read = z.output<z.ZodObject<typeof contactAlarmEnv>>;

/** Null: nobody is told. */
export function contactAlarmSettings(e: Read): ContactAlarmSettings | null {
  const { CONTACT_ALARM_URL: url = null, CONTACT_ALARM_COMMAND: command = null } = e;
  return url === null && command === null ? null : { afterMs: e.CONTACT_ALARM_MINUTES * 60_000, url, command };
}

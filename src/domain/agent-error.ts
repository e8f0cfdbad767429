import { createHash } from "node:crypto";
import type { ErrorEvent } from "#contract/agent-protocol.ts";
import { mask } from "./scrub/scrub-stream.ts";

/** Our own keys and tokens of any kind, what follows `Bearer` or `Basic`, and a password in a URL. Linear: what repeats is bounded. */
const secretShapes = [
  /[a-z]{2}_[0-9a-f]{32}/gi,
  /(?<=\b(?:bearer|basic)[ \t])[\w.~+/=-]{8,2000}/gi,
  /(?<=:\/\/[^\s/?#@:]{0,100}:)[^\s/?#@]{1,200}(?=@)/gi,
] as const;

/** What no text of a report needs: characters that steer terminals or hide others. */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
/** The same in a text of several lines. */
const unprintableInLines = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** A report of an agent about itself as it may be stored and shown: the agent scrubs it, and is not believed. */
export function cleanedAgentError(event: ErrorEvent): ErrorEvent {
  return {
    message: cleaned(event.message, unprintable),
    stack: cleaned(event.stack.replaceAll("\r\n", "\n"), unprintableInLines),
    agentVersion: cleaned(event.agentVersion, unprintable),
    platform: cleaned(event.platform, unprintable),
    runtimeVersion: cleaned(event.runtimeVersion, unprintable),
  };
}

function cleaned(text: string, without: RegExp): string {
  const printable = text.toWellFormed().replaceAll(without, "\ufffd");
  return secretShapes.reduce((scrubbed, shape) => scrubbed.replaceAll(shape, mask), printable);
}

/** The same for two reports of the same error of the same version. */
export function agentErrorHash({ message, stack, agentVersion, platform, runtimeVersion }: ErrorEvent): string {
  return createHash("sha256")
    .update(JSON.stringify([message, stack, agentVersion, platform, runtimeVersion]))
    .digest("hex");
}

import type { CheckType, SettingsOf } from "#contract/checks/index.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { maskSensitiveHeaders, type RequestWithSecrets, sensitiveValues } from "#domain/scrub/sensitive.ts";

/** Masks what must not leave the agent in the parts of a report (behaviour 4). Runs before anything reaches the disk. */
export interface ReportScrubber {
  text(text: string): string;
  /** @param detail the result member of any check type */
  detail(detail: object): unknown;
  /** Same length: for a capture. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** All of them: for what else comes of the attempt, its artifacts, and for what the agent tells of itself meanwhile (`KnownSecrets.hold`). */
  readonly secrets: readonly string[];
}

/**
 * Types without headers and parameters have secrets in addresses only.
 *
 * @param secrets those that the request does not show: values of secret variables, SERVICE_SECRET_*, a script's own. Which of them are
 *   not scrubbed, and why, is told by `refusalOf(value)`: a warning for the log of the check, by the secret's name
 */
export function reportScrubber(
  { request }: SettingsOf<CheckType>,
  proxyUrl: string | null,
  secrets: readonly string[] = [],
): ReportScrubber {
  const withSecrets: RequestWithSecrets = { url: "", headers: [], queryParameters: [], ...request } as RequestWithSecrets;
  const all = [...new Set([...secrets, ...sensitiveValues(withSecrets, proxyUrl === null ? [] : [proxyUrl])])];
  return {
    text: (text) => createScrubber(all).scrubText(text), // compiled where it is not kept: what holds this must not hold that
    detail: (detail) => createScrubber(all).scrubJson(withMaskedHeaders(detail)),
    bytes: (bytes) => createScrubber(all).scrubBytes(bytes),
    secrets: all,
  };
}

interface WithHeaders {
  readonly request?: { readonly headers?: Record<string, unknown> };
  readonly response?: { readonly headers?: Record<string, unknown> } | null;
}

function withMaskedHeaders(detail: WithHeaders): object {
  return { ...detail, request: masked(detail.request), response: masked(detail.response) };
}

function masked(message: { readonly headers?: Record<string, unknown> } | null | undefined): unknown {
  return message?.headers === undefined ? message : { ...message, headers: maskSensitiveHeaders(message.headers) };
}

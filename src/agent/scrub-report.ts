import type { CheckType, SettingsOf } from "#contract/checks/index.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { maskSensitiveHeaders, type RequestWithSecrets, sensitiveValues } from "#domain/scrub/sensitive.ts";

/** Masks what must not leave the agent in the parts of a report (behaviour 4). Runs before anything reaches the disk. */
export interface ReportScrubber {
  text(text: string): string;
  /** @param detail the result member of any check type */
  detail(detail: object): unknown;
}

/** Types without headers and parameters have secrets in addresses only. */
export function reportScrubber({ request }: SettingsOf<CheckType>, proxyUrl: string | null): ReportScrubber {
  const secrets: RequestWithSecrets = { url: "", headers: [], queryParameters: [], ...request } as RequestWithSecrets;
  const scrubber = createScrubber(sensitiveValues(secrets, proxyUrl === null ? [] : [proxyUrl]));
  return {
    text: (text) => scrubber.scrubText(text),
    detail: (detail) => scrubber.scrubJson(withMaskedHeaders(detail)),
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

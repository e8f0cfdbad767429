import type { ApiRequest } from "#contract/checks/api.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { maskSensitiveHeaders, sensitiveValues } from "#domain/scrub/sensitive.ts";

interface DetailWithHeaders {
  readonly request: { readonly headers: Record<string, unknown> };
  readonly response: { readonly headers: Record<string, unknown> } | null;
}

/** Masks what must not leave the agent in the parts of a report (behaviour 4). Runs before anything reaches the disk. */
export interface ReportScrubber {
  text(text: string): string;
  detail(detail: DetailWithHeaders): unknown;
}

export function reportScrubber({ request }: { readonly request: ApiRequest }, proxyUrl: string | null): ReportScrubber {
  const scrubber = createScrubber(sensitiveValues(request, proxyUrl === null ? [] : [proxyUrl]));
  return {
    text: (text) => scrubber.scrubText(text),
    detail(detail) {
      const { response } = detail;
      return scrubber.scrubJson({
        ...detail,
        request: { ...detail.request, headers: maskSensitiveHeaders(detail.request.headers) },
        response: response === null ? null : { ...response, headers: maskSensitiveHeaders(response.headers) },
      });
    },
  };
}

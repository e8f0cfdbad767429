import type { ApiRequest } from "#contract/checks/api.ts";
import type { UrlRequest } from "#contract/checks/url.ts";
import type { CheckRunner } from "../check-runner.ts";

/** A URL monitor is an API check that sends a bare GET (behaviour 2.2); its results have the same shape. */
export function createUrlRunner(api: CheckRunner<"API">): CheckRunner<"URL"> {
  return {
    async run({ request, ...limits }, context) {
      return { ...(await api.run({ ...limits, request: { ...request, ...nothingMore() } }, context)) };
    },
  };
}

function nothingMore(): Omit<ApiRequest, keyof UrlRequest> {
  return { body: "", bodyType: "NONE", headers: [], queryParameters: [], basicAuth: null };
}

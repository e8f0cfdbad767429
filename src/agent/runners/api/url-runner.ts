import type { ApiRequest } from "#contract/checks/api.ts";
import type { UrlRequest } from "#contract/checks/url.ts";
import type { CheckRunner } from "../check-runner.ts";

/**
 * A URL monitor is an API check that sends a bare GET (behaviour 2.2) and shows no client certificate (behaviour 4). Its results have the
 * same shape.
 */
export function createUrlRunner(api: CheckRunner<"API">): CheckRunner<"URL"> {
  return {
    async run({ request, ...limits }, context) {
      const settings = { ...limits, request: { ...request, ...nothingMore() } };
      return { ...(await api.run(settings, { ...context, certificates: [] })) };
    },
  };
}

function nothingMore(): Omit<ApiRequest, keyof UrlRequest> {
  return { body: "", bodyType: "NONE", headers: [], queryParameters: [], basicAuth: null };
}

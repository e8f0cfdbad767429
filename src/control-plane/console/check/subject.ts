import type { getCheckV1 } from "#contract/checks/operations.ts";
import type { OutputOf } from "#contract/operation.ts";

/** A check as it is read over REST. */
export type CheckRead = OutputOf<typeof getCheckV1>;

/** What is checked, in a line; empty where that is a script. */
export function subjectOf(check: CheckRead): string {
  switch (check.checkType) {
    case "API":
      return `${check.request.method} ${check.request.url}`;
    case "URL":
      return check.request.url;
    case "TCP":
      return `${check.request.hostname}:${check.request.port}`;
    case "DNS":
      return `${check.request.query} ${check.request.recordType}`;
    case "ICMP":
      return check.request.hostname;
    case "SSL":
      return `${check.request.sslConfig.hostname}:${check.request.sslConfig.port}`;
    default:
      return "";
  }
}

import type { getCheckV1 } from "#contract/checks/operations.ts";
import type { OutputOf } from "#contract/operation.ts";

/** A check as it is read over REST. */
export type CheckRead = OutputOf<typeof getCheckV1>;

type Of<T extends CheckRead["checkType"]> = Extract<CheckRead, { readonly checkType: T }>;

const subjects: { readonly [T in CheckRead["checkType"]]?: (check: Of<T>) => string } = {
  API: ({ request }) => `${request.method} ${request.url}`,
  URL: ({ request }) => request.url,
  TCP: ({ request }) => `${request.hostname}:${request.port}`,
  DNS: ({ request }) => `${request.query} ${request.recordType}`,
  ICMP: ({ request }) => request.hostname,
  SSL: ({ request: { sslConfig } }) => `${sslConfig.hostname}:${sslConfig.port}`,
};

/** What is checked, in a line; empty where that is a script. */
export function subjectOf(check: CheckRead): string {
  const tell = subjects[check.checkType] as ((check: CheckRead) => string) | undefined; // the one of its own type
  return tell?.(check) ?? "";
}

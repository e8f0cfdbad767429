/** What somebody follows: the results of one suite of an account. */
export interface Suite {
  /** As the client wrote it. */
  readonly account: string;
  readonly suite: string;
}

const filter = /^account\/([0-9a-f-]{36})\/ad-hoc-check-results\/([\w-]{1,100})\/\+\/\+\/\+$/i;

/** The one form of a filter that is granted; undefined for every other: there is nothing else to follow, and no wildcard reaches beyond a suite. */
export function suiteIn(topicFilter: string): Suite | undefined {
  const [, account, suite] = filter.exec(topicFilter) ?? [];
  return account === undefined || suite === undefined ? undefined : { account, suite };
}

export type NewsKind = "run-start" | "result" | "error" | "stream-logs";

/** @param runId as the client that started the run names it */
export function topicOf({ account, suite }: Suite, sequenceId: string, runId: string, kind: NewsKind): string {
  return `account/${account}/ad-hoc-check-results/${suite}/${sequenceId}/${runId}/${kind}`;
}

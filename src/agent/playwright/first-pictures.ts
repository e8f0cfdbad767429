import { mostTests, type Report } from "./told.ts";

/** What Playwright says where there is nothing to compare a screenshot with, by version. Of a text nobody keeps the first one, so it stays a failure. */
const missing = /(?:A snapshot doesn't exist at .+\.png|\.png is missing in snapshots), writing actual/;

/**
 * A test that only had nothing to compare its screenshots with has passed: its pictures are the first ones. Playwright fails it, so that
 * nobody forgets to store them; here they are kept.
 *
 * @returns also how many such pictures there are, of all tests
 */
export function acceptFirstPictures(report: Report): { readonly report: Report; readonly firstPictures: number } {
  const isMissing = ({ message }: Report["errors"][number]): boolean => missing.test(message);
  const count = report.errors.filter(isMissing).length;
  if (count === 0) return { report, firstPictures: 0 };
  const accepted = new Set(
    report.tests.flatMap(({ status, outcome }, index) => {
      const errors = report.errors.filter(({ test }) => test === index);
      return status === "failed" && outcome === "unexpected" && errors.length > 0 && errors.every(isMissing) ? [index] : [];
    }),
  );
  const isAll = report.tests.every(({ outcome }, index) => outcome !== "unexpected" || accepted.has(index));
  const isWhole = report.tests.length < mostTests && report.errors.every(({ test }) => test !== null);
  return {
    firstPictures: count,
    report: {
      ...report,
      status: report.status === "failed" && isAll && isWhole ? "passed" : report.status,
      tests: report.tests.map((test, index) =>
        accepted.has(index) ? { ...test, status: "passed", outcome: "expected", attachments: [] } : test,
      ),
      errors: report.errors.filter(({ test }) => test === null || !accepted.has(test)),
      steps: report.steps.map((step) => (accepted.has(step.test) ? { ...step, error: null } : step)),
    },
  };
}

import { describe, expect, it } from "vitest";
import { pageFigures, wholeRun } from "../../src/domain/page-figures.ts";
import { checkDetails } from "../support/check-details.ts";

const [request] = checkDetails.BROWSER.requests;
const [line] = checkDetails.BROWSER.console;

describe("figures of pages", () => {
  it("count what a page sent and wrote; the run also what is of no page", () => {
    const requests = [
      { ...request, page: 0, status: 404, type: "document" },
      { ...request, page: 0, status: null, error: "net::ERR_FAILED", type: "script" },
      { ...request, page: 0, status: 200 },
      { ...request, page: null, status: 500 },
    ];
    const lines = (["error", "exception", "exception", "log"] as const).map((level) => ({ ...line, level, page: 0 }));
    const traceSummary = { consoleErrors: 1, networkErrors: 3, documentErrors: 1, userScriptErrors: 2 };
    expect(pageFigures({ ...checkDetails.BROWSER, requests, console: lines, traceSummary })).toEqual([
      { page: wholeRun, values: traceSummary },
      {
        page: 0,
        values: {
          TTFB: 120,
          FCP: 900,
          LCP: 4_200,
          CLS: 0.02,
          TBT: 250,
          consoleErrors: 1,
          networkErrors: 2,
          userScriptErrors: 2,
          documentErrors: 1,
        },
      },
    ]);
  });

  it.each([[null], ["text"], [{}], [{ traceSummary: {} }], [checkDetails.MULTI_STEP], [checkDetails.API]])("are none of %j", (detail) => {
    expect(pageFigures(detail)).toEqual([]);
  });

  it("are of each page once, whatever an agent says", () => {
    const [page] = checkDetails.BROWSER.pages;
    expect(pageFigures({ ...checkDetails.BROWSER, pages: [page, page] })).toHaveLength(2);
  });
});

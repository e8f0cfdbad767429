import { countText } from "../view/units.ts";

/** English texts of what a script did: its tests, steps, requests, pages and what it wrote. */
export const scriptRunTexts = {
  failure: {
    title: "What failed",
    test: "Test",
    step: "Step",
    place: "In the script",
    at: (file: string, line: number) => `${file}, line ${line}`,
    code: "The lines around it",
    stack: "Where it was called from",
    screenshot: "The page when it failed",
    soft: "The test went on after it",
    further: (count: number) => countText(count, "further error"),
  },
  comparisons: {
    title: "Screenshots that differ",
    expected: "Expected",
    actual: "Now",
    diff: "Difference",
    update: "Update pictures",
    updateQuestion:
      "If the page is right: the check forgets all its pictures, not only these, and runs now. Those of its next run that passes are the expected ones. The old ones do not come back.",
  },
  tests: {
    title: "Tests",
    columns: ["Outcome", "Test", "Took", "Retries"],
    allSkipped: "Every test was skipped: this run looked at nothing.",
    degradedBy: (reason: string) => `Marked as degraded: ${reason}`,
    outcomes: {
      passed: "passed",
      failed: "failed",
      timedOut: "timed out",
      skipped: "skipped",
      flaky: "passed on a retry",
      interrupted: "interrupted",
    },
  },
  timeline: {
    title: "Steps",
    label: "Steps in the order of time, each with its requests below it",
    columns: ["Step", "Took", "Size", ""],
    filter: "Filter steps and requests",
    range: "Part of the time that is shown",
    all: "Show all of it",
    keys: "Drag over the bars, or use + − ← → 0 where the table has the focus.",
    request: (method: string, url: string) => `${method} ${url}`,
    others: "Requests outside of any step",
    hidden: (count: number) => `${countText(count, "request")} of this step`,
    none: "–",
  },
  console: {
    title: "Console of the pages",
    label: "What pages wrote to their console",
    columns: ["After the start", "Level", "Text"],
  },
  network: {
    title: "Network",
    label: "Requests in the order of time",
    columns: ["Request", "Status", "Type", "Size", "Began after", "Took"],
    failed: "failed",
    cached: "from the cache",
    none: "–",
    counted: (count: number) => countText(count, "request"),
    filter: "Which requests to show",
    all: "all",
    ofType: (count: number, size: string) => `${count} · ${size}`,
    onlyFailed: (count: number) => `only the ${count} that failed`,
  },
  vitals: {
    title: "Pages and web vitals",
    label: "Pages by their first visit, with what their visitors felt",
    page: "Page",
    names: {
      TTFB: "Time to first byte",
      FCP: "First contentful paint",
      LCP: "Largest contentful paint",
      CLS: "Layout shift",
      TBT: "Blocking time",
    },
    scores: { GOOD: "good", NEEDS_IMPROVEMENT: "to be improved", POOR: "poor" },
    none: "–",
  },
  files: {
    video: "Video",
    videoLabel: (name: string) => `Video ${name}`,
    trace: "Trace",
    traceHint: "Every action with the page before and after it. The command opens a saved file on your machine.",
    openTrace: "Open trace",
    traceCommand: (name: string) => `npx playwright show-trace ${name}`,
  },
  log: { title: "Log of the script", label: "What the script wrote", columns: ["After the start", "Level", "Text"] },
  facts: {
    title: "Ran on",
    runtime: "Runtime",
    playwright: "Playwright",
    browser: "Browser",
    errors: "Errors of the pages",
    counted: (errors: {
      readonly consoleErrors: number;
      readonly networkErrors: number;
      readonly documentErrors: number;
      readonly userScriptErrors: number;
    }) =>
      `${errors.consoleErrors} in the console, ${errors.networkErrors} of the network, ${errors.documentErrors} of documents, ${errors.userScriptErrors} exceptions`,
    kept: "Kept apart",
    level: (level: number, egress: "kernel" | "process") =>
      `level ${level}, held to the egress policy by ${egress === "kernel" ? "the kernel" : "Node.js alone"}`,
  },
} as const;

import { countText } from "../view/units.ts";

/** English texts of what a script did: its tests, steps, requests, pages and what it wrote. */
export const scriptRunTexts = {
  failure: {
    title: "Failure",
    test: "Test",
    step: "Step",
    place: "Location in script",
    at: (file: string, line: number) => `${file}, line ${line}`,
    code: "Code",
    stack: "Stack trace",
    screenshot: "Screenshot at failure",
    soft: "Soft assertion: the test continued",
    further: (count: number) => countText(count, "further error"),
  },
  suggestions: {
    title: "Suggestions",
    hint: "What this run saw is similar to what the script expects. If the page changed on purpose, the script can follow it. Nothing is applied by itself.",
    categories: { selector: "Selector", assertion: "Assertion" },
    change: (file: string, line: number) => `Change of ${file}, line ${line}`,
    accept: "Change the script",
    question: "This changes this line in the script of the check.",
  },
  comparisons: {
    title: "Screenshot differences",
    expected: "Expected",
    actual: "Actual",
    diff: "Difference",
    update: "Update baselines",
    updateQuestion:
      "Use this if the page is correct. The check deletes all of its baselines, not only these, and runs now. Screenshots of its next passing run become the new baselines. This cannot be undone.",
  },
  tests: {
    title: "Tests",
    columns: ["Outcome", "Test", "Duration", "Retries"],
    allSkipped: "All tests were skipped: this run checked nothing.",
    degradedBy: (reason: string) => `Marked as degraded: ${reason}`,
    passed: (count: number, of: number) => `${count} of ${of} passed`,
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
    label: "Steps in order of time, with their requests",
    columns: ["Step", "Duration", "Size", ""],
    filter: "Filter steps and requests",
    range: "Visible time range",
    all: "Show all",
    keys: "Drag over the bars to zoom, or focus the table and use + − ← → 0.",
    request: (method: string, url: string) => `${method} ${url}`,
    others: "Requests outside steps",
    hidden: (count: number) => `${countText(count, "request")} in this step`,
    none: "–",
  },
  console: {
    title: "Browser console",
    label: "Browser console messages",
    columns: ["Time", "Level", "Message"],
  },
  network: {
    title: "Network",
    label: "Requests in order of time",
    columns: ["Request", "Status", "Type", "Size", "Start", "Duration"],
    failed: "failed",
    cached: "from the cache",
    none: "–",
    counted: (count: number) => countText(count, "request"),
    filter: "Filter requests",
    all: "all",
    ofType: (count: number, size: string) => `${count} · ${size}`,
    onlyFailed: (count: number) => `failed only (${count})`,
  },
  vitals: {
    title: "Pages and web vitals",
    label: "Pages in order of first visit, with their web vitals",
    page: "Page",
    names: {
      TTFB: "Time to first byte",
      FCP: "First contentful paint",
      LCP: "Largest contentful paint",
      CLS: "Cumulative layout shift",
      TBT: "Total blocking time",
    },
    scores: { GOOD: "good", NEEDS_IMPROVEMENT: "needs improvement", POOR: "poor" },
    none: "–",
  },
  files: {
    report: "Playwright report",
    reportHint: "The report of this run as Playwright wrote it, with every step of each test. Its link is valid for an hour.",
    openReport: "Open report",
    video: "Video",
    videoLabel: (name: string) => `Video ${name}`,
    trace: "Trace",
    traceHint: "Shows every action with the page before and after. The command opens a downloaded trace on your machine.",
    openTrace: "Open trace",
    traceCommand: (name: string) => `npx playwright show-trace ${name}`,
  },
  log: { title: "Script log", label: "Output of the script", columns: ["Time", "Level", "Message"] },
  facts: {
    title: "Ran on",
    runtime: "Runtime",
    playwright: "Playwright",
    browser: "Browser",
    errors: "Page errors",
    counted: (errors: {
      readonly consoleErrors: number;
      readonly networkErrors: number;
      readonly documentErrors: number;
      readonly userScriptErrors: number;
    }) =>
      `${errors.consoleErrors} console, ${errors.networkErrors} network, ${errors.documentErrors} document, ${errors.userScriptErrors} script errors`,
    packages: "Packages",
    installed: (manager: string | null, isCached: boolean) =>
      manager === null ? "brought by the bundle" : isCached ? `${manager}, from an earlier install` : `installed by ${manager}`,
    prepared: "Preparation",
    spent: (bundle: string, packages: string) => `bundle ${bundle}, packages ${packages}`,
    kept: "Sandbox",
    level: (level: number, egress: "kernel" | "process") =>
      `level ${level}, egress policy enforced by ${egress === "kernel" ? "the kernel" : "Node.js alone"}`,
  },
} as const;

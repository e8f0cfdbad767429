"use strict";
const { readFileSync } = require("node:fs");
const path = require("node:path");
const copyUploads = require("./copy-uploads.cjs");
const known = require("./job.cjs");
const maskSecrets = require("./mask-secrets.cjs");
const record = require("./record.cjs");
const showLive = require("./live-picture.cjs");

const vitals = readFileSync(path.join(__dirname, "vitals.js"), "utf8");
/** What a script may not choose: this agent has one browser and one way into the network. */
const chosen = { executablePath: undefined, channel: undefined, proxy: undefined, headless: true };
let open = 0;
let onClosed = () => {};

/** Web vitals, console, requests and errors of every page, and the agent's browser in place of the script's choice. */
module.exports = function watchPages(chromium) {
  for (const way of ["launch", "launchPersistentContext", "launchServer"]) {
    const start = chromium[way]?.bind(chromium);
    if (start === undefined) continue;
    chromium[way] = async (...given) => {
      const { job } = known;
      if (job.type !== "BROWSER") throw new Error("A MULTI_STEP check has no browser; use a BROWSER check");
      const options = given.pop() ?? {};
      tellReplaced({ ...chromium._playwright?._defaultLaunchOptions, ...options });
      open += 1;
      const started = await start(...(way === "launchPersistentContext" ? [given[0] ?? ""] : []), {
        ...options,
        ...chosen,
        executablePath: job.browser,
        downloadsPath: path.join(job.run, "tmp"), // where the browser may write
      }).catch((error) => {
        closed();
        throw error;
      });
      if (way === "launch") watchBrowser(started);
      if (way === "launchPersistentContext") await watch(started);
      started.on(way === "launch" ? "disconnected" : "close", closed);
      return started;
    };
  }
  for (const way of ["connect", "connectOverCDP"]) {
    chromium[way] = () => Promise.reject(new Error(`chromium.${way} is not possible: this agent has a browser of its own for each run`));
  }
};

/** For scripts that do not wait for what they started: resolves when they have closed all browsers. */
globalThis[Symbol.for("outpost.closed")] = () => new Promise((resolve) => (open === 0 ? resolve() : (onClosed = resolve)));

function closed() {
  open -= 1;
  if (open === 0) onClosed();
}

function tellReplaced(options) {
  for (const name of ["executablePath", "channel", "proxy"]) {
    if (options[name] !== undefined)
      log(`${name} of the script is not used: this agent has ${name === "proxy" ? "a way into the network" : "a browser"} of its own`);
  }
  if (options.headless === false) log("headless: false of the script is not used: this agent has no screen");
}

function log(msg) {
  record("log", { time: Date.now(), level: "WARN", msg });
}

function watchBrowser(browser) {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options = {}) => {
    if (options.proxy !== undefined) tellReplaced({ proxy: options.proxy });
    const { job } = known;
    const video = job.hasVideo ? {} : { recordVideo: undefined };
    if (!job.hasVideo && options.recordVideo !== undefined) log("there is no video: this agent has no ffmpeg");
    return watch(await newContext({ ...options, ...video, proxy: undefined }));
  };
}

async function watch(context) {
  const mainUrl = (page) => page?.mainFrame().url() ?? null;
  await context.exposeBinding("__outpostVitals", ({ page, frame }, text) => {
    if (frame !== page.mainFrame() || typeof text !== "string" || text.length > 1_000) return;
    record("vitals", { url: frame.url(), seen: JSON.parse(text) });
  });
  await context.addInitScript({ content: vitals });
  maskSecrets(context);
  if (known.job.isWatched && known.job.hasScreenshots) showLive(context);
  context.on("page", (page) => {
    copyUploads(page);
    page.on("framenavigated", (frame) => frame === page.mainFrame() && record("page", { url: frame.url() }));
  });
  context.on("console", (message) => {
    const { url, lineNumber } = message.location();
    record("console", {
      time: Date.now(),
      level: message.type(),
      text: message.text().slice(0, 4_000),
      url,
      line: lineNumber,
      on: mainUrl(message.page()),
    });
  });
  context.on("weberror", (error) => {
    record("console", {
      time: Date.now(),
      level: "exception",
      text: `${error.error()?.stack ?? error.error()}`.slice(0, 4_000),
      url: null,
      line: null,
      on: mainUrl(error.page()),
    });
  });
  context.on("requestfinished", (request) => void tell(request, null));
  context.on("requestfailed", (request) => void tell(request, request.failure()?.errorText ?? "it failed"));
  return context;
}

async function tell(request, error) {
  const times = request.timing();
  const [response, sizes] = await Promise.all([error === null ? request.response() : null, error === null ? request.sizes() : null]).catch(
    () => [null, null],
  );
  const { isDocument, on } = placeOf(request);
  record("request", {
    method: request.method(),
    url: request.url().slice(0, 4_096),
    status: response?.status() ?? null,
    startedAt: times.startTime,
    durationMs: times.responseEnd >= 0 ? times.responseEnd : null,
    timings: timingsOf(times),
    bytes: sizes?.responseBodySize ?? null,
    type: request.resourceType(),
    fromCache: response?.fromServiceWorker() ?? false,
    error,
    isDocument,
    on,
  });
}

function timingsOf(times) {
  const span = (from, to) => (times[from] >= 0 && times[to] >= times[from] ? times[to] - times[from] : null);
  const isTls = times.secureConnectionStart > 0;
  return {
    dns: span("domainLookupStart", "domainLookupEnd"),
    connect: span("connectStart", isTls ? "secureConnectionStart" : "connectEnd"),
    tls: isTls ? span("secureConnectionStart", "connectEnd") : null,
    firstByte: span("requestStart", "responseStart"),
    download: span("responseStart", "responseEnd"),
  };
}

/** Requests of service workers, and of pages that have just begun, have no frame. */
function placeOf(request) {
  try {
    const frame = request.frame();
    const isDocument = frame.parentFrame() === null && request.isNavigationRequest();
    return { isDocument, on: isDocument ? request.url() : frame.page().mainFrame().url() };
  } catch {
    return { isDocument: false, on: null };
  }
}

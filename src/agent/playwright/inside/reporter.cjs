"use strict";
const { writeSync } = require("node:fs");
const path = require("node:path");
const { keepCompiled } = require("./compiled.cjs");
const known = require("./job.cjs");
const { codeAt, placeIn } = require("./place-of-error.cjs");
const { beginHtmlReport, beginReport } = require("./own-reports.cjs");
const { timeLeftMs } = require("./time-left.cjs");

const [mostSteps, deepestStep, mostErrors, mostTests] = [2_000, 6, 100, 1_000];
const cut = (text, most) => (text === undefined ? null : `${text}`.slice(0, most));

/** Of lines before the last one, on the average; a run that tells much tells it less often. */
const bytesPerMs = 100;
const shortestPauseMs = 1_000;

/**
 * What the agent wants to know of a run, as lines of JSON on descriptor 4. Workers do not have that one. Each line tells all that is known;
 * the last one counts, for who is killed tells no more.
 */
module.exports = class Reporter {
  /** Each try of a test, in the order of their begin. Playwright fills in their results as they go on. */
  #tries = [];
  #errors = [];
  #output = [];
  #timer = null;
  #pauseMs = shortestPauseMs;
  #count = 0;
  /** Playwright's own reports of a suite, which asks for others; scripts have them by their configuration. */
  #whole = null;
  #pages = null;

  printsToStdio() {
    return false;
  }

  onBegin(config, suite) {
    this.version = config.version;
    const { isSuite, mostWorkers } = known.job;
    if (isSuite) {
      void beginReport(config, suite).then((report) => (this.#whole = report));
      void beginHtmlReport(config, suite).then((report) => (this.#pages = report));
    }
    if (mostWorkers !== undefined && config.workers > mostWorkers) config.workers = mostWorkers; // a suite's own wish
    this.#count = suite.allTests().length;
  }

  onStdOut(text) {
    this.#write("INFO", text);
  }

  onStdErr(text) {
    this.#write("ERROR", text);
  }

  onError(error) {
    this.#whole?.onError?.(error);
    this.#pages?.onError?.(error);
    if (this.#errors.length < mostErrors) this.#errors.push({ ...this.#error(error), test: null, index: 0 });
  }

  onTestBegin(test, result) {
    this.#tries.push({ test, result, hasEnded: false });
    this.#tellSoon();
  }

  onTestEnd(test, result) {
    const ended = this.#tries.find((one) => one.result === result);
    if (ended !== undefined) ended.hasEnded = true;
    this.#tellSoon();
    const isLast = new Set(this.#tries.map((one) => one.test.id)).size === this.#count;
    if (!isLast && timeLeftMs() <= 0) process.emit("SIGINT"); // or each of the others would fail for want of time
  }

  onStepBegin() {
    this.#tellSoon();
  }

  onStepEnd() {
    this.#tellSoon();
  }

  async onEnd(result) {
    const { status } = result;
    clearTimeout(this.#timer);
    await this.#whole?.onEnd(result).catch(() => {}); // the disk is full: what is told below says more
    if (status !== "passed" || this.#tries.some(({ test }) => test.outcome() === "flaky")) await this.#pages?.onEnd(result).catch(() => {});
    if (known.job.isSuite) keepCompiled("runner"); // once this is told, the agent ends it
    this.#tell("", status);
  }

  #tellSoon() {
    this.#timer ??= setTimeout(() => {
      this.#pauseMs = Math.max(shortestPauseMs, this.#tell("so far ", "interrupted") / bytesPerMs);
      this.#timer = null;
    }, this.#pauseMs).unref();
  }

  /** @returns how many bytes it wrote */
  #tell(beginning, status) {
    const line = Buffer.from(
      `${beginning}${JSON.stringify({ status, version: this.version ?? "", ...this.#told(), output: this.#output })}\n`,
    );
    for (let at = 0; at < line.length; ) {
      try {
        at += writeSync(4, line, at);
      } catch (error) {
        if (error.code !== "EAGAIN") throw error;
      }
    }
    return line.length;
  }

  #told() {
    const [tests, steps, errors] = [new Map(), [], []];
    for (const { test, result, hasEnded } of this.#tries) {
      const before = tests.get(test.id);
      if (before === undefined && tests.size >= mostTests) continue;
      const at = before?.at ?? tests.size;
      tests.set(test.id, { at, told: this.#test(test, result, hasEnded, before?.told) });
      for (const [index, error] of result.errors.entries())
        if (errors.length < mostErrors) errors.push({ ...this.#error(error), test: at, retry: result.retry, index });
      this.#add(steps, result.steps, at, 0);
    }
    return { tests: [...tests.values()].map(({ told }) => told), steps, errors: [...errors, ...this.#errors].slice(0, mostErrors) };
  }

  #test(test, result, hasEnded, before) {
    const [, project, , ...titles] = test.titlePath();
    const startedAt = result.startTime.getTime();
    const attachments = result.attachments
      .slice(0, 50)
      .map(({ name, path: file, contentType }) => ({ name: cut(name, 200), path: cut(file, 2_000), contentType: cut(contentType, 200) }));
    return {
      id: test.id,
      title: cut(titles.join(" › "), 1_000),
      project: project === "" ? null : cut(project, 1_000),
      file: this.#file(test.location.file),
      line: test.location.line,
      status: hasEnded ? result.status : "interrupted",
      outcome: hasEnded ? test.outcome() : "unexpected",
      retry: result.retry,
      startedAt,
      durationMs: hasEnded ? Math.max(0, result.duration) : null,
      annotations: (result.annotations ?? test.annotations)
        .slice(0, 20)
        .map(({ type, description }) => ({ type: cut(type, 1_000), description: cut(description, 1_000) })),
      attachments: [...(before?.attachments ?? []), ...attachments],
      firstStartedAt: before?.firstStartedAt ?? startedAt,
    };
  }

  #add(told, steps, test, depth) {
    for (const step of steps) {
      if (told.length >= mostSteps) return;
      const isNoise = (step.category === "hook" || step.category === "fixture") && !step.error && step.steps.length === 0;
      if (isNoise) continue;
      told.push({
        title: cut(step.title, 1_000),
        category: cut(step.category, 50),
        test,
        depth,
        startedAt: step.startTime.getTime(),
        durationMs: step.duration === -1 ? null : Math.max(0, step.duration), // it is less where a clock was set back
        error: cut(step.error?.message ?? undefined, 10_000),
        location: this.#place(step.location),
      });
      if (depth < deepestStep) this.#add(told, step.steps, test, depth + 1);
    }
  }

  #error({ message, value, stack, location, snippet }) {
    const place = location ?? placeIn(stack);
    return {
      message: cut(message ?? value ?? "", 10_000),
      stack: cut(stack, 10_000),
      location: this.#place(place),
      snippet: cut(snippet ?? (place && codeAt(place)), 4_000),
    };
  }

  /** Null for what is ours, not the script's. */
  #place(location) {
    const file = location === undefined ? ".." : this.#file(location.file);
    return file.startsWith("..") ? null : { file, line: location.line, column: Math.max(1, location.column) };
  }

  #file(file) {
    return cut(path.relative(known.job.work, file), 1_000);
  }

  #write(level, text) {
    if (this.#output.length >= 2_000) return;
    this.#output.push({ time: Date.now(), level, msg: cut(text, 10_000) });
    this.#tellSoon();
  }
};

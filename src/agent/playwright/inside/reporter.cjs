"use strict";
const { writeSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");

const [mostSteps, deepestStep, mostErrors, mostTests] = [2_000, 6, 100, 200];
const cut = (text, most) => (text === undefined ? null : `${text}`.slice(0, most));

/** What the agent wants to know of a run, as one line of JSON on descriptor 4. Workers do not have that one. */
module.exports = class Reporter {
  #tests = [];
  #steps = [];
  #errors = [];
  #output = [];

  printsToStdio() {
    return false;
  }

  onBegin(config) {
    this.version = config.version;
  }

  onStdOut(text) {
    this.#write("INFO", text);
  }

  onStdErr(text) {
    this.#write("ERROR", text);
  }

  onError(error) {
    if (this.#errors.length < mostErrors) this.#errors.push({ ...this.#error(error), test: null, index: 0 });
  }

  /** One that hangs has no end. */
  onTestBegin(test, result) {
    if (!this.#tests.some(({ id }) => id === test.id)) this.#keep(test, { ...result, status: "interrupted" }, "unexpected");
  }

  onTestEnd(test, result) {
    const at = this.#keep(test, result, test.outcome());
    if (at === -1) return;
    result.errors.slice(0, mostErrors).forEach((error, place) => {
      if (this.#errors.length < mostErrors) this.#errors.push({ ...this.#error(error), test: at, retry: result.retry, index: place });
    });
    this.#add(result.steps, at, 0);
  }

  #keep(test, result, outcome) {
    const index = this.#tests.findIndex(({ id }) => id === test.id);
    const [, project, , ...titles] = test.titlePath();
    const told = {
      id: test.id,
      title: cut(titles.join(" › "), 1_000),
      project: project === "" ? null : cut(project, 1_000),
      file: this.#file(test.location.file),
      line: test.location.line,
      status: result.status,
      outcome,
      retry: result.retry,
      startedAt: result.startTime.getTime(),
      durationMs: Math.max(0, result.status === "interrupted" ? Date.now() - result.startTime.getTime() : result.duration),
      annotations: (result.annotations ?? test.annotations)
        .slice(0, 20)
        .map(({ type, description }) => ({ type: cut(type, 1_000), description: cut(description, 1_000) })),
      attachments: result.attachments
        .slice(0, 50)
        .map(({ name, path: file, contentType }) => ({ name: cut(name, 200), path: cut(file, 2_000), contentType: cut(contentType, 200) })),
    };
    const at = index === -1 ? this.#tests.length : index;
    if (at >= mostTests) return -1;
    const before = this.#tests[at];
    this.#tests[at] = {
      ...told,
      attachments: [...(before?.attachments ?? []), ...told.attachments],
      firstStartedAt: before?.firstStartedAt ?? told.startedAt,
    };
    return at;
  }

  onEnd({ status }) {
    const told = {
      status,
      version: this.version ?? "",
      tests: this.#tests,
      steps: this.#steps,
      errors: this.#errors,
      output: this.#output,
    };
    const line = Buffer.from(`${JSON.stringify(told)}\n`);
    for (let at = 0; at < line.length; ) {
      try {
        at += writeSync(4, line, at);
      } catch (error) {
        if (error.code !== "EAGAIN") throw error;
      }
    }
  }

  #add(steps, test, depth) {
    for (const step of steps) {
      if (this.#steps.length >= mostSteps) return;
      const isNoise = (step.category === "hook" || step.category === "fixture") && !step.error && step.steps.length === 0;
      if (isNoise) continue;
      this.#steps.push({
        title: cut(step.title, 1_000),
        category: cut(step.category, 50),
        test,
        depth,
        startedAt: step.startTime.getTime(),
        durationMs: Math.max(0, step.duration),
        error: cut(step.error?.message ?? undefined, 10_000),
        location: this.#place(step.location),
      });
      if (depth < deepestStep) this.#add(step.steps, test, depth + 1);
    }
  }

  #error({ message, value, stack, location, snippet }) {
    return {
      message: cut(message ?? value ?? "", 10_000),
      stack: cut(stack, 10_000),
      location: this.#place(location),
      snippet: cut(snippet, 4_000),
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
    if (this.#output.length < 2_000) this.#output.push({ time: Date.now(), level, msg: cut(text, 10_000) });
  }
};

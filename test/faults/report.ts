import type { Reporter, TestCase, TestModule } from "vitest/node";
import { cases } from "./cases.ts";

/** The report of `npm run test:faults`: each case, whether it is held, and by which tests; then what was not held. */
export default class FaultReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]).filter((test) => test.result().state !== "pending");
    const told = Object.entries(cases).map(([no, { what, without }]) => ({ no, what, ...verdict(no, tests, without) }));
    const broken = modules.flatMap((module) => module.errors().map(({ message }) => `${module.moduleId}: ${message}`));
    const failures = tests.flatMap((test) => (test.result().errors ?? []).map(({ message }) => `${test.fullName}\n    ${message}`));
    const count = (wanted: string): number => told.filter(({ mark }) => mark === wanted).length;
    const lines = [
      ...told.map(({ no, mark, what, by }) => `${no} ${mark.padEnd(7)}  ${what} | ${by}`),
      "",
      ...broken,
      ...failures,
      `${count("held")} held, ${count("BROKEN")} broken, ${count("not run")} not run`,
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  }
}

function verdict(no: string, tests: readonly TestCase[], without: string | undefined): { readonly mark: string; readonly by: string } {
  const its = tests.filter(({ fullName }) => fullName.includes(no));
  const ended = (state: string): number => its.filter((test) => test.result().state === state).length;
  if (ended("failed") > 0) return { mark: "BROKEN", by: `${ended("failed")} of ${its.length} tests failed` };
  if (ended("passed") > 0) {
    const files = [...new Set(its.map((test) => test.module.relativeModuleId))];
    return { mark: "held", by: `${ended("passed")} tests: ${files.join(", ")}` };
  }
  return { mark: "not run", by: without ?? "its tests were skipped here; each says why above" };
}

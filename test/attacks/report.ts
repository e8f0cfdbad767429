import type { Reporter, TestCase, TestModule } from "vitest/node";
import "./attack.ts";
import { type Case, cases as listed } from "./cases.ts";

/** The report of `npm run test:attacks`: attack, what held it, figure; then what did not hold. */
export default class AttackReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = modules.flatMap((module) => [...module.children.allTests()]);
    const isOfScripts = cases.some((test) => test.meta().attack?.point.startsWith("S") === true);
    const lines = [...cases.map(lineOf), ...(isOfScripts ? untried() : [])].toSorted((one, other) =>
      one.localeCompare(other, "en", { numeric: true }),
    );
    const ended = (state: string): number => cases.filter((test) => test.result().state === state).length;
    const broken = modules.flatMap((module) => module.errors().map(({ message }) => `${module.moduleId}: ${message}`));
    const failures = cases.flatMap((test) => (test.result().errors ?? []).map(({ message }) => `${test.fullName}\n    ${message}`));
    const skips = cases.filter((test) => test.result().state === "skipped").length;
    const text = [
      ...lines,
      "",
      ...broken,
      ...failures,
      `${ended("passed")} passed, ${ended("failed") + broken.length} failed, ${skips} skipped`,
    ];
    process.stdout.write(`${text.join("\n")}\n`);
  }
}

/** Cases that no test tries, with the reason. */
function untried(): string[] {
  const all: readonly (readonly [string, Case])[] = Object.entries(listed);
  return all.flatMap(([point, { what, without }]) => (without === undefined ? [] : `${point.padEnd(4)} none  ${what} | ${without}`));
}

const marks = { passed: "held", failed: "NOT HELD", skipped: "skipped", pending: "not run" } as const;

function lineOf(test: TestCase): string {
  const { attack } = test.meta();
  const mark = marks[test.result().state];
  if (attack === undefined) return `     ${mark}  ${test.fullName.slice(0, 160)}`;
  const { point, attack: title, heldBy = "-", figure = "" } = attack;
  return `${point.padEnd(4)} ${mark}  ${title} | ${heldBy}${figure === "" ? "" : ` | ${figure}`}`;
}

import { describe, expect, it } from "vitest";
import { testCommand } from "#domain/test-command.ts";

describe("the command of a suite", () => {
  it.each([
    ["npx playwright test", []],
    ["  npx   playwright test  ", []],
    ["playwright test tests/a.spec.ts", ["tests/a.spec.ts"]],
    ["pnpm exec playwright test --project=chromium", ["--project=chromium"]],
    ["yarn playwright test -c e2e.config.ts", ["-c", "e2e.config.ts"]],
    ["bunx playwright test", []],
    ["npm exec -- playwright test --grep @smoke", ["--grep", "@smoke"]],
    ["npx playwright test --grep 'pays by card'", ["--grep", "pays by card"]],
    ['npx playwright test --grep "pays \\"by\\" card"', ["--grep", 'pays "by" card']],
    ["npx playwright test --grep 'a|b (c) $d'", ["--grep", "a|b (c) $d"]],
    ["npx playwright test a\\ b", ["a b"]],
    ["npx playwright test issue#12 mail@example.com", ["issue#12", "mail@example.com"]],
    ["./node_modules/.bin/playwright test", []],
  ])("%s is read as a shell would", (text, words) => {
    expect(testCommand(text)).toEqual({ words });
  });

  it.each(
    [
      "npx playwright test | tee log",
      "npx playwright test && echo done",
      "npx playwright test; true",
      "npx playwright test > log",
      "npx playwright test $GREP",
      'npx playwright test "$GREP"',
      "npx playwright test `date`",
      "npx playwright test tests/*.spec.ts",
      "npx playwright test\\n",
      "npx playwright test\nrm -rf .",
      "npx playwright test 'open",
      "npx playwright show-report",
      "npx playwright",
      "npx cypress run",
      "sudo npx playwright test",
      "CI=1 npx playwright test",
      "",
      "   ",
    ].filter((text) => !text.endsWith("\\n")),
  )("%j is refused with what is allowed", (text) => {
    expect(testCommand(text)).toEqual({ problem: expect.stringMatching(/^it must be "npx playwright test" or the like.*; received "/s) });
  });

  it.each(["--ui", "--headed", "--debug", "--ui-port=8080"])("%s needs a screen", (option) => {
    expect(testCommand(`npx playwright test ${option}`)).toEqual({
      problem: `${option} needs a screen, and agents have none: leave it out`,
    });
  });
});

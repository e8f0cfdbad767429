import { describe, expect, it } from "vitest";
import { type SuiteFlags, suiteOptions } from "../../src/suites-cli/suite-options.ts";

const none: SuiteFlags = {
  name: null,
  id: null,
  location: null,
  every: null,
  projects: [],
  grep: null,
  testCommand: null,
  installCommand: null,
  workingDir: null,
  engine: null,
  env: [],
  secrets: [],
  include: [],
};

describe("options of a suite", () => {
  it("leave to the check what nobody says", () => {
    expect(suiteOptions(none, {})).toMatchObject({ frequency: null, testCommand: null, locations: [], variables: [], namesConfig: false });
  });

  it.each([
    ["1m", 1],
    ["10", 10],
    ["60m", 60],
    ["2h", 120],
    ["1d", 1440],
  ])("every %s is %d minutes", (every, frequency) => {
    expect(suiteOptions({ ...none, every }, {}).frequency).toBe(frequency);
  });

  it.each<[string, Partial<SuiteFlags>, string, boolean]>([
    ["--grep", { grep: "@smoke" }, "npx playwright test --grep=@smoke", false],
    ["--grep with a quote and a space", { grep: "it's me" }, "npx playwright test --grep='it'\\''s me'", false],
    ["several --project", { projects: ["a", "b c"] }, "npx playwright test --project=a --project='b c'", false],
    [
      "a command of their own",
      { testCommand: "pnpm exec playwright test -c e2e.config.ts", grep: "x" },
      "pnpm exec playwright test -c e2e.config.ts --grep=x",
      true,
    ],
    [
      "a configuration of their own",
      { testCommand: "npx playwright test --config=e2e.config.ts" },
      "npx playwright test --config=e2e.config.ts",
      true,
    ],
  ])("make a test command of %s", (_title, flags, testCommand, namesConfig) => {
    expect(suiteOptions({ ...none, ...flags }, {})).toMatchObject({ testCommand, namesConfig });
  });

  it("set variables, and take secrets from the environment", () => {
    const flags = { ...none, env: ["BASE_URL=https://a.example/?b=c", "EMPTY="], secrets: ["TOKEN"], location: "berlin, eu-west-1" };
    expect(suiteOptions(flags, { TOKEN: "d5f0" })).toMatchObject({
      locations: ["berlin", "eu-west-1"],
      variables: [
        { key: "BASE_URL", value: "https://a.example/?b=c", secret: false },
        { key: "EMPTY", value: "", secret: false },
        { key: "TOKEN", value: "d5f0", secret: true },
      ],
    });
  });

  it.each<[Partial<SuiteFlags>, RegExp]>([
    [{ every: "7m" }, /^--every must be one of 1m, 2m, .*12h, 24h; received 7m$/],
    [{ every: "soon" }, /^--every must be one of/],
    [{ engine: "deno" }, /^--engine must be node or bun; received deno$/],
    [{ id: "" }, /^--id must have 1 to 200 characters$/],
    [{ env: ["TOKEN"] }, /^--env must be KEY=VALUE; received TOKEN\./],
    [{ env: ["1A=secret-value"] }, /^--env: a name must be letters/],
    [{ secrets: ["TOKEN=a"] }, /^--secret must be the name of a variable of your environment, without its value/],
    [{ secrets: ["NOT_SET"] }, /^--secret NOT_SET: the environment has no NOT_SET/],
    [{ grep: "a\nb" }, /^--grep must be one line/],
    [{ projects: [""] }, /^--project must be one line/],
  ])("%o are refused", (flags, message) => {
    expect(() => suiteOptions({ ...none, ...flags }, {})).toThrow(message);
  });
});

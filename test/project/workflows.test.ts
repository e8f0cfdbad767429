import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly steps?: readonly Step[];
  readonly uses?: string;
}

interface Workflow {
  readonly on?: object;
  readonly permissions?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = ".github/workflows";
const texts: readonly (readonly [string, string])[] = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
const ci = texts.find(([name]) => name === "ci.yml")?.[1] ?? "";

/** What would let somebody else decide what runs here, or give a job more than it needs. */
function problemsOf(name: string, text: string): string[] {
  const workflow = parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs);
  return [
    ...lines(text).map((line) => `${name}: ${line}: pin it by its full commit and say the version behind it`),
    ...(JSON.stringify(workflow.permissions) === "{}" ? [] : [`${name}: permissions must be {} for the workflow; each job names its own`]),
    ...("pull_request_target" in (workflow.on ?? {}) ? [`${name}: pull_request_target runs foreign code with our rights`] : []),
    ...jobs.flatMap(([job, body]) => jobProblems(`${name}: ${job}`, body)),
    ...(text.includes("secrets: inherit") ? [`${name}: secrets are named, not inherited`] : []),
    ...runs(jobs).flatMap((run) =>
      [...run.matchAll(/\$\{\{[^}]*\}\}/g)].map(([found]) => `${name}: ${found} in a script can be code; give it as a variable`),
    ),
  ];
}

function lines(text: string): string[] {
  const uses = text.split("\n").filter((line) => /^\s*(- )?uses:/.test(line));
  return uses.filter((line) => !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/.test(line)).map((line) => line.trim());
}

function jobProblems(name: string, { permissions, steps = [], ...job }: Job): string[] {
  const writes = Object.entries(permissions ?? {}).filter(([, right]) => right === "write");
  const allowed = ["attestations", "contents", "id-token", "packages"];
  return [
    ...(permissions === undefined ? [`${name} must name its permissions`] : []),
    ...writes.filter(([scope]) => !allowed.includes(scope)).map(([scope]) => `${name} writes ${scope}`),
    ...(job["timeout-minutes"] === undefined ? [`${name} must have timeout-minutes`] : []),
    ...steps.filter((step) => (step.uses === undefined) === (step.run === undefined)).map(() => `${name}: a step has either uses or run`),
  ];
}

function runs(jobs: readonly (readonly [string, Job])[]): string[] {
  return jobs.flatMap(([, { steps = [] }]) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])));
}

describe("the workflows", () => {
  it.each(texts)("%s pins every action, and gives each job only what it needs", (name, text) => {
    expect(problemsOf(name, text)).toEqual([]);
  });

  it("use one commit for each action, and name it by one version", () => {
    const used = texts.flatMap(([, text]) => [...text.matchAll(/uses: ([\w./-]+)@([0-9a-f]{40}) # (v[\d.]+)/g)]);
    const pins = new Map<string, Set<string>>();
    for (const [, action = "", commit, version] of used) pins.set(action, (pins.get(action) ?? new Set()).add(`${commit} ${version}`));
    expect([...pins].filter(([, found]) => found.size > 1)).toEqual([]);
    expect(pins.size).toBeGreaterThan(5);
  });

  it("call scripts that are there", () => {
    const called = texts.flatMap(([, text]) => [...text.matchAll(/(?<=^|\s)\.ci\/[\w.-]+/g)].map(([path]) => path));
    expect(new Set(called)).toEqual(new Set([".ci/run", ".ci/release", ".ci/chart-tools"]));
    expect([...new Set(called)].filter((path) => !readdirSync(".ci").includes(path.slice(4)))).toEqual([]);
  });

  it("name no registry: the repository's variable does", () => {
    const hosts = texts.flatMap(([, text]) =>
      [...text.matchAll(/\b(ghcr\.io|docker\.io|quay\.io|gcr\.io|\w+\.azurecr\.io)\b/g)].map(([host]) => host),
    );
    expect(hosts).toEqual([]);
  });

  it.each([
    [
      "a tag instead of a commit",
      (text: string) => text.replace(/actions\/checkout@\S+/, "actions/checkout@v6"),
      "pin it by its full commit",
    ],
    ["a commit without its version", (text: string) => text.replace(" # v6.0.2", ""), "pin it by its full commit"],
    ["permissions for all jobs", (text: string) => text.replace("permissions: {}", "permissions: write-all"), "permissions must be {}"],
    [
      "a job without permissions",
      (text: string) => text.replace(/    permissions:\n      contents: read\n/, ""),
      "check must name its permissions",
    ],
    ["a right that no job needs", (text: string) => text.replace("contents: read", "actions: write"), "check writes actions"],
    ["foreign code with our rights", (text: string) => text.replace("pull_request:", "pull_request_target:"), "foreign code"],
    ["a job without a limit", (text: string) => text.replace("    timeout-minutes: 60\n", ""), "check must have timeout-minutes"],
    [
      "a title of a pull request as code",
      (text: string) => text.replace("- run: .ci/run", "- run: echo ${{ github.event.pull_request.title }}"),
      "can be code",
    ],
  ])("would be refused with %s", (_what, change, problem) => {
    expect(change(ci)).not.toBe(ci);
    expect(problemsOf("ci.yml", change(ci)).join("\n")).toContain(problem);
  });
});

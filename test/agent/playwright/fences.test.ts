import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import type { FenceTest } from "../../../src/agent/playwright/self-test.ts";
import { tries } from "../../attacks/cases.ts";
import { runtimesFolder } from "../../support/playwright-runtime.ts";
import { attacked } from "./attacked-fences.ts";
import { missing } from "./engine-under-test.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stdout.write("fences of an agent that root started are not attacked: this is not root\n");

/** An agent's part that attacks its fences, started as a user that owns nothing and has no power. */
async function attackedUnprivileged(): Promise<FenceTest> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-fences-"));
  chmodSync(folder, 0o777);
  const words = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(import.meta.dirname, "fences-child.ts"), folder];
  const powerless = ["--reuid", "65532", "--regid", "65532", "--clear-groups", "--bounding-set=-all", "--no-new-privs"];
  const [program, ...args] = isRoot ? ["setpriv", ...powerless, process.execPath, ...words] : [process.execPath, ...words];
  try {
    const env = { PATH: "/usr/bin:/bin", OUTPOST_TEST_RUNTIMES: runtimesFolder };
    const { stdout } = await promisify(execFile)(program ?? "", args, { env });
    return JSON.parse(stdout) as FenceTest;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const started = [...(isRoot ? (["as root"] as const) : []), "without any power"] as const;

describe.skipIf(missing !== null).each(started)("fences of a tree, the agent started %s", (how) => {
  let test: FenceTest;
  beforeAll(async () => {
    test = how === "as root" ? await attacked() : await attackedUnprivileged();
  });

  it("withstand every attack of a script, and open a page", tries("S1", "13 of 13 refused by Landlock and filter"), () => {
    const { problem, browserProblem, holdsEgress, answer } = test;
    expect([problem, browserProblem]).toEqual([null, null]);
    expect(holdsEgress).toBe(true);
    expect(Object.keys(answer?.refused ?? {})).toHaveLength(13);
    expect(Object.values(answer?.refused ?? {})).not.toContain(false);
  });

  it("withstand what takes over the browser", tries("S2", "7 of 7 refused by the inner fence, 0 of 7 without it"), () => {
    const { answer } = test;
    expect(Object.values(answer?.fenced ?? {})).toEqual(Array.from({ length: 7 }, () => true));
    expect(Object.values(answer?.unfenced ?? {})).toEqual(Array.from({ length: 7 }, () => false)); // or the inner fence proved nothing
  });
});

it.skipIf(missing !== null)(
  "fences open a page where the data lie in a checkout, whose settings of programs are closed to them",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-checkout-"));
    for (const name of ["package.json", "tsconfig.json"]) writeFileSync(join(folder, name), '{ "type": "module" }');
    const { problem, browserProblem } = await attacked(folder);
    expect([problem, browserProblem]).toEqual([null, null]);
  },
);

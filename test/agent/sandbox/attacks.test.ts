import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Attacked, untouched } from "./attacked.ts";
import { attacks } from "./attacks.ts";
import { reachableLevels, SandboxUnderTest } from "./sandbox-under-test.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`attacks on the sandbox are skipped at ${limitation}\n`);

let attacked: Attacked;
beforeAll(async () => {
  attacked = await Attacked.start();
});
afterAll(() => attacked[Symbol.asyncDispose]());

describe.each(levels)("at level %d", (level) => {
  let tested: SandboxUnderTest;
  beforeAll(async () => {
    tested = await SandboxUnderTest.start({ highest: level });
  });
  afterAll(() => tested[Symbol.asyncDispose]());

  it.each(attacks)("a script that $title is refused ($id)", async ({ code, withstood }) => {
    expect(await tested.said(code, { env: attacked.aims })).toMatch(withstood);
    expect(attacked.state()).toEqual(untouched);
  });

  it("the script of another check sees nothing of what one changed (B-15)", async () => {
    const poison = `require("semver").valid = () => "yes"; Object.prototype.poisoned = "yes"; Array.prototype.map = () => "yes"; globalThis.left = "yes"; process.env.LEFT = "yes";`;
    expect((await tested.run(poison)).failure).toBeNull();
    const look = `request.body = [({}).poisoned, globalThis.left, process.env.LEFT, require("semver").valid("x"), [1].map(String)].join()`;
    expect(await tested.said(look)).toBe(",,,,1");
  });

  it("a poisoned prototype does not reach this process (B-15)", async () => {
    const { request, env, failure } = await tested.run(
      `request.headers = JSON.parse('{"__proto__": "evil", "constructor": "evil"}'); process.env.__proto__ = "evil";`,
    );
    expect(failure).toBeNull();
    expect(({} as Record<string, unknown>)["evil"]).toBeUndefined();
    expect(Object.getPrototypeOf(request.headers)).toBeNull();
    expect(Object.getPrototypeOf(env)).toBeNull();
    expect(request.headers["constructor"]).toBe("evil");
  });
});

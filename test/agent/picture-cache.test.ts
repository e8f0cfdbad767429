import { describe, expect, it } from "vitest";
import { jobBaselines } from "../../src/agent/contact/job-baselines.ts";
import { PictureCache } from "../../src/agent/contact/picture-cache.ts";
import type { LeasedJob } from "../../src/contract/agent-protocol.ts";

describe("pictures to compare with", () => {
  it("are fetched once, until another one takes their place", async () => {
    let asked = 0;
    const controlPlane = { once: (): Promise<never> => Promise.resolve({ data: `picture ${(asked += 1)}` } as never) };
    const pictures = new PictureCache();
    const of = (checkId: string) => jobBaselines(controlPlane, pictures, { jobId: "1", fence: 1, payload: { checkId } } as LeasedJob);
    const { signal } = new AbortController();
    const read = (checkId: string, writtenAt?: number) => of(checkId).read({ browser: 156, name: "a.png", writtenAt }, signal);
    expect([await read("shop", 1), await read("shop", 1), await read("shop", 2), await read("other", 1)]).toEqual([
      "picture 1",
      "picture 1",
      "picture 2",
      "picture 3",
    ]);
    expect([await read("shop"), await read("shop")]).toEqual(["picture 4", "picture 5"]); // of a control plane that does not say when
  });

  it("that were used longest ago go where there are too many", async () => {
    const pictures = new PictureCache(10);
    const get = (key: string, picture = "12345"): Promise<string> =>
      pictures.get(key, () => Promise.resolve(`fetched ${picture}`.slice(-5)));
    await get("a", "aaaaa");
    await get("b", "bbbbb");
    await get("a");
    await get("c", "ccccc");
    expect([await get("a", "anew!"), await get("b", "bnew!")]).toEqual(["aaaaa", "bnew!"]);
    expect(await pictures.get("large", () => Promise.resolve("x".repeat(11)))).toHaveLength(11);
    expect(await get("b", "again")).toBe("again");
  });
});

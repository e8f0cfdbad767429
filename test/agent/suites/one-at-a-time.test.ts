import { describe, expect, it } from "vitest";
import { OneAtATime } from "../../../src/agent/suites/one-at-a-time.ts";

const never = new AbortController().signal;

describe("what many want at the same time", () => {
  it("is made once", async () => {
    const [kept, once] = [new Map<string, string>(), new OneAtATime<string>()];
    let made = 0;
    const get = () =>
      once.get(
        "a",
        async () => kept.get("a") ?? null,
        async () => {
          made += 1;
          await new Promise((done) => setTimeout(done, 20));
          kept.set("a", "whole");
          return "whole";
        },
        never,
      );
    expect(await Promise.all([get(), get(), get()])).toEqual(["whole", "whole", "whole"]);
    expect(made).toBe(1);
  });

  it("is made by the next one where the first gives up, and who is cancelled waits no longer", async () => {
    const once = new OneAtATime<string>();
    const first = Promise.withResolvers<string>();
    const none = async (): Promise<string | null> => null;
    const [one, two] = [once.get("a", none, () => first.promise, never), once.get("a", none, async () => "by the second", never)];
    const leaving = new AbortController();
    const three = once.get("a", none, async () => "by the third", leaving.signal);
    leaving.abort(new Error("cancelled"));
    await expect(three).rejects.toThrow("cancelled");
    first.reject(new Error("the first was cancelled"));
    await expect(one).rejects.toThrow("the first was cancelled");
    expect(await two).toBe("by the second");
  });
});

import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { packedPage } from "../../../src/control-plane/http/packed-page.ts";

const token = "tU9pXk3vQ0sZr7LwYd5eMnB2";

describe("a packed page", () => {
  it.each([
    { name: "nothing apart", body: "<p>one</p>".repeat(500), apart: [] },
    { name: "a token", body: `<p>${token}</p>${"row ".repeat(3_000)}<i>${token}</i>`, apart: [token] },
    { name: "only a token", body: token, apart: [token] },
    { name: "two texts, one of them beside the other", body: `a${token}${token}ßeta→b`, apart: [token, "ßeta→", ""] },
    { name: "a text longer than a stored block", body: `x${"é".repeat(70_000)}y`, apart: ["é".repeat(70_000)] },
    { name: "nothing", body: "", apart: [token] },
  ])("is what it was once it is unpacked: $name", async ({ body, apart }) => {
    expect(gunzipSync(await packedPage(body, apart)).toString()).toBe(body);
  });

  it("is as long whatever somebody guesses of the token; with the token among the rest a right guess is shorter", async () => {
    const lengthWith = async (guess: string, apart: readonly string[]): Promise<number> =>
      (await packedPage(`<input value="${guess}">${"<p>row</p>".repeat(200)}<input name="csrf" value="${token}">`, apart)).length;
    const wrong = "aZ4bY8cX1dW6eV2fU7gT3hS9";
    expect(await lengthWith(token.slice(0, 20) + wrong.slice(20), [])).toBeLessThan(await lengthWith(wrong, []));
    const guesses = [token.slice(0, 6), token.slice(0, 12), token.slice(0, 20)].map((right) => right + wrong.slice(right.length));
    // Each guess alone is compressed as any other text of its letters is: so what differs is the guess, and not the token.
    const without = async (guess: string): Promise<number> =>
      (await packedPage(`<input value="${guess}">${"<p>row</p>".repeat(200)}<input name="csrf" value="`, [])).length;
    const costs = await Promise.all([wrong, ...guesses].map(async (guess) => (await lengthWith(guess, [token])) - (await without(guess))));
    expect(new Set(costs).size).toBe(1);
  });

  it("holds the token as it is, however often", async () => {
    const secret = randomBytes(32).toString("base64url");
    const packed = await packedPage(`${"a".repeat(5_000)}${secret}${"b".repeat(5_000)}${secret}`, [secret]);
    expect(packed.toString("latin1").split(secret)).toHaveLength(3);
  });
});

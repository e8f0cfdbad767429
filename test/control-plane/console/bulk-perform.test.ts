import { expect, it } from "vitest";
import { AppError } from "#domain/app-error.ts";
import { type PerformDeps, perform } from "../../../src/control-plane/console/bulk/perform.ts";
import type { Visit } from "../../../src/control-plane/console/visit.ts";

const ids = ["a", "b", "c", "d"];
const visit = {} as Visit; // passed on and not looked at: it deletes

/** Deletes, each in 4 s; what is thrown stands in for what the operation throws. */
function deps(thrown: Readonly<Record<string, AppError>> = {}, secondsEach = 0): PerformDeps & { readonly asked: string[] } {
  const asked: string[] = [];
  let atMs = 0;
  const ask = async (_visit: Visit, _operation: unknown, given?: { readonly params?: Readonly<Record<string, string>> }) => {
    const id = given?.params?.["id"] ?? "";
    atMs += secondsEach * 1_000;
    asked.push(id);
    const error = thrown[id];
    if (error !== undefined) throw error;
  };
  return { asked, ask: ask as PerformDeps["ask"], checks: { muteUntil: async () => [] }, nowMs: () => 0, monotonicMs: () => atMs };
}

it("one check that is refused holds up no other", async () => {
  const refused = new AppError("not_found", "no such check");
  const outcome = await perform(deps({ b: refused }), visit, { name: "delete", value: "", text: "" }, ids);
  expect(outcome).toEqual({
    changed: ["a", "c", "d"],
    unchanged: 0,
    refused: [{ id: "b", why: "no such check" }],
    left: [],
    trouble: null,
  });
});

it("a store that gives out ends it: what was done is told, and what is left", async () => {
  const away = new AppError("unavailable", "the database cannot answer now");
  const of = deps({ c: away });
  const outcome = await perform(of, visit, { name: "delete", value: "", text: "" }, ids);
  expect(outcome).toMatchObject({ changed: ["a", "b"], refused: [], left: ["c", "d"], trouble: "the database cannot answer now" });
  expect(of.asked).toEqual(["a", "b", "c"]);
});

it("after 15 seconds of a clock that nobody sets the rest is left", async () => {
  expect(await perform(deps({}, 6), visit, { name: "delete", value: "", text: "" }, ids)).toMatchObject({
    changed: ["a", "b", "c"],
    left: ["d"],
    trouble: null,
  });
});

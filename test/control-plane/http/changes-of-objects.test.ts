import { expect, it } from "vitest";
import { z } from "zod";
import type { Operation } from "#contract/operation.ts";
import { handler } from "../../../src/control-plane/http/handler.ts";
import { changeReader } from "../../../src/control-plane/http/read-changes.ts";
import { logOf } from "../../agent/agent-under-test.ts";

const shape = {
  path: "/things/:id",
  tag: "T",
  summary: "s",
  rateLimit: "none",
  params: z.object({ id: z.string() }),
  successStatus: 200,
} as const;
const output = z.object({ name: z.string() });
const read = { ...shape, id: "readThing", method: "GET", access: "read", output } as const satisfies Operation;
const update = { ...shape, id: "updateThing", method: "PUT", access: "write", output } as const satisfies Operation;

/** What the reader says of a change, whose object its GET answers so: once before the change, once after it. */
async function changesWith(answers: readonly (() => Promise<{ name: string }>)[]) {
  const { log, lines } = logOf();
  let asked = 0;
  const handlers = [handler(read, async () => (answers[asked++] ?? (() => Promise.reject(new Error("asked too often"))))())];
  const afterChange = await changeReader(handlers, log)(update, { id: "1" }, {});
  return { changes: await afterChange(), lines };
}

const named = (name: string) => async () => ({ name });

it("tells what differs before and after", async () => {
  const { changes, lines } = await changesWith([named("Orders"), named("Baskets")]);
  expect(changes).toEqual([{ field: "name", before: "Orders", after: "Baskets", isHidden: false }]);
  expect(lines).toEqual([]);
});

it("does not fail a change that is done where the object cannot be read after it, and says so", async () => {
  const { changes, lines } = await changesWith([named("Orders"), () => Promise.reject(new Error("disk full"))]);
  expect(changes).toEqual([]);
  expect(lines).toMatchObject([{ operation: "updateThing", err: { message: "disk full" } }]);
});

it("fails before the change where the object cannot be read before it", async () => {
  await expect(changesWith([() => Promise.reject(new Error("disk full"))])).rejects.toThrow("disk full");
});

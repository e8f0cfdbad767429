import { expect, it } from "vitest";
import { nearest, type RunElsewhere } from "../../../src/control-plane/console/result/elsewhere.ts";

const run = (id: string, runLocation: string, checkRunId: number, hasFailures = false): RunElsewhere => ({
  id,
  runLocation,
  checkRunId,
  hasFailures,
  hasErrors: false,
  isDegraded: false,
  resultType: "FINAL",
  isCancelled: false,
});

it("finds the run of each other location that is nearest in time, before or after", () => {
  const runs = [run("p3", "paris", 190), run("l2", "lyon", 160), run("b1", "berlin", 101), run("p2", "paris", 120), run("l1", "lyon", 50)];
  expect(nearest(runs, "berlin", 100).map(({ id }) => id)).toEqual(["l1", "p2"]);
  expect(nearest(runs, "lyon", 100).map(({ id }) => id)).toEqual(["b1", "p2"]);
  expect(nearest([], "berlin", 100)).toEqual([]);
});

import { expect, it } from "vitest";
import { matchesTags } from "#domain/tags.ts";

it.each([
  [[["a"]], ["a", "b"], true],
  [[["a", "b"]], ["a"], false],
  [[["a", "b"]], ["b", "a"], true],
  [[["x"], ["a"]], ["a"], true],
  [[["!a"]], ["b"], true],
  [[["!a"]], ["a"], false],
  [[["b", "!a"]], ["b"], true],
  [[], ["a"], false],
  [[[]], [], true],
])("%j on %j: %s", (matchTags, tags, expected) => {
  expect(matchesTags(matchTags, tags)).toBe(expected);
});

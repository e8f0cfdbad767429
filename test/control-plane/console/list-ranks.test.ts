import { expect, it } from "vitest";
import { filterOf } from "../../../src/control-plane/console/overview/filter.ts";
import { listingOf } from "../../../src/control-plane/console/overview/listing.ts";
import { sectionsOf } from "../../../src/control-plane/console/overview/sections.ts";
import type { IndexedCheck } from "../../../src/control-plane/storage/storage.ts";

const nowMs = Date.parse("2026-09-15T12:00:00Z");
let id = 0;
const check = (name: string, status: "passing" | "degraded" | "failing", changes: Partial<IndexedCheck> = {}): IndexedCheck => ({
  id: (id += 1),
  uuid: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
  type: "API",
  name,
  activated: true,
  muted: false,
  mutedUntilMs: null,
  tags: [],
  searched: name.toLowerCase(),
  groupName: null,
  ofGroup: null,
  latest: { status, startedAtMs: nowMs - 60_000, sslDaysRemaining: null },
  totals: { passed: 0, degraded: 0, failed: 0, responseTimeMs: 0 },
  ...changes,
});
const checks = [
  check("Always muted", "failing", { muted: true }),
  check("Basket", "failing"),
  check("Cart, muted for a while", "failing", { mutedUntilMs: nowMs + 1_000 }),
  check("Door, no longer muted", "failing", { mutedUntilMs: nowMs - 1_000 }),
  check("Eggs, slow and muted", "degraded", { muted: true }),
  check("Fish, slow", "degraded"),
  check("Gate, muted", "passing", { muted: true }),
  check("Hall", "passing"),
];
const expected = ["Basket", "Door", "Always muted", "Cart", "Fish", "Eggs", "Gate", "Hall"];
const names = (found: readonly IndexedCheck[]) => found.map(({ name }) => name.split(",")[0]);

it("lists what is muted after what is as bad and alerts, and passing checks by name alone", () => {
  expect(names(listingOf(checks, filterOf(new URLSearchParams()), nowMs).chosen)).toEqual(expected);
});

it("does so within sections, too", () => {
  const facts = { figures: new Map(), places: new Map(), troubles: new Map() };
  const { sections } = sectionsOf(checks, filterOf(new URLSearchParams({ by: "type" })), nowMs, facts);
  expect(names(sections[0]?.rows ?? [])).toEqual(expected);
});

it("counts it as failing all the same", () => {
  expect(listingOf(checks, filterOf(new URLSearchParams()), nowMs).counts.get("failing")).toBe(4);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spanIdOf, traceContextOf, traceIdOfRun, traceparentOf } from "../../src/domain/trace-context.ts";

const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: length, maxLength: length })
    .filter((text) => !/^0+$/.test(text));

describe("trace context", () => {
  it("comes back from its header as it went", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const context = { traceId, spanId, isSampled };
        expect(traceContextOf(traceparentOf(context))).toEqual(context);
      }),
    );
  });

  it.each([
    undefined,
    "",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
  ])("is not read out of %s", (header) => {
    expect(traceContextOf(header)).toBeNull();
  });

  it("reads a version to come, whose further parts it does not know, and further flags", () => {
    const seen = traceContextOf("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03-what-will-be");
    expect(seen).toEqual({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: true });
    expect(traceContextOf("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02")?.isSampled).toBe(false);
  });

  it("has ids of W3C's form that are the same whoever makes them, and others for other runs", () => {
    const ids = Array.from({ length: 100 }, (_, nth) => traceIdOfRun(`00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`));
    expect(ids.every((id) => /^[\da-f]{32}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(100);
    expect(traceIdOfRun("one")).toBe(traceIdOfRun("one"));
    expect(spanIdOf("job", "attempt 1")).toMatch(/^[\da-f]{16}$/);
    expect(spanIdOf("job", "attempt 1")).not.toBe(spanIdOf("job", "attempt 2"));
  });
});

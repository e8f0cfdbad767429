import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasCode } from "../../src/domain/app-error.ts";
import { closestFrequency, durationMs } from "../../src/importers/durations.ts";
import { importers } from "../../src/importers/importers.ts";
import { allowStatuses } from "../../src/importers/status-assertions.ts";
import { sound } from "./imported-support.ts";

/** Fields of every kind of file, so that random documents reach far into the readers. */
const names = [
  "openapi",
  "paths",
  "/x",
  "get",
  "parameters",
  "in",
  "name",
  "required",
  "example",
  "servers",
  "url",
  "security",
  "responses",
  "200",
  "modules",
  "m",
  "prober",
  "http",
  "tcp",
  "dns",
  "headers",
  "valid_status_codes",
  "query_response",
  "validate_answer_rrs",
  "basic_auth",
  "scrape_configs",
  "params",
  "module",
  "static_configs",
  "targets",
  "labels",
  "scrape_interval",
  "timeout",
  "query_type",
  "endpoints",
  "conditions",
  "interval",
  "client",
  "body",
  "group",
  "external-endpoints",
  "heartbeat",
  "query-type",
  "type",
  "hostname",
  "keyword",
  "jsonPath",
  "accepted_statuscodes",
];
const words = [
  "3.0.0",
  "https://a.example",
  "a.example:25",
  "http",
  "tcp",
  "dns",
  "icmp",
  "m",
  "A",
  "5s",
  "60s",
  "true",
  "path",
  "query",
  "[STATUS] == 200",
  "[BODY].a == any(b)",
  "len([BODY]) > 0",
  "[CERTIFICATE_EXPIRATION] > 48h",
  "tcp://a:1",
  "icmp://a",
  "tls://a:1",
  "(",
];
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 6, depthSize: "medium" },
    fc.constantFrom(...words),
    fc.string({ maxLength: 30 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("node"), { maxKeys: 6 }),
  ),
}));

describe.each(Object.entries(importers))("the importer %s", (_name, { read, title }) => {
  it("says what it reads", () => {
    expect(title).toMatch(/^[a-z]/);
  });

  /** What became of a text; anything but the two outcomes is thrown. */
  const outcome = (text: string): "sound" | "refused" => {
    try {
      sound(read(text));
      return "sound";
    } catch (error) {
      if (hasCode(error, "invalid_input")) return "refused";
      throw error;
    }
  };

  it("makes sound checks of any document, or refuses it", () => {
    const api = { openapi: "3.0.0", servers: [{ url: "https://a.example" }] };
    fc.assert(
      fc.property(node, node, node, (one, two, three) => {
        const job = { params: { module: "m" }, static_configs: [{ targets: ["a.example:1", two] }] };
        const files = [
          { ...api, paths: { "/x": one, "/y": { get: two } }, components: three },
          { modules: { m: one }, scrape_configs: [job, three] },
          { endpoints: [one, { name: "e", url: "https://a.example", conditions: two, client: three }] },
          { monitorList: [one, { type: "http", url: "https://a.example", headers: two, parent: 1, tags: three }] },
          one,
        ];
        for (const file of files) expect(outcome(JSON.stringify(file))).toMatch(/sound|refused/);
      }),
      { numRuns: 100 },
    );
  });

  it("makes sound checks of any text, or refuses it", () => {
    const word = fc.oneof(fc.constantFrom("curl", "-H", "-d", "--json", "'", '"', "$'", "\\", "\n", "$", "${A}", "|", "-u"), fc.string());
    fc.assert(
      fc.property(fc.array(word), (parts) => {
        expect(outcome(`curl https://a.example ${parts.join(" ")}`)).toMatch(/sound|refused/);
      }),
      { numRuns: 200 },
    );
  });
});

describe("durations", () => {
  it.each([
    ["1m30s", 90_000],
    ["500ms", 500],
    ["1.5h", 5_400_000],
    ["2d", 172_800_000],
    ["10", undefined],
    ["", undefined],
    ["1m x", undefined],
  ])("%j", (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  it.each([
    [1000, { frequency: 0, frequencyOffset: 10 }, false],
    [15_000, { frequency: 0, frequencyOffset: 10 }, false],
    [60_000, { frequency: 1 }, true],
    [240_000, { frequency: 5 }, false],
    [86_400_000, { frequency: 1440 }, true],
    [1e12, { frequency: 1440 }, false],
  ])("of %d ms between runs become %j", (ms, fields, isExact) => {
    expect(closestFrequency(ms)).toMatchObject({ fields, isExact });
  });
});

describe("a list of statuses", () => {
  it("is allowed exactly, unless its gaps are too many", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 100, max: 160 }), { minLength: 1 }),
        fc.integer({ min: 90, max: 170 }),
        (statuses, status) => {
          const { assertions, isExact } = allowStatuses(statuses);
          const holds = assertions.every(({ comparison, target }) => {
            if (comparison === "EQUALS") return status === Number(target);
            if (comparison === "NOT_EQUALS") return status !== Number(target);
            return comparison === "GREATER_THAN" ? status > Number(target) : status < Number(target);
          });
          expect(isExact).toBe(true);
          expect(holds).toBe(statuses.includes(status));
        },
      ),
    );
    expect(allowStatuses([200, 404]).isExact).toBe(false);
  });
});

import { describe, expect } from "vitest";
import { framed } from "../../src/agent/runners/grpc/message-reader.ts";
import { grpcChecks } from "../agent/runners/grpc/grpc-check.ts";
import { answer, http2Server, ok } from "../agent/runners/grpc/grpc-server.ts";
import { attack } from "./attack.ts";
import { asUsualMs } from "./cpu-of.ts";
import { longestTurn } from "./longest-turn.ts";
import { meanProtos, mixedProto, wideProto } from "./mean-protos.ts";

/** The longest that one turn of the agent's loop may take. */
const limitMs = 250;
const check = grpcChecks();
const call = { service: "S", method: "M" };

/** The longest turn of each, the least of three runs where the first was too much. */
async function slowest(runs: Readonly<Record<string, () => Promise<unknown>>>) {
  const over: string[] = [];
  let most = { name: "", ms: 0 };
  for (const [name, run] of Object.entries(runs)) {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && least >= limitMs; attempt += 1)
      least = Math.min(least, asUsualMs((await longestTurn(run)).ms, limitMs));
    if (least >= limitMs) over.push(`${name}: ${least.toFixed(0)} ms`);
    if (least > most.ms) most = { name, ms: least };
  }
  return {
    over,
    figure: `${Object.keys(runs).length} of them; the longest turn ${most.ms.toFixed(0)} ms (limit ${limitMs}): ${most.name}`,
  };
}

const varint = (value: number): number[] => (value > 127 ? [(value % 128) + 128, ...varint(Math.floor(value / 128))] : [value]);
/** A field with a length (protobuf.dev, Encoding). */
const field = (number: number, bytes: Uint8Array): Buffer => Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length), ...bytes]);
const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
const times = (count: number, one: (index: number) => Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => one(at)));
const empty = Buffer.alloc(0);

function within(number: number, depth: number, bytes: Buffer): Buffer {
  let whole = bytes;
  for (let left = depth; left > 0; left -= 1)
    whole = Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(whole.length)]), whole]);
  return whole;
}

const long = Buffer.from(Array.from({ length: 180_000 }).flatMap(() => [255, 255, 255, 255, 255, 255, 255, 255, 127]));
/** Of a field that no type has, 98 in one another. */
const groups = Buffer.concat([Buffer.alloc(98, 0x6b), Buffer.alloc(98, 0x6c)]);
const millions = Buffer.alloc(4_000_000, "a_b");
/** Each as near as may be to 4 MB or 200,000 values, on either side. */
const meanAnswers: Readonly<Record<string, () => Buffer>> = {
  "texts of quotes": () => times(199_000, () => text(1, 'é"é"é"é"é"é"')),
  "texts of control characters": () => times(199_000, () => text(1, "\u0001".repeat(18))),
  "packed numbers": () => Buffer.concat([Buffer.from([18, ...varint(long.length)]), long]),
  "a map": () => times(66_000, (at) => field(3, Buffer.concat([text(1, `k${at}`), text(2, "v")]))),
  "a map of messages": () => times(39_000, (at) => field(4, Buffer.concat([Buffer.from([8, ...varint(at)]), field(2, empty)]))),
  times: () => times(33_000, () => field(5, Buffer.from([8, ...varint(1_700_000_000), 16, ...varint(999_999_999)]))),
  "messages of any type": () =>
    times(19_000, () => field(6, Buffer.concat([text(1, "/google.protobuf.Timestamp"), field(2, Buffer.from([8, 1]))]))),
  "one path of 4 MB": () => within(7, 1, within(1, 1, millions)),
  "many paths": () => times(39_000, () => field(7, text(1, "a"))),
  "a struct": () =>
    field(
      8,
      times(18_000, (at) => field(1, Buffer.concat([text(1, `k${at}`), field(2, Buffer.from([32, 1]))]))),
    ),
  "messages 98 deep": () => times(670, () => within(9, 1, within(1, 97, empty))),
  "a deep message of many": () =>
    within(
      12,
      95,
      times(190_000, () => text(1, "a")),
    ),
  bytes: () => times(199_000, () => text(10, "abcdefghij")),
  enums: () => Buffer.concat([Buffer.from([90, ...varint(199_000)]), Buffer.alloc(199_000, 9)]),
  "unknown fields": () => times(199_000, () => field(1_000, Buffer.alloc(17))),
  "unknown groups 98 deep": () => times(21_000, () => groups),
};

describe("gRPC checks that are made to hold an agent up", { timeout: 300_000 }, () => {
  attack("E2", "proto files of 262 KB with as much as may be of one thing", async (held) => {
    const { over, figure } = await slowest(
      Object.fromEntries(
        Object.entries(meanProtos).map(([name, protoContent]) => [
          name,
          async () => {
            const { failure } = await grpcChecks()({ port: 1, ...call, protoContent }); // a runner remembers files
            expect([name, failure?.code]).toEqual([name, expect.stringMatching(/^EGRPC(DESCRIPTOR|METHOD)$/)]);
          },
        ]),
      ),
    );
    expect(over).toEqual([]);
    held("types are found part by part; parts and declarations are bounded", figure);
  });

  attack("E2", "a message of many objects, each with thousands of fields", async (held) => {
    const message = `{"row":[${"{},".repeat(80_000)}{}]}`;
    const { result, ms } = await longestTurn(() => check({ port: 1, ...call, protoContent: wideProto, message }));
    expect(result.failure).toMatchObject({ code: "EGRPCREQUEST", message: expect.stringContaining("too many objects") });
    expect(asUsualMs(ms, limitMs)).toBeLessThan(limitMs);
    held("objects are counted before they are made (EGRPCREQUEST)", `longest turn ${ms.toFixed(0)} ms (limit ${limitMs})`);
  });

  attack("E2", "answers of 4 MB and 200,000 values", async (held) => {
    let bytes: Buffer = empty;
    await using server = await http2Server((stream) => answer(stream, bytes, ok));
    const run = { port: server.port, ...call, protoContent: mixedProto, timeout: 60 };
    await check(run); // loads what is loaded once
    const { over, figure } = await slowest(
      Object.fromEntries(
        Object.entries(meanAnswers).map(([name, make]) => {
          const made = framed(make());
          return [
            name,
            async () => {
              bytes = made;
              const { failure } = await check(run);
              expect([name, failure?.code ?? "EGRPCFORMAT"]).toEqual([name, "EGRPCFORMAT"]);
            },
          ];
        }),
      ),
    );
    expect(over).toEqual([]);
    held("bytes and values are bounded before a message is made", figure);
  });

  attack("E2", "28,000 types in a package of 200 KB, by reflection", async (held) => {
    const file = Buffer.concat([text(1, "a.proto"), text(2, "a".repeat(200_000)), times(28_000, (at) => field(4, text(1, `M${at}`)))]);
    const reflected = Buffer.concat([Buffer.from([34, ...varint(file.length + 4)]), within(1, 1, file)]);
    await using server = await http2Server((stream) => answer(stream, framed(reflected), ok));
    const { result, ms } = await longestTurn(() => check({ port: server.port, ...call }));
    expect(result.failure).toMatchObject({ code: "EGRPCDESCRIPTOR", message: expect.stringContaining("longer than 1000 characters") });
    expect(asUsualMs(ms, limitMs)).toBeLessThan(limitMs);
    held("names are bounded before types are made of them", `longest turn ${ms.toFixed(0)} ms (limit ${limitMs})`);
  });
});

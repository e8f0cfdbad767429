import fc from "fast-check";
import { z } from "zod";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import type { CheckTypeName } from "#contract/primitives.ts";

/** What the account has that checks can name. */
export interface World {
  readonly groupId: number;
  readonly snippetId: number;
  readonly channelIds: readonly number[];
  readonly serviceId: string;
}

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
}

/** What forms lose easily: blanks at the edges, line breaks of all kinds, what parts lists and lines, markup. */
const bits = [" ", "\n", "\r\n", "\r", "\t", ",", ":", "=", ": ", "<b>", "&amp;", '"', "'", "a", "Z", "7", "ä", "😀", "/", "\\"];
const wild = (min: number, max: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom(...bits), minLength: Math.min(min, 1), maxLength: 8 })
    .map((text) => (text === "" && min > 0 ? "x" : text.slice(0, max)));

/** A body that creates a check of a type, from what its schema says. @param isFull every field is there; else those that must be, and some */
export function anyCheck(checkType: CheckTypeName, world: World, isFull: boolean): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const root = z.toJSONSchema(storedCheckTypes[checkType].createOfType, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const known = namedIn(checkType, world);

  function any(given: JsonSchema, path: string): fc.Arbitrary<unknown> {
    const own = known[path];
    if (own !== undefined) return own;
    const one = given.$ref === undefined ? given : (root.$defs?.[given.$ref.slice(given.$ref.lastIndexOf("/") + 1)] ?? {});
    if (one !== given) return any(one, path);
    if (one.anyOf !== undefined) return fc.oneof(...one.anyOf.map((branch) => any(branch, path)));
    if (Array.isArray(one.type)) return fc.oneof(...one.type.map((type: string) => any({ ...one, type }, path)));
    if (one.const !== undefined) return fc.constant(one.const);
    if (one.enum !== undefined) return fc.constantFrom(...one.enum);
    return ofType(one, path);
  }

  function ofType(one: JsonSchema, path: string): fc.Arbitrary<unknown> {
    const { minimum: min = 0, maximum = 1_000 } = one;
    const max = Math.min(maximum, 100_000);
    const types: Readonly<Record<string, () => fc.Arbitrary<unknown>>> = {
      object: () => object(one, path),
      array: () => fc.array(any(one.items ?? {}, `${path}[]`), { maxLength: 3 }),
      boolean: () => fc.boolean(),
      null: () => fc.constant(null),
      integer: () => fc.integer({ min: Math.max(min, -1_000), max }),
      number: () => fc.integer({ min: min * 4, max: max * 4 }).map((quarters) => quarters / 4),
      string: () =>
        one.pattern === undefined ? wild(one.minLength ?? 0, one.maxLength ?? 1_000) : fc.constantFrom("shop.example.com", "10.0.0.7"),
    };
    const made = types[String(one.type)];
    if (made === undefined) throw new Error(`nothing makes ${path}`);
    return made();
  }

  function object({ properties = {}, required = [] }: JsonSchema, path: string): fc.Arbitrary<Readonly<Record<string, unknown>>> {
    const sent = Object.entries(properties).filter(([, { description }]) => description !== "accepted and ignored");
    const model = Object.fromEntries(sent.map(([name, schema]) => [name, any(schema, path === "" ? name : `${path}.${name}`)]));
    return fc.record(model, isFull ? {} : { requiredKeys: [...required] });
  }

  return (any(root, "") as ReturnType<typeof object>).map((body) => possible(checkType, body));
}

/** Fields whose values the schema does not say whole. */
function namedIn(
  checkType: CheckTypeName,
  { groupId, snippetId, channelIds, serviceId }: World,
): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const maybe = (value: unknown): fc.Arbitrary<unknown> => fc.constantFrom(null, value);
  const variable = { key: wild(1, 255), value: wild(0, 100), locked: fc.boolean(), secret: fc.boolean() };
  return {
    groupId: maybe(groupId),
    setupSnippetId: maybe(snippetId),
    tearDownSnippetId: maybe(snippetId),
    alertChannelSubscriptions: fc
      .shuffledSubarray([...channelIds])
      .chain((ids) =>
        fc.tuple(...ids.map((alertChannelId) => fc.record({ alertChannelId: fc.constant(alertChannelId), activated: fc.boolean() }))),
      ),
    locations: fc.option(fc.shuffledSubarray(["eu-west-1", "us-east-1"])),
    privateLocations: fc.option(fc.shuffledSubarray(["berlin", "madrid"])),
    "triggerIncident.serviceId": fc.constantFrom(serviceId, serviceId.toUpperCase()),
    environmentVariables: fc.option(fc.uniqueArray(fc.record(variable), { maxLength: 3, selector: ({ key }) => key.trim() })),
    "request.assertions": fc.array(assertions[checkType] ?? fc.constant({}), { maxLength: 3 }),
    "request.expect": fc.constantFrom(null, "", "^220", " two\r\nlines "),
    "request.sslClientCertificateId": fc.constantFrom(null, "a1b2c3d4-0000-4000-8000-000000000000"),
    ...(checkType === "GRPC" && call),
    ...((checkType === "BROWSER" || checkType === "MULTI_STEP") && script),
    ...(checkType === "PLAYWRIGHT" && suite),
    ...(checkType === "AGENTIC" && prompt),
    "snapshots[].key": fc.constantFrom("0a".repeat(32), "f".repeat(64)),
    "heartbeat.period": fc.constantFrom(30, 45.5),
    "heartbeat.grace": fc.constantFrom(0, 12.25),
    "heartbeat.pingToken": fc.constantFrom(null, ""),
  };
}

/** What is held against a script beyond its schema. */
const variableOfScript = { key: fc.constantFrom("A", "b_2", "_"), value: wild(0, 100), locked: fc.boolean(), secret: fc.boolean() };
const script: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  script: fc.oneof(
    fc.constant(null),
    wild(0, 100).map((text) => `//${text}`),
  ),
  scriptPath: fc.constantFrom(null, "check.spec.ts", " tests/ shop.spec.js"),
  dependencies: fc.option(
    fc.uniqueArray(fc.record({ path: fc.constantFrom("lib/a.ts", "b c.js", "ä.json"), content: wild(1, 100) }), {
      maxLength: 3,
      selector: ({ path }) => path,
    }),
  ),
  environmentVariables: fc.option(fc.uniqueArray(fc.record(variableOfScript), { maxLength: 3, selector: ({ key }) => key })),
  runtimeId: fc.constantFrom(null, "2024.09", "2026.04"),
};

/** What is held against a prompt beyond its schema. */
const prompt: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "allowedHosts[]": fc.constantFrom("shop.example.com", "*.example.com", "10.0.0.7"),
  environmentVariables: script["environmentVariables"] ?? fc.constant(null),
  runtimeId: fc.constantFrom(null, "2026.04"),
};

/** What is held against a project of tests beyond its schema. */
const suite: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  testCommand: fc.constantFrom("npx playwright test", " pnpm exec  playwright test --grep '@a  b' "),
  installCommand: fc.constantFrom("", " ", "npm ci  --omit=optional"),
  workingDir: fc.constantFrom(null, "", "apps/e2e", " a b/ä"),
  environmentVariables: fc.option(fc.uniqueArray(fc.record(variableOfScript), { maxLength: 3, selector: ({ key }) => key })),
};

/** What is held against a gRPC call beyond its schema. */
const call: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "request.url": fc.constantFrom("shop.example.com", "10.0.0.7", "::1", "{{HOST}}"),
  "request.port": fc.constantFrom(443, "8443", "{{PORT}}"),
  "request.grpcConfig.service": fc.constantFrom("shop.Orders", " .shop.Orders ", "{{SERVICE}}"),
  "request.grpcConfig.method": fc.constantFrom("Get", " shop.Orders/Get ", "{{METHOD}}"),
  "request.grpcConfig.encoding": fc.constantFrom(null, "", "PROTOBUF"),
  "request.grpcConfig.message": fc.constantFrom(null, "", ' {\r\n\t"id": "<b>"}\n', "{{MESSAGE}}"),
  "request.grpcConfig.protoContent": wild(1, 100).map((comment) => `syntax = "proto3";\r\n//${comment}`),
  "request.grpcConfig.metadata": fc.array(
    fc.record({
      key: fc.constantFrom("tenant", "Authorization", "x-api-key"),
      value: fc.constantFrom("", "a: b=c,", " two  words ", "{{T}}"),
    }),
    { maxLength: 3 },
  ),
};

const assertion = (source: string, comparison: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ source: fc.constant(source), comparison: fc.constant(comparison), ...fields });
const text = { target: wild(0, 100), regex: fc.constantFrom(null, "", "^W") };
const assertions: { readonly [T in CheckTypeName]?: fc.Arbitrary<unknown> } = {
  API: fc.oneof(assertion("TEXT_BODY", "CONTAINS", text), assertion("HEADERS", "EQUALS", { ...text, property: fc.constant(" etag ") })),
  URL: assertion("STATUS_CODE", "EQUALS", { target: fc.constant("200") }),
  TCP: assertion("RESPONSE_DATA", "CONTAINS", text),
  DNS: assertion("TEXT_ANSWER", "CONTAINS", text),
  ICMP: assertion("LATENCY", "LESS_THAN", { property: fc.constant("avg"), target: fc.constant("100") }),
  SSL: assertion("TEXT_RESPONSE", "CONTAINS", text),
  GRPC: assertion("GRPC_METADATA", "EQUALS", { ...text, property: wild(0, 100) }),
  TRACEROUTE: assertion("HOP_COUNT", "LESS_THAN", { target: fc.constant("9") }),
};

/** As the operation takes it: fields that hang together fit, and a check that is on runs somewhere. */
function possible(checkType: CheckTypeName, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (checkType === "HEARTBEAT") return body;
  const { frequencyOffset: _, frequency = 10, ...rest } = body;
  const places = [rest["locations"], rest["privateLocations"]].flatMap((list) => list ?? []);
  const request = rest["request"] as Readonly<Record<string, unknown>>; // as the schema of the type has it
  const { url: _url, body: _body, ...connection } = request ?? {};
  const called = { service: "shop.Orders", method: "Get", protoContent: "//", ...(request?.["grpcConfig"] as object) };
  return {
    ...rest,
    ...(checkType === "TCP" && { request: { hostname: " db.example.com", ...connection } }),
    ...(checkType === "TRACEROUTE" && request?.["protocol"] === "SCTP" && { request: { ...request, protocol: "UDP" } }),
    ...(checkType === "GRPC" && { request: { ...request, grpcConfig: called } }),
    frequency,
    ...(frequency === 0 && { frequencyOffset: 20 }),
    ...(places.length === 0 && { activated: false }),
  };
}

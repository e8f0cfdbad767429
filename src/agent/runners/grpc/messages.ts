import { type DescMessage, fromBinary, fromJson, type JsonValue, type Registry, toBinary, toJson } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { ProbeError } from "../../net/probe-error.ts";
import { boundValues, maxDepth, UnfitMessage } from "./value-count.ts";

/** Values of one answer; making JSON of so many takes some 0.2 s. */
const maxValues = 200_000;

/** What a request may become: its objects, each with the fields of the widest type; making so many takes some 0.2 s. */
const maxRequestFields = 1_000_000;

/**
 * The message of a request, from its JSON (ProtoJSON).
 *
 * @param text empty is the empty message
 * @throws {ProbeError} EGRPCREQUEST, which names the field but no value: it may be a secret
 */
export function encodedRequest(input: DescMessage, text: string, registry: Registry): Uint8Array {
  const json = parsed(text.trim() === "" ? "{}" : text);
  if (objectsIn(json) * widestOf(registry) > maxRequestFields)
    throw new ProbeError("EGRPCREQUEST", '"grpcConfig.message" has too many objects for types as wide as those of its descriptor');
  try {
    return toBinary(input, fromJson(input, json, { registry, recursionLimit: maxDepth }));
  } catch (cause) {
    const told = cause instanceof Error ? cause.cause : undefined;
    const where = isFieldError(told) ? `: look at its field ${told.field().name}` : ": look for fields that it does not have";
    throw new ProbeError("EGRPCREQUEST", `"grpcConfig.message" does not fit the type ${input.typeName}${where}`, { cause });
  }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue; // JSON is nothing else
  } catch (cause) {
    throw new ProbeError("EGRPCREQUEST", '"grpcConfig.message" is no JSON', { cause });
  }
}

/** Three characters are enough for a message with all its fields, of which a type may have thousands. */
function objectsIn(json: JsonValue): number {
  const values = [json];
  let objects = 0;
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) objects += 1;
    for (const inner of Object.values<JsonValue>(value)) values.push(inner);
  }
  return objects;
}

function widestOf(registry: Registry): number {
  let widest = 0;
  for (const type of registry) if (type.kind === "message") widest = Math.max(widest, type.fields.length);
  return widest;
}

/**
 * The message of an answer as JSON (ProtoJSON); fields that are not set stand there with their defaults, so that assertions find them.
 *
 * @throws {ProbeError} EGRPCFORMAT
 */
export function decodedAnswer(output: DescMessage, bytes: Uint8Array, registry: Registry): JsonValue {
  try {
    boundValues(output, bytes, maxValues, registry);
    const message = fromBinary(output, bytes, { readUnknownFields: false, recursionLimit: maxDepth });
    return toJson(output, message, { registry, alwaysEmitImplicit: true });
  } catch (cause) {
    const why = cause instanceof UnfitMessage ? cause.message : "its bytes do not fit the type";
    throw new ProbeError("EGRPCFORMAT", `the message of the answer cannot be read as ${output.typeName}: ${why}`, { cause });
  }
}

import { type DescMessage, fromBinary, fromJson, type JsonValue, type Registry, toBinary, toJson } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { ProbeError } from "../../net/probe-error.ts";
import { boundValues, maxDepth, UnfitMessage } from "./value-count.ts";

/** Values of one answer; making JSON of so many takes some 0.2 s. */
const maxValues = 200_000;

/**
 * The message of a request, from its JSON (ProtoJSON).
 *
 * @param text empty is the empty message
 * @throws {ProbeError} EGRPCREQUEST, which names the field but no value: it may be a secret
 */
export function encodedRequest(input: DescMessage, text: string, registry: Registry): Uint8Array {
  try {
    const json = JSON.parse(text.trim() === "" ? "{}" : text) as JsonValue; // JSON is nothing else
    return toBinary(input, fromJson(input, json, { registry, recursionLimit: maxDepth }));
  } catch (cause) {
    const told = cause instanceof Error ? cause.cause : undefined;
    const where = isFieldError(told) ? `: look at its field ${told.field().name}` : ": look for fields that it does not have";
    const why = cause instanceof SyntaxError ? " is no JSON" : ` does not fit the type ${input.typeName}${where}`;
    throw new ProbeError("EGRPCREQUEST", `"grpcConfig.message"${why}`, { cause });
  }
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

import { isUtf8 } from "node:buffer";
import { AppError } from "#domain/app-error.ts";
import { agentBounds, type JsonBounds, projectBounds, refuseLargeJson, restBounds } from "./budgets/json-bounds.ts";
import { repeatedKey } from "./repeated-key.ts";
import { refuseUnstorableText } from "./storable-text.ts";

/**
 * Parses a request body. An empty one is no body.
 *
 * @param of who sends it: the last of equal keys counts in what agents send, whose large batches are written by our own code
 * @throws {AppError} invalid_input when it is not UTF-8, not JSON, nested too deeply, has an object that names a key twice, or, unless of an
 *   agent, a text that no store keeps;
 *   too_large when it holds too many values
 */
export function parseJsonBody(bytes: Buffer | undefined, of: keyof typeof bounds): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  refuseLargeJson(bytes, bounds[of]);
  if (!isUtf8(bytes)) throw new AppError("invalid_input", "The body is not valid UTF-8");
  const text = bytes.toString("utf8").replace(/^\uFEFF/, ""); // some editors begin a file with it; RFC 8259 §8.1 lets readers drop it
  const body = parsed(text);
  const repeated = of === "agent" ? undefined : repeatedKey(text);
  if (repeated !== undefined) throw repetition(repeated.slice(0, 100));
  // In valid UTF-8 and JSON nothing but an escape makes such a text, and looking into each of 65,000 names takes 50 ms.
  if (of !== "agent" && text.includes("\\u")) refuseUnstorableText(body);
  return body;
}

const bounds = { client: restBounds, project: projectBounds, agent: agentBounds } as const satisfies Record<string, JsonBounds>;

function repetition(key: string): AppError {
  const message = "is there more than once in one object; name each key once";
  return new AppError("invalid_input", `"${key}" ${message}`, { attributes: { issues: [{ path: key, message }] } });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid_input", "The body is not valid JSON", { cause });
  }
}

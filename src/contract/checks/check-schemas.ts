import { z } from "zod";
import type { CheckTypeName } from "../primitives.ts";
import { type Defaults, withDefaults } from "../with-defaults.ts";
import { checkCreateFields, checkReadFields, checkUpdateFields, readFieldsV1, readFieldsV2, readFieldsV3 } from "./check.ts";

/** What a check type says of itself; the rest of its schemas follows. */
interface Parts<Writable extends z.core.$ZodLooseShape, Names extends keyof Writable, Request, RequestUpdate> {
  /** Names the OpenAPI components: `TcpCheck`, `TcpCheckCreate` … */
  readonly id: string;
  /** As people call it: `TCP check`. */
  readonly title: string;
  /** Fields beside those of every check, without defaults. */
  readonly writable: Writable;
  /** What creation fills in of them. */
  readonly defaults: Defaults<Writable, Names>;
  readonly request: Request;
  /** Partial at every depth, without defaults. */
  readonly requestUpdate: RequestUpdate;
}

/**
 * All schemas of one check type. `create` is the body of a creation, `update` of a partial update (`checkUpdateFields`), `read` what
 * both answer, `readV1` to `readV3` what the versions of GET answer.
 */
export function checkSchemas<
  const Type extends CheckTypeName,
  const Writable extends z.core.$ZodLooseShape,
  Names extends keyof Writable,
  Request extends z.ZodType,
  RequestUpdate extends z.ZodType,
>(type: Type, parts: Parts<Writable, Names, Request, RequestUpdate>) {
  const { id, title, writable, defaults, request, requestUpdate } = parts;
  const checkType = z.literal(type);
  const read = z.object({ ...checkReadFields, ...writable, checkType, request }).meta({ id });
  return {
    title,
    create: z
      .object({ ...checkCreateFields, ...withDefaults(writable, defaults), checkType: checkType.default(type as never), request })
      .meta({ id: `${id}Create` }),
    update: z
      .object({ ...checkUpdateFields, ...writable, checkType, request: requestUpdate })
      .partial()
      .meta({ id: `${id}Update` }),
    read,
    readV1: read.extend(readFieldsV1).meta({ id: `${id}V1` }),
    readV2: read.extend(readFieldsV2).meta({ id: `${id}V2` }),
    readV3: read.extend(readFieldsV3).meta({ id: `${id}V3` }),
  };
}

/** What the verdict of a type with a response time is judged by, beside its request. */
export const timedSettings = {
  shouldFail: z.boolean().default(false),
  degradedResponseTime: z.number().nullable(),
  maxResponseTime: z.number().nullable(),
};

/** The limits that a check's response time is judged by. @param max milliseconds */
export function responseTimeLimits(max: number) {
  const limit = z.number().min(0).max(max).nullable();
  return {
    degradedResponseTime: limit.describe("milliseconds above which the check counts as degraded"),
    maxResponseTime: limit.describe("milliseconds above which the check counts as failing"),
  };
}

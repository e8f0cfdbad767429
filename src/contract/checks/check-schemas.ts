import { z } from "zod";
import type { CheckTypeName } from "../primitives.ts";
import { type Defaults, withDefaults } from "../with-defaults.ts";
import { checkCreateFields, checkReadFields, checkUpdateFields, readFieldsV1, readFieldsV2, readFieldsV3 } from "./check.ts";

type Shape = z.core.$ZodLooseShape;

/** What a check type is called. */
interface Named {
  /** Names the OpenAPI components: `TcpCheckV1`, `TcpCheckCreate` … */
  readonly id: string;
  /** As people call it: `TCP check`. */
  readonly title: string;
}

/** Fields beside those of every check, without defaults, and what creation fills in of them. */
interface Fields<Writable extends Shape, Names extends keyof Writable> extends Named {
  readonly writable: Writable;
  readonly defaults: Defaults<Writable, Names>;
}

/**
 * All schemas of one check type from its whole bodies. `create` is the body of a creation, `createOfType` of one where the body says the
 * type, `update` of a partial update (`checkUpdateFields`), `readV1` to `readV3` what the versions of GET answer; writes answer `readV1`.
 */
export function bodiesOf<const Type extends CheckTypeName, Create extends Shape, Update extends Shape, Read extends Shape>(
  type: Type,
  { id, title, create, update, read }: Named & { readonly create: Create; readonly update: Update; readonly read: Read },
) {
  const checkType = z.literal(type);
  const answer = z.object({ ...read, checkType });
  return {
    title,
    create: z.object({ ...create, checkType: checkType.default(type as never) }).meta({ id: `${id}Create` }),
    createOfType: z.object({ ...create, checkType }).meta({ id: `${id}CreateOfType` }),
    update: z
      .object({ ...update, checkType })
      .partial()
      .meta({ id: `${id}Update` }),
    readV1: answer.extend(readFieldsV1).meta({ id: `${id}V1` }),
    readV2: answer.extend(readFieldsV2).meta({ id: `${id}V2` }),
    readV3: answer.extend(readFieldsV3).meta({ id: `${id}V3` }),
  };
}

/** All schemas of a check type that has no request. @param read what is read of fields that accept more than that */
export function schemasOf<
  const Type extends CheckTypeName,
  const Writable extends Shape,
  Names extends keyof Writable,
  const Read extends Shape = Record<never, never>,
>(
  type: Type,
  { id, title, writable, defaults }: Fields<Writable, Names>,
  read: Read = {} as Read, // what is left out adds nothing
) {
  return bodiesOf(type, {
    id,
    title,
    create: { ...checkCreateFields, ...withDefaults(writable, defaults) },
    update: { ...checkUpdateFields, ...writable },
    read: { ...checkReadFields, ...(writable as Omit<Writable, keyof Read>), ...read },
  });
}

/**
 * All schemas of a check type that sends a request. `requestUpdate` is partial at every depth, without defaults. What `accepts` names in
 * the bodies is in no answer.
 */
export function checkSchemas<
  const Type extends CheckTypeName,
  const Writable extends Shape,
  Names extends keyof Writable,
  Request extends z.ZodType,
  RequestUpdate extends z.ZodType,
>(
  type: Type,
  parts: Fields<Writable, Names> & {
    readonly request: Request;
    readonly requestUpdate: RequestUpdate;
    readonly accepts?: { readonly create: Record<string, z.ZodType>; readonly update: Record<string, z.ZodType> };
  },
) {
  const { id, title, writable, defaults, request, requestUpdate, accepts = { create: {}, update: {} } } = parts;
  const own = { create: withDefaults(writable, defaults), update: writable };
  return bodiesOf(type, {
    id,
    title,
    // What is only accepted is dropped by its schema, so the types need not know it.
    create: { ...(accepts.create as Record<never, never>), ...checkCreateFields, ...own.create, request },
    update: { ...(accepts.update as Record<never, never>), ...checkUpdateFields, ...own.update, request: requestUpdate },
    read: { ...checkReadFields, ...writable, request },
  });
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

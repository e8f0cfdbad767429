import { z } from "zod";

/**
 * A field that clients send with every check and that means nothing for this type: described as they know it, dropped whatever it
 * holds (behaviour 1).
 *
 * @param schema without component ids, which would have to be resolved elsewhere
 */
export function ignored(schema: z.ZodType) {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: "input" });
  return z
    .unknown()
    .overwrite(() => undefined)
    .optional()
    .meta({ ...json, description: "accepted and ignored" });
}

const text = z.string().nullable();
const variable = { key: z.string().min(1), value: z.string().nullable(), locked: z.boolean(), secret: z.boolean() };
const variables = (item: z.ZodType): z.ZodType => z.array(item).max(200).nullable();
const fillable = {
  setupSnippetId: z.number(),
  tearDownSnippetId: z.number(),
  localSetupScript: z.string(),
  localTearDownScript: z.string(),
};
const names = Object.keys(fillable) as (keyof typeof fillable)[];

const scriptFields = {
  heartbeat: ignored(z.looseObject({}).nullable()),
  script: ignored(text),
  scriptPath: ignored(z.string().min(1).nullable()),
  sslCheckDomain: ignored(text),
};
const setupFields = (describe: (schema: z.ZodType) => z.ZodType) =>
  Object.fromEntries(names.map((name) => [name, ignored(describe(fillable[name]))])) as Record<keyof typeof fillable, Ignored>;
type Ignored = ReturnType<typeof ignored>;

/** Fields of scripted checks in the creation of a check that has no scripts. */
export const ignoredScripts = {
  ...scriptFields,
  environmentVariables: ignored(
    variables(z.object({ ...variable, locked: variable.locked.default(false), secret: variable.secret.default(false) })),
  ),
  ...setupFields((schema) => schema.nullable().default(null)),
};

/** The same in an update. */
export const ignoredScriptsUpdate = {
  ...scriptFields,
  environmentVariables: ignored(variables(z.object(variable).partial({ locked: true, secret: true }))),
  ...setupFields((schema) => schema.nullable()),
};

const keyValues = z.array(z.object({ key: z.string().min(1), value: z.string(), locked: z.boolean().default(false) })).default([]);
const line = z.string().min(1).default("");
const alertChannels = z
  .object({
    email: z.array(z.object({ address: line })),
    webhook: z.array(
      z.object({
        name: line,
        url: line,
        method: z.string().min(1).default("POST").nullable(),
        headers: keyValues,
        queryParameters: keyValues,
      }),
    ),
    slack: z.array(z.object({ url: line })),
    sms: z.array(z.object({ number: line, name: z.string() })),
  })
  .partial()
  .nullable();

/** What clients read and send back in an update. */
export const ignoredReads = {
  id: ignored(z.string().min(1)),
  created_at: ignored(z.iso.datetime()),
  updated_at: ignored(z.iso.datetime().nullable()),
  alertChannels: ignored(alertChannels),
};

const anyTime = z.number().min(0).max(300_000).nullable();

/** Limits of a response time in the creation of a check that is not judged by one. */
export const ignoredTimes = { degradedResponseTime: ignored(anyTime.default(10_000)), maxResponseTime: ignored(anyTime.default(20_000)) };

/** The same in an update. */
export const ignoredTimesUpdate = { degradedResponseTime: ignored(anyTime), maxResponseTime: ignored(anyTime) };

import { z } from "zod";
import { AgentEnv } from "../src/agent/config.ts";
import { ControlPlaneEnv } from "../src/control-plane/config.ts";

const tables: Readonly<Record<string, z.ZodObject>> = { agent: AgentEnv, "control-plane": ControlPlaneEnv };

/** `docs/configuration.md` with its tables made anew from the two `config.ts`. */
export function withSettings(page: string): string {
  return Object.entries(tables).reduce((text, [name, schema]) => {
    const block = new RegExp(`(<!-- settings: ${name} -->\n)[^]*?(<!-- end -->)`);
    if (!block.test(text)) throw new Error(`docs/configuration.md has no block "settings: ${name}"`);
    return text.replace(block, (_, open: string, close: string) => `${open}${settingsTable(schema)}\n${close}`);
  }, page);
}

function settingsTable(schema: z.ZodObject): string {
  const rows = Object.entries(schema.shape).map(([name, field]) => `| \`${name}\` | ${defaultOf(field)} | ${z.globalRegistry.get(field)?.description ?? ""} |`);
  return ["| Variable | Default | Meaning |", "|---|---|---|", ...rows].join("\n");
}

function defaultOf(field: z.core.$ZodType): string {
  if (field instanceof z.ZodDefault) {
    const value: unknown = field.def.defaultValue;
    if (value === "" || (Array.isArray(value) && value.length === 0)) return "–";
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return "–";
    return typeof value === "boolean" ? `\`${value ? "on" : "off"}\`` : `\`${textOf(value)}\``;
  }
  if (field instanceof z.ZodPipe) return defaultOf(field.def.in);
  return field instanceof z.ZodOptional ? "–" : "required";
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  if (typeof value === "object" && value !== null) return Object.values(value).map(String).filter((part) => part !== "").join("/");
  return String(value);
}

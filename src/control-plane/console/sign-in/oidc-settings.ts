import { z } from "zod";
import { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";

const ClientSecret = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,512}$/, "must be 1 to 512 characters without blanks")
  .transform((text) => new Secret(text));

/** The part of the control plane's environment that says where people of the organisation sign in. */
export const oidcEnv = {
  OIDC_ISSUER: z
    .url()
    .refine(isSafeUrl, "must be an https URL, or http on this machine")
    .optional()
    .describe("OpenID Connect provider that members can sign in with: the issuer, exactly as in its discovery document; none if not set"),
  OIDC_CLIENT_ID: z.string().trim().min(1).max(255).optional().describe("client id of Outpost at the provider"),
  OIDC_CLIENT_SECRET: z.string().pipe(ClientSecret).optional().describe("client secret; none for a public client"),
  OIDC_CLIENT_SECRET_FILE: SecretFile.pipe(ClientSecret).optional().describe("file with this secret, instead of OIDC_CLIENT_SECRET"),
  OIDC_NAME: z.string().trim().min(1).max(50).default("single sign-on").describe("name of the provider on the sign-in page"),
} as const;

type OidcEnv = z.output<z.ZodObject<typeof oidcEnv>>;

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret | null;
  readonly name: string;
}

/** Null where nobody signs in so. */
export function oidcSettings(e: OidcEnv): OidcSettings | null {
  if (e.OIDC_ISSUER === undefined || e.OIDC_CLIENT_ID === undefined) return null;
  const clientSecret = e.OIDC_CLIENT_SECRET ?? e.OIDC_CLIENT_SECRET_FILE ?? null;
  return { issuer: e.OIDC_ISSUER, clientId: e.OIDC_CLIENT_ID, clientSecret, name: e.OIDC_NAME };
}

/** What only shows in several variables together. */
export function oidcProblems(e: OidcEnv): readonly { readonly name: string; readonly message: string }[] {
  const problems: { name: string; message: string }[] = [];
  if ((e.OIDC_ISSUER === undefined) !== (e.OIDC_CLIENT_ID === undefined)) {
    const [missing, present] = e.OIDC_ISSUER === undefined ? ["OIDC_ISSUER", "OIDC_CLIENT_ID"] : ["OIDC_CLIENT_ID", "OIDC_ISSUER"];
    problems.push({ name: missing, message: `must be set, too, as ${present} is` });
  }
  if (e.OIDC_CLIENT_SECRET !== undefined && e.OIDC_CLIENT_SECRET_FILE !== undefined) {
    problems.push({ name: "OIDC_CLIENT_SECRET_FILE", message: "and OIDC_CLIENT_SECRET are both set; keep one of the two" });
  }
  return problems;
}

/** Whoever can change what is sent there can sign in as anybody. */
function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname));
}

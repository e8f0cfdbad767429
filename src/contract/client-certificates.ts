import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid, UuidPathId } from "./primitives.ts";
import { secretField } from "./secret-fields.ts";

/** What a check shows to the hosts that ask for a certificate. Its key is never read back. */
export const ClientCertificate = z
  .object({
    host: z.string(),
    cert: z.string().describe("PEM"),
    ca: z.string().nullable().describe("PEM"),
    id: Uuid,
    created_at: Instant,
  })
  .meta({ id: "ClientCertificate" });
export type ClientCertificate = z.infer<typeof ClientCertificate>;

/** Letters, digits, hyphens, underscores and dots, or an IPv6 address. */
const Host = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$|^[0-9a-f:.]*:[0-9a-f:.]*$/i, "must be a host name, *. and a domain, or an IP address");

export const ClientCertificateCreate = z
  .object({
    host: Host.describe("host name without port, IP address, or *.domain for the hosts directly below it"),
    cert: z.string().min(1).max(65_536).describe("PEM: the certificate, then any intermediate ones; no private key"),
    ca: z.string().max(262_144).nullish().describe("PEM: certificates to trust beside the agent's own"),
    key: secretField(
      "sealed",
      z.string().min(1).max(32_768).describe("PEM: the private key of the certificate; stored sealed, never read back"),
    ),
    passphrase: secretField("sealed", z.string().max(1024).nullish().describe("of an encrypted key; stored sealed, never read back")),
  })
  .meta({ id: "ClientCertificateCreate" });
export type ClientCertificateCreate = z.output<typeof ClientCertificateCreate>;

/** Made for this example: nobody trusts it. */
const exampleCertificate = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBkTCCATegAwIBAgIUfyez6ZVOgHUvhV3uWXtcubIprjwwCgYIKoZIzj0EAwIw",
  "HjEcMBoGA1UEAwwTbW9uaXRvci5leGFtcGxlLmNvbTAeFw0yNjExMjIwMzA4NTBa",
  "Fw0zNjExMTkwMzA4NTBaMB4xHDAaBgNVBAMME21vbml0b3IuZXhhbXBsZS5jb20w",
  "WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARGthgYV6BcXtWHFhuW17hvWr32X4oN",
  "ihmP7dnGf7imK//75TGTtaeavRHd/7H7ixSdw+8rcophP73DkFsdttLVo1MwUTAd",
  "BgNVHQ4EFgQUDBcEk+gjueAxasytx1NTRcUoVXwwHwYDVR0jBBgwFoAUDBcEk+gj",
  "ueAxasytx1NTRcUoVXwwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBF",
  "AiAhNVTSIcf/ZLjxJX0AatJDRzjvcd1Anc9lmGiUPjn9BAIhAJggg8ooBSt4kqts",
  "g1ujlV/rm4WchmvSnseLtkwceQ38",
  "-----END CERTIFICATE-----",
].join("\n");
const exampleKey = [
  "-----BEGIN PRIVATE KEY-----",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDuZ8QQUxqEtrUAdY",
  "VVYf7rS7n4Rfwt/C2A8ktjqZn3qhRANCAARGthgYV6BcXtWHFhuW17hvWr32X4oN",
  "ihmP7dnGf7imK//75TGTtaeavRHd/7H7ixSdw+8rcophP73DkFsdttLV",
  "-----END PRIVATE KEY-----",
].join("\n");

const common = { tag: "Client certificates", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ id: UuidPathId }) } as const;

export const listClientCertificates = {
  ...common,
  id: "listClientCertificates",
  method: "GET",
  path: "/v1/client-certificates",
  summary: "List client certificates",
  description: "All of them, the oldest first.",
  example: {},
  access: "read",
  output: z.array(ClientCertificate),
  successStatus: 200,
} as const satisfies Operation;

export const createClientCertificate = {
  ...common,
  id: "createClientCertificate",
  method: "POST",
  path: "/v1/client-certificates",
  summary: "Create a client certificate",
  description:
    "For API checks, by the host of the request: an exact host wins over a wildcard, then the newest wins. The key must belong to the certificate. An expired certificate is accepted.",
  example: { body: { host: "*.internal.example.com", cert: exampleCertificate, key: exampleKey } },
  access: "write",
  body: ClientCertificateCreate,
  output: ClientCertificate,
  successStatus: 201,
} as const satisfies Operation;

export const getClientCertificate = {
  ...byId,
  id: "getClientCertificate",
  method: "GET",
  path: "/v1/client-certificates/{id}",
  summary: "Read a client certificate",
  example: { params: { id: exampleIds.clientCertificate } },
  access: "read",
  output: ClientCertificate,
  successStatus: 200,
} as const satisfies Operation;

export const deleteClientCertificate = {
  ...byId,
  id: "deleteClientCertificate",
  method: "DELETE",
  path: "/v1/client-certificates/{id}",
  summary: "Delete a client certificate",
  example: { params: { id: exampleIds.clientCertificate } },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const clientCertificateOperations = [
  listClientCertificates,
  createClientCertificate,
  getClientCertificate,
  deleteClientCertificate,
] as const;

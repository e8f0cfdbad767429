import { z } from "zod";
import type { TlsFiles } from "./tls.ts";

export const tlsEnv = {
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      "file with a certificate and its intermediate certificates, in PEM. PORT then accepts only TLS. The control plane reads the file again every 10 s, so you can replace it. If it is not set, PORT uses plain HTTP",
    ),
  TLS_KEY_FILE: z.string().optional().describe("file with the certificate's key, in PEM, without a passphrase"),
};

type TlsEnv = z.output<z.ZodObject<typeof tlsEnv>>;

export function tlsProblems({ TLS_CERT_FILE, TLS_KEY_FILE }: TlsEnv): readonly { readonly name: keyof TlsEnv; readonly message: string }[] {
  if ((TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined)) return [];
  return TLS_KEY_FILE === undefined
    ? [{ name: "TLS_KEY_FILE", message: "is missing, as TLS_CERT_FILE is set; set both, or neither" }]
    : [{ name: "TLS_CERT_FILE", message: "is missing, as TLS_KEY_FILE is set; set both, or neither" }];
}

/** Null: plain HTTP. */
export function tlsFiles({ TLS_CERT_FILE, TLS_KEY_FILE }: TlsEnv): TlsFiles | null {
  return TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined ? null : { certificate: TLS_CERT_FILE, key: TLS_KEY_FILE };
}

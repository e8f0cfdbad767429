import { z } from "zod";
import { Secret } from "#daemon/secret.ts";
import { encryptionKeyBytes, encryptionKeyForm } from "./encryption-key.ts";

const asSecret = (text: string): Secret => new Secret(text);

/** The encryption key as a variable has it. */
export const EncryptionKeyText = z.string().transform((text, context): Secret => {
  if (encryptionKeyBytes(text) !== null) return new Secret(text.trim());
  context.addIssue({ code: "custom", message: encryptionKeyForm });
  return z.NEVER;
});

/** Those before, separated by commas. */
export const EncryptionKeyTexts = z.string().transform((text, context): readonly Secret[] => {
  const keys = text.split(",").map((key) => key.trim());
  if (keys.every((key) => encryptionKeyBytes(key) !== null)) return keys.map(asSecret);
  context.addIssue({ code: "custom", message: `${encryptionKeyForm}; several are separated by commas` });
  return z.NEVER;
});

export const Pepper = z.string().trim().min(32, "must be at least 32 characters").transform(asSecret);

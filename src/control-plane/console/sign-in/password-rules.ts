import { passwordTexts as texts } from "../../texts/sign-in.ts";

export const minPasswordLength = 12;
const maxLength = 200;
const minDifferent = 5;

/** What the most common passwords are made of; digits and signs around them make them no better. */
const commonWords = new Set(
  `abc abcd abcdef abcdefgh abcdefghijkl access account admin administrator asdf asdfgh asdfghjkl baseball batman changeit changeme charlie
  computer default demo dragon flower football freedom google guest hello hunter iloveyou killer letmein login lovely manager master matrix
  michael monitor monitoring monkey ninja outpost owner passphrase passw0rd password p@ssw0rd p@ssword pokemon princess qazwsx qazwsxedc
  qwer qwert qwerty qwertyuiop qwertyuiopasdfghjkl root secret server shadow starwars summer sunshine superman superuser test tester testing
  trustno user welcome whatever winter zaq1zaq1 zaq12wsx zxcvbn zxcvbnm 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc`.split(
    /\s+/,
  ),
);

/** What is wrong with a new password, as a sentence; undefined when it will do. `own` are texts that others know of its owner. */
export function passwordProblem(password: string, own: readonly string[] = []): string | undefined {
  if (password === "") return texts.none;
  if (password.length < minPasswordLength) return texts.tooShort(minPasswordLength);
  if (password.length > maxLength) return texts.tooLong(maxLength);
  const text = password.toLowerCase();
  if (new Set(text).size < minDifferent) return texts.tooAlike(minDifferent);
  const known = [...own, ...own.flatMap((part) => part.split("@"))].map((part) => part.toLowerCase());
  if (known.some((part) => part !== "" && part === text)) return texts.own;
  return isCommon(text) ? texts.common : undefined;
}

function isCommon(text: string): boolean {
  if (/^\d+$/.test(text)) return true;
  const bare = text.replace(/^[\d\W_]+|[\d\W_]+$/g, "");
  if ([text, bare].some((whole) => commonWords.has(onceOnly(whole)))) return true;
  const words = text.split(/[\d\W_]+/).filter((word) => word !== "");
  return words.length > 0 && words.every((word) => commonWords.has(onceOnly(word)));
}

/** `adminadmin` is `admin`. */
function onceOnly(word: string): string {
  return /^(.+?)\1+$/.exec(word)?.[1] ?? word;
}

import type { PlaywrightRequest } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { bytesText } from "../../facts.ts";

const texts = scriptRunTexts.network;

/** Of an answer's body as it travelled. */
export function sizeText({ fromCache, bytes }: Pick<PlaywrightRequest, "fromCache" | "bytes">): string {
  if (fromCache) return texts.cached;
  return bytes === null ? texts.none : bytesText(bytes);
}

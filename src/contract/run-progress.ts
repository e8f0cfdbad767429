import { z } from "zod";
import { PlaywrightLogLine } from "./checks/playwright-run.ts";

/** So many of the last lines, and so many characters of a picture, are told. */
export const toldLines = 30;
export const toldPictureCharacters = 120_000;

/** How far the script of a check is. Telling it is for people who look on: nothing is decided by it. */
export const RunProgress = z
  .object({
    phase: z.enum(["starting", "testing", "collecting"]),
    testsDone: z.int().min(0),
    step: z
      .string()
      .max(2_000)
      .nullable()
      .describe("the test that runs, and its steps that go on: `a visitor buys › open the basket › click`"),
    log: z.array(PlaywrightLogLine.extend({ msg: z.string().max(2_000) })).max(toldLines),
    picture: z
      .base64()
      .max(toldPictureCharacters)
      .nullable()
      .describe("the page as it is now, JPEG; null before there is one, and without a browser"),
  })
  .meta({ id: "RunProgress" });
export type RunProgress = z.infer<typeof RunProgress>;

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { momentText } from "#domain/templates/moment-text.ts";
import { nowMs } from "./template-contexts.ts";

const at = (instant: string, format: string) => momentText(`moment "${format}"`, Date.parse(instant));
const seen = (words: string, format = "YYYY-MM-DD HH:mm:ss") => momentText(`moment "${words}" "${format}"`, nowMs);

describe("a format of moment", () => {
  it.each([
    ["YYYY-MM-DDTHH:mm:ss.SSS[Z]", "2026-02-28T17:05:09.042Z"],
    ["YYYY-MM-DD[T]HH:mm:ssZ", "2026-02-28T17:05:09+00:00"],
    ["M Mo MM MMM MMMM", "2 2nd 02 Feb February"],
    ["Q Qo", "1 1st"],
    ["D Do DD", "28 28th 28"],
    ["DDD DDDo DDDD", "59 59th 059"],
    ["d do dd ddd dddd", "6 6th Sa Sat Saturday"],
    ["e E", "6 6"],
    ["w wo ww W Wo WW", "9 9th 09 9 9th 09"],
    ["gg gggg GG GGGG", "26 2026 26 2026"],
    ["Y YY YYYY YYYYY YYYYYY yyyy yo N NNNN", "2026 26 2026 02026 +002026 2026 2026th AD Anno Domini"],
    ["A a", "PM pm"],
    ["H HH h hh k kk", "17 17 5 05 17 17"],
    ["m mm s ss", "5 05 9 09"],
    ["S SS SSS SSSS SSSSSSSSS", "0 04 042 0420 042000000"],
    ["X x", "1772298309 1772298309042"],
    ["Z ZZ z zz", "+00:00 +0000 UTC Coordinated Universal Time"],
    ["LT|LTS|L|l", "5:05 PM|5:05:09 PM|02/28/2026|2/28/2026"],
    ["LL|ll", "February 28, 2026|Feb 28, 2026"],
    ["LLL|lll", "February 28, 2026 5:05 PM|Feb 28, 2026 5:05 PM"],
    ["LLLL|llll", "Saturday, February 28, 2026 5:05 PM|Sat, Feb 28, 2026 5:05 PM"],
    ["[the] Do [of] MMMM", "the 28th of February"],
    ["[] [YYYY] \\YYYY", " YYYY YYYY"],
    ["YYYY [", "2026 ["],
    ["/-_.,:;%é", "/-_.,:;%é"],
    ["", ""],
  ])("of %j writes %j", (format, text) => {
    expect(at("2026-02-28T17:05:09.042Z", format)).toBe(text);
  });

  it.each([
    ["2026-01-01T00:00:00Z", "Do DDDo H HH h hh k kk A", "1st 1st 0 00 12 12 24 24 AM"],
    ["2026-03-02T12:00:00Z", "Do h A", "2nd 12 PM"],
    ["2026-03-03T11:59:59Z", "Do h A", "3rd 11 AM"],
    ["2026-03-11T00:00:00Z", "Do", "11th"],
    ["2026-03-12T00:00:00Z", "Do", "12th"],
    ["2026-03-13T00:00:00Z", "Do", "13th"],
    ["2026-03-21T00:00:00Z", "Do", "21st"],
    ["2026-04-21T00:00:00Z", "DDDo", "111th"],
    ["2024-12-31T00:00:00Z", "DDDD gggg-ww GGGG-[W]WW-E", "366 2025-01 2025-W01-2"],
    ["2027-01-03T00:00:00Z", "gggg-ww-e GGGG-[W]WW-E", "2027-02-0 2026-W53-7"],
    ["2022-01-01T00:00:00Z", "gggg-ww GGGG-[W]WW", "2022-01 2021-W52"],
    ["0099-06-01T00:00:00Z", "Y YY YYYY", "0099 99 0099"],
    ["+012345-06-01T00:00:00Z", "Y YYYY YYYYY YYYYYY", "+12345 12345 12345 +012345"],
    ["-000044-03-15T00:00:00Z", "YYYY YYYYYY yo N NNNN", "-0044 -000044 45th BC Before Christ"],
    ["1969-12-31T23:59:59.999Z", "X x SSS", "-1 -1 999"],
  ])("at %s, of %j, writes %j", (instant, format, text) => {
    expect(at(instant, format)).toBe(text);
  });

  it("writes any instant so that it can be read back", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true }),
        (date) => {
          expect(momentText('moment "YYYY-MM-DDTHH:mm:ss.SSS[Z]"', date.getTime())).toBe(date.toISOString());
          expect(momentText('moment "YYYYYY-MM-DD"', date.getTime())).toBe(`+00${date.toISOString().slice(0, 10)}`);
        },
      ),
    );
  });
});

describe("a relative time", () => {
  it.each([
    ["now", "2026-02-28 17:05:09"],
    ["today", "2026-02-28 17:05:09"],
    ["Yesterday", "2026-02-27 17:05:09"],
    ["tomorrow", "2026-03-01 17:05:09"],
    ["2 days ago", "2026-02-26 17:05:09"],
    ["  2   Days\tAgo ", "2026-02-26 17:05:09"],
    ["1 second ago", "2026-02-28 17:05:08"],
    ["90 secs ago", "2026-02-28 17:03:39"],
    ["10 minutes from now", "2026-02-28 17:15:09"],
    ["5 mins ago", "2026-02-28 17:00:09"],
    ["an hour ago", "2026-02-28 16:05:09"],
    ["in 24 hrs", "2026-03-01 17:05:09"],
    ["one week ago", "2026-02-21 17:05:09"],
    ["3 weeks from now", "2026-03-21 17:05:09"],
    ["a month from now", "2026-03-28 17:05:09"],
    ["3 months ago", "2025-11-28 17:05:09"],
    ["2 years ago", "2024-02-28 17:05:09"],
    ["last month", "2026-01-28 17:05:09"],
    ["next year", "2027-02-28 17:05:09"],
    ["0 days ago", "2026-02-28 17:05:09"],
    ["99999 years ago", "-97973-02-28 17:05:09"],
    ["99999 years from now", "102025-02-28 17:05:09"],
  ])("%j is %s", (words, text) => {
    expect(seen(words)).toBe(text);
  });

  it("keeps the day of the month as far as the month has it", () => {
    expect(momentText('moment "1 month ago" "YYYY-MM-DD"', Date.parse("2026-03-31T00:00:00Z"))).toBe("2026-02-28");
    expect(momentText('moment "a year from now" "YYYY-MM-DD"', Date.parse("2024-02-29T00:00:00Z"))).toBe("2025-02-28");
  });

  it("alone is written as ISO 8601", () => {
    expect(momentText('moment "2 days ago"', nowMs)).toBe("2026-02-26T17:05:09Z");
    expect(momentText("moment 'now'", nowMs + 0.7)).toBe("2026-02-28T17:05:09Z");
  });

  it.each([
    "",
    "2 days",
    "in 2 days ago",
    "in 2 days from now",
    "ago",
    "2 fortnights ago",
    "100000 days ago",
    "-2 days ago",
    "1.5 days ago",
    "next tuesday",
    "YYYY",
  ])("is not %j", (words) => {
    expect(seen(words)).toBeUndefined();
  });
});

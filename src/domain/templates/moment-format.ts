type Time = Temporal.ZonedDateTime;

const months = "January February March April May June July August September October November December".split(" ");
const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const longForms: Readonly<Record<string, string>> = {
  LT: "h:mm A",
  LTS: "h:mm:ss A",
  L: "MM/DD/YYYY",
  LL: "MMMM D, YYYY",
  LLL: "MMMM D, YYYY h:mm A",
  LLLL: "dddd, MMMM D, YYYY h:mm A",
  l: "M/D/YYYY",
  ll: "MMM D, YYYY",
  lll: "MMM D, YYYY h:mm A",
  llll: "ddd, MMM D, YYYY h:mm A",
};

const tokens: Readonly<Record<string, (time: Time) => string>> = {
  ...numbered("M", ({ month }) => month, { padded: "MM", ordinal: "Mo" }),
  MMM: ({ month }) => (months[month - 1] ?? "").slice(0, 3),
  MMMM: ({ month }) => months[month - 1] ?? "",
  ...numbered("Q", ({ month }) => Math.ceil(month / 3), { ordinal: "Qo" }),
  ...numbered("D", ({ day }) => day, { padded: "DD", ordinal: "Do" }),
  ...numbered("DDD", ({ dayOfYear }) => dayOfYear, { padded: "DDDD", digits: 3, ordinal: "DDDo" }),
  ...numbered("d", weekdayOf, { ordinal: "do" }),
  dd: (time) => weekdayName(time).slice(0, 2),
  ddd: (time) => weekdayName(time).slice(0, 3),
  dddd: weekdayName,
  e: (time) => String(weekdayOf(time)),
  E: ({ dayOfWeek }) => String(dayOfWeek),
  ...numbered("w", (time) => Math.ceil(saturdayOf(time).dayOfYear / 7), { padded: "ww", ordinal: "wo" }),
  ...numbered("W", ({ weekOfYear }) => weekOfYear ?? 0, { padded: "WW", ordinal: "Wo" }),
  gg: (time) => filled(saturdayOf(time).year % 100, 2),
  gggg: (time) => filled(saturdayOf(time).year, 4),
  ggggg: (time) => filled(saturdayOf(time).year, 5),
  GG: ({ yearOfWeek }) => filled((yearOfWeek ?? 0) % 100, 2),
  GGGG: ({ yearOfWeek }) => filled(yearOfWeek ?? 0, 4),
  GGGGG: ({ yearOfWeek }) => filled(yearOfWeek ?? 0, 5),
  Y: ({ year }) => (year <= 9999 ? filled(year, 4) : `+${year}`),
  YY: ({ year }) => filled(year % 100, 2),
  YYYY: ({ year }) => filled(year, 4),
  YYYYY: ({ year }) => filled(year, 5),
  YYYYYY: ({ year }) => (year < 0 ? filled(year, 6) : `+${filled(year, 6)}`),
  ...numbered("y", yearOfEra, { padded: "yy", ordinal: "yo" }),
  yyy: (time) => filled(yearOfEra(time), 3),
  yyyy: (time) => filled(yearOfEra(time), 4),
  A: ({ hour }) => (hour < 12 ? "AM" : "PM"),
  a: ({ hour }) => (hour < 12 ? "am" : "pm"),
  ...numbered("H", ({ hour }) => hour, { padded: "HH" }),
  ...numbered("h", ({ hour }) => hour % 12 || 12, { padded: "hh" }),
  ...numbered("k", ({ hour }) => hour || 24, { padded: "kk" }),
  ...numbered("m", ({ minute }) => minute, { padded: "mm" }),
  ...numbered("s", ({ second }) => second, { padded: "ss" }),
  X: ({ epochMilliseconds }) => String(Math.floor(epochMilliseconds / 1000)),
  x: ({ epochMilliseconds }) => String(epochMilliseconds),
  Z: () => "+00:00",
  ZZ: () => "+0000",
  z: () => "UTC",
  zz: () => "Coordinated Universal Time",
};

/** `[text]` stands as it is, and so does a token after a backslash. Longer tokens come first. */
const parts = new RegExp(
  [
    /\[([^[\]]*)\]/,
    /(\\)?(Mo|M{1,4}|Qo?|DDDo|Do|D{1,4}|do|d{1,4}|wo|ww?|Wo|WW?|g{4,5}|gg|G{4,5}|GG|Y{4,6}|YY?|yo|y{1,4}|N{1,5}|HH?|hh?|kk?|mm?|ss?|S{1,9}|zz?|ZZ?|LTS?|L{1,4}|l{1,4}|[eEaAxX])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** A time by a format of moment.js, in English. */
export function formattedMoment(time: Time, format: string): string {
  return format.replace(parts, (_whole, literal?: string, escape?: string, token = "") => {
    if (literal !== undefined) return literal;
    return escape === undefined ? tokenText(time, token) : token;
  });
}

function tokenText(time: Time, token: string): string {
  const longForm = longForms[token];
  if (longForm !== undefined) return formattedMoment(time, longForm);
  if (token.startsWith("N")) return eraOf(time, token);
  if (token.startsWith("S")) return filled(time.millisecond, 3).padEnd(token.length, "0").slice(0, token.length);
  return tokens[token]?.(time) ?? token;
}

interface NumberForms {
  readonly padded?: string;
  readonly digits?: number;
  readonly ordinal?: string;
}

/** A number under its token, and under those that pad it to two digits and that make it an ordinal. */
function numbered(token: string, read: (time: Time) => number, { padded, digits = 2, ordinal }: NumberForms) {
  return {
    [token]: (time: Time) => String(read(time)),
    ...(padded !== undefined && { [padded]: (time: Time) => filled(read(time), digits) }),
    ...(ordinal !== undefined && { [ordinal]: (time: Time) => withSuffix(read(time)) }),
  };
}

function filled(value: number, digits: number): string {
  const text = String(Math.abs(value)).padStart(digits, "0");
  return value < 0 ? `-${text}` : text;
}

function withSuffix(value: number): string {
  const isTeen = Math.floor(value / 10) % 10 === 1;
  return value + ((isTeen ? undefined : ["th", "st", "nd", "rd"][value % 10]) ?? "th");
}

/** There is no year 0. */
function yearOfEra({ year }: Time): number {
  return year > 0 ? year : 1 - year;
}

function eraOf({ year }: Time, token: string): string {
  const [short, long] = year > 0 ? ["AD", "Anno Domini"] : ["BC", "Before Christ"];
  return token === "NNNN" ? long : short;
}

/** Sunday is 0. */
function weekdayOf({ dayOfWeek }: Time): number {
  return dayOfWeek % 7;
}

function weekdayName(time: Time): string {
  return weekdays[weekdayOf(time)] ?? "";
}

/** English weeks begin on Sunday, and the week with January 1 is a year's first: the Saturday of a week tells its year and its number. */
function saturdayOf(time: Time): Time {
  return time.add({ days: 6 - weekdayOf(time) });
}

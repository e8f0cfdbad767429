import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderText } from "#domain/templates/render-text.ts";
import { context } from "./template-contexts.ts";

const variables = { X: "a b/c?d&é", TOKEN: "t0", EMPTY: "", AGAIN: "{{X}} {{{TOKEN}}}", "with.dot-and": "dotted", HALF: "\ud800" };
const url = (template: string) => renderText(template, context(variables), "url");
const text = (template: string) => renderText(template, context(variables), "text");

describe("a template", () => {
  it.each([
    ["no braces", "no braces"],
    ["{{X}}", "a b/c?d&é"],
    ["{{{X}}}", "a b/c?d&é"],
    ["Bearer {{TOKEN}}", "Bearer t0"],
    ["{{TOKEN}}{{TOKEN}}", "t0t0"],
    ["{{ TOKEN }} {{{\tTOKEN\r\n}}}", "t0 t0"],
    ["[{{EMPTY}}]", "[]"],
    ["{{with.dot-and}}", "dotted"],
    ["{{AGAIN}}", "{{X}} {{{TOKEN}}}"],
    ['{"a":{{TOKEN}}}', '{"a":t0}'],
    ['{"a":{"b":{{TOKEN}}}}', '{"a":{"b":t0}}'],
    ['{"a":{{{TOKEN}}}}', '{"a":t0}'],
    ['{"a":{"b":{{{TOKEN}}}}}', '{"a":{"b":t0}}'],
    ["{{{TOKEN}}", "{t0"],
    ["{{{TOKEN}} }", "{t0 }"],
    ["{{{{TOKEN}}}}", "{t0}"],
    ["{{{{{{TOKEN}}}}}}", "{{{t0}}}"],
    ["{{TOKEN}}}}", "t0}}"],
    ["{{{{TOKEN}}", "{{t0"],
    ["{{X {{TOKEN}}", "{{X t0"],
  ])("of %j in a text becomes %j", (template, filled) => {
    expect(text(template)).toEqual({ text: filled, unknown: [] });
  });

  it.each([
    ["https://h/{{X}}", "https://h/a%20b%2Fc%3Fd%26%C3%A9"],
    ["https://h/{{{X}}}", "https://h/a b/c?d&é"],
    ["https://h/{{ X }}?t={{TOKEN}}", "https://h/a%20b%2Fc%3Fd%26%C3%A9?t=t0"],
    ["https://h/{{HALF}}", "https://h/%EF%BF%BD"],
    ["https://h/{{AGAIN}}", "https://h/%7B%7BX%7D%7D%20%7B%7B%7BTOKEN%7D%7D%7D"],
  ])("of %j in a URL becomes %j", (template, filled) => {
    expect(url(template)).toEqual({ text: filled, unknown: [] });
  });

  it("stays an address where a URL begins with a value that is one", () => {
    const given = context({ GROUP_BASE_URL: "https://u:p@h:8443/a?b=c", SCHEME: "http", HOST: "HTTP://h" });
    const filled = (template: string) => renderText(template, given, "url").text;
    expect(filled("{{GROUP_BASE_URL}}&d=1")).toBe("https://u:p@h:8443/a?b=c&d=1");
    expect(filled("{{HOST}}/x")).toBe("HTTP://h/x");
    expect(filled("{{SCHEME}}://h/?to={{GROUP_BASE_URL}}")).toBe("http://h/?to=https%3A%2F%2Fu%3Ap%40h%3A8443%2Fa%3Fb%3Dc");
  });

  it.each([
    '{"a":{"b":1}}',
    '{"a":{"b":{"c":[{}]}}}',
    "{{}}",
    "{{ }}",
    "{{{}}}",
    "{{X",
    "{{X}",
    "{X}",
    "{ {X} }",
    "{{X Y}}",
    "{{1X}}",
    "{{é}}",
    "{{#if X}}{{/if}}",
    "{{> partial}}",
    "{{! TOKEN }}",
    "{{~TOKEN~}}",
    "{{upper TOKEN}}",
    '{{moment "YYYY}}',
    "{{moment YYYY}}",
    '{{moment "now" "YYYY" "x"}}',
    '{{moment"YYYY"}}',
    "{{moment \"YYYY'}}",
    `{{${"A".repeat(300)}}}`,
  ])("is none in %j, and nothing is said of it", (given) => {
    expect(text(given)).toEqual({ text: given, unknown: [] });
    expect(url(given)).toEqual({ text: given, unknown: [] });
  });

  it("that nothing fills stays as it is, and is named once", () => {
    const given = "{{NOPE}} {{{ NOPE }}} {{TOKEN}} {{$OTHER}} {{moment}} {{__proto__}} {{constructor}}";
    expect(text(given)).toEqual({
      text: given.replace("{{TOKEN}}", "t0"),
      unknown: ["NOPE", "$OTHER", "moment", "__proto__", "constructor"],
    });
    expect(text('{{moment "long ago" "YYYY"}}')).toEqual({
      text: '{{moment "long ago" "YYYY"}}',
      unknown: ['moment "long ago" "YYYY"'],
    });
  });

  it("has identifiers, each a new one, and numbers from 0 to 10000", () => {
    let made = 0;
    const given = { ...context({}), uuid: () => `uuid-${(made += 1)}` };
    expect(renderText("{{$UUID}} {{{$UUID}}} {{ $UUID }}", given, "url").text).toBe("uuid-1 uuid-2 uuid-3");
    const number = (random: number) => renderText("{{$RANDOM_NUMBER}}", { ...given, random: () => random }, "text").text;
    expect([0, 0.5, 1 - Number.EPSILON].map(number)).toEqual(["0", "5000", "10000"]);
  });

  it("has times, encoded in URLs like any other value", () => {
    expect(text(`{{moment "YYYY-MM-DD"}} {{ moment '2 days ago' "DD/MM" }}`).text).toBe("2026-02-28 26/02");
    expect(url(`/{{moment "DD/MM"}}/{{{moment "DD/MM"}}}`).text).toBe("/28%2F02/28/02");
  });

  it("may be filled to 4 MB and not more", () => {
    const given = context({ BIG: "x".repeat(32_768) });
    expect(renderText("{{BIG}}".repeat(128), given, "text").text).toHaveLength(4_194_304);
    const tooLong = "a text of the request grows beyond 4 MB by the values of its templates";
    expect(() => renderText("{{BIG}}".repeat(129), given, "text")).toThrow(
      expect.objectContaining({ code: "invalid_input", message: tooLong }),
    );
    expect(() => renderText("{{BIG}}".repeat(70_000), given, "text")).toThrow(tooLong);
  });
});

describe("any text", () => {
  const plain = fc.string({ unit: fc.constantFrom("{", "}", "a", " ", '"', "$", "moment", "\n", "é") });

  it("without templates of known names stays as it is", () => {
    fc.assert(
      fc.property(plain, (given) => {
        expect(renderText(given, context({}), "text").text).toBe(given);
      }),
    );
  });

  it("around templates stays as it is, whatever the values are", () => {
    const piece = fc.string().filter((given) => !/[{}]/.test(given));
    fc.assert(
      fc.property(fc.array(piece, { minLength: 2 }), fc.string(), (pieces, value) => {
        const given = context({ V: value });
        expect(renderText(pieces.join("{{V}}"), given, "text").text).toBe(pieces.join(value));
        expect(renderText(`/${pieces.join("{{{V}}}")}`, given, "url").text).toBe(`/${pieces.join(value)}`);
        expect(renderText(`/${pieces.join("{{V}}")}`, given, "url").text).toBe(`/${pieces.join(encodeURIComponent(value.toWellFormed()))}`);
      }),
    );
  });

  it("of JSON stays JSON of the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const body = JSON.stringify(value);
        fc.pre(!/\{\{[^{}"]/.test(body));
        expect(renderText(body, context({}), "text")).toMatchObject({ text: body });
      }),
    );
  });

  // Quadratic work would need hours for texts of this length; the run's own limit ends such a test.
  it.each(["{{{{", "}}}}", "{{a", "{{a ", "{{ ", '{{moment "', "{{moment '", '{{moment "a" ', "{{{a}}", "{{$", "{", "{{moment\t\n"])(
    "of half a megabyte of %j takes linear time",
    (unit) => {
      const given = unit.repeat(Math.ceil(524_288 / unit.length));
      const tail = `${" ".repeat(524_288)}{{${"a".repeat(524_288)}{{moment "${"b".repeat(524_288)}`;
      expect(renderText(given + tail, context({}), "text").text).toBe(given + tail);
    },
  );
});

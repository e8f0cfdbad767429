import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NotificationPlace, placeOf } from "../../../src/domain/templates/place-encoder.ts";
import { renderNotification } from "../../../src/domain/templates/render-notification.ts";
import type { TemplateValue } from "../../../src/domain/templates/template-value.ts";
import { nastyText } from "../../support/nasty-text.ts";

const variables: Readonly<Record<string, TemplateValue>> = {
  NAME: 'a "b" & <c>',
  TYPE: "ALERT_FAILURE",
  MS: 412,
  REMINDER: false,
  TAGS: ["x", 'y"z'],
  NONE: [],
  EMPTY: "",
};
const context = (values = variables) => ({
  variables: values,
  nowMs: Date.UTC(2026, 10, 22, 8, 6, 59),
  random: () => 0.5,
  uuid: () => "the-uuid",
});
const rendered = (template: string, place: NotificationPlace = "text", values = variables) =>
  renderNotification(template, context(values), place);

describe("a template of a notification", () => {
  it.each([
    ["{{NAME}}", 'a "b" & <c>'],
    ["{{ NAME }}{{{NAME}}}", 'a "b" & <c>a "b" & <c>'],
    ["{{MS}} {{REMINDER}} {{TAGS}}", '412 false x, y"z'],
    ["{{$UUID}} {{$RANDOM_NUMBER}}", "the-uuid 5000"],
    ['{{moment "YYYY-MM-DD"}} {{moment "2 days ago" "DD"}}', "2026-11-22 20"],
    ["{{#if NAME}}yes{{else}}no{{/if}}{{#if EMPTY}}yes{{else}}no{{/if}}", "yesno"],
    ["{{#if NONE}}1{{/if}}{{#if REMINDER}}2{{/if}}{{#if MS}}3{{/if}}{{#if NOWHERE}}4{{/if}}", "3"],
    ["{{#unless REMINDER}}first{{/unless}}", "first"],
    [`{{#eq TYPE "ALERT_FAILURE"}}DOWN{{/eq}}{{#eq TYPE 'ALERT_RECOVERY'}}UP{{/eq}}`, "DOWN"],
    ["{{#eq TYPE 'X'}}1{{else}}{{#eq TYPE 'ALERT_FAILURE'}}2{{else}}3{{/eq}}{{/eq}}", "2"],
    ["{{#ne TYPE 'X'}}other{{/ne}}{{#gt MS 400}}slow{{/gt}}{{#lt MS 400}}fast{{/lt}}", "otherslow"],
    ["{{#contains TAGS 'x'}}1{{/contains}}{{#contains TAGS 'z'}}2{{/contains}}{{#contains TYPE 'FAIL'}}3{{/contains}}", "13"],
    ["{{#each TAGS}}{{@index}}{{this}}{{#unless @last}}, {{/unless}}{{/each}}", '0x, 1y"z'],
    ["{{#each NONE}}x{{else}}none{{/each}}", "none"],
    ["a{{! said to nobody }}b{{!-- nor {{this}} --}}c", "abc"],
    ['{"a":{"b":"{{TYPE}}"}}', '{"a":{"b":"ALERT_FAILURE"}}'],
  ])("%s becomes %s", (template, expected) => {
    expect(rendered(template)).toEqual({ text: expected, unknown: [] });
  });

  it.each([
    ["{{NOWHERE}}", ["{{NOWHERE}}"]],
    ["{{upper NAME}}", ["{{upper NAME}}"]],
    ["{{#if NAME}}x", ["{{#if NAME}}"]],
    ["x{{/if}}", ["{{/if}}"]],
    ["{{else}}", ["{{else}}"]],
    ["{{#with NAME}}x{{/with}}", ["{{#with NAME}}", "{{/with}}"]],
    ["{{constructor}} {{__proto__}}", ["{{constructor}}", "{{__proto__}}"]],
  ])("%s stays as it is, and is told", (template, unknown) => {
    expect(rendered(template)).toEqual({ text: template, unknown });
  });

  it("fills no values of values", () => {
    expect(rendered("{{NAME}}", "text", { NAME: "{{TYPE}}{{#if X}}", TYPE: "t" }).text).toBe("{{TYPE}}{{#if X}}");
  });

  it.each([
    ["url", "a%20%22b%22%20%26%20%3Cc%3E", 'a "b" & <c>'],
    ["form", "a%20%22b%22%20%26%20%3Cc%3E", 'a "b" & <c>'],
    ["markup", "a &#34;b&#34; &#38; &#60;c&#62;", 'a "b" & <c>'],
    ["text", 'a "b" & <c>', 'a "b" & <c>'],
  ] as const)("for %s writes two braces encoded and three as they are", (place, two, three) => {
    expect(rendered("{{NAME}}|{{{NAME}}}", place).text).toBe(`${two}|${three}`);
  });

  it("for JSON writes values without quotes where the template has none", () => {
    const template = '{"name": {{NAME}}, "ms": {{MS}}, "tags": {{TAGS}}, "again": {{REMINDER}}, "list": "{{TAGS}}"}';
    expect(JSON.parse(rendered(template, "json").text)).toEqual({
      name: 'a "b" & <c>',
      ms: 412,
      tags: ["x", 'y"z'],
      again: false,
      list: 'x, y"z',
    });
  });

  it("for JSON lets no value out of its text, with two braces or three", () => {
    fc.assert(
      fc.property(nastyText, fc.array(nastyText), (name, tags) => {
        const template =
          '{"a": "say \\"{{NAME}}\\" {{{NAME}}}", "b": [{{#each TAGS}}"{{this}}"{{#unless @last}},{{/unless}}{{/each}}], "c": {{NAME}}}';
        const parsed = JSON.parse(rendered(template, "json", { NAME: name, TAGS: tags }).text);
        const whole = (text: string) => text.toWellFormed();
        expect(parsed).toEqual({ a: `say "${whole(name)}" ${whole(name)}`, b: tags.map(whole), c: name });
      }),
    );
  });

  it("gives up where lists in lists would go on without end", () => {
    const deep = `${"{{#each TAGS}}".repeat(8)}${"{{/each}}".repeat(8)}`;
    const values = { TAGS: Array.from({ length: 50 }, String) };
    expect(() => rendered(deep, "text", values)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });

  it("gives up where a list repeats what takes time and writes nothing", () => {
    const busy = `${"{{#each TAGS}}".repeat(2)}${'{{moment ""}}{{! nothing }}'.repeat(1_000)}${"{{/each}}".repeat(2)}`;
    const tags = Array.from({ length: 46 }, (_, index) => `t${index}`);
    expect(() => rendered(busy, "text", { TAGS: tags })).toThrow("the template repeats its lists more often than 100000 times");
  });

  it("gives up beyond 1 MB", () => {
    expect(() => rendered("{{NAME}}".repeat(2_000), "text", { NAME: "x".repeat(1_000) })).toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
  });

  it("stands any text", () => {
    const parts = fc.constantFrom(
      "{{",
      "}}",
      "{",
      "}",
      "#if ",
      "#each TAGS",
      "/each",
      "else",
      "/if",
      "NAME",
      "this",
      '"',
      "!--",
      "--",
      " ",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), fc.constantFrom<NotificationPlace>("json", "text", "url"), (words, place) => {
        expect(typeof rendered(words.join(""), place).text).toBe("string");
      }),
    );
  });
});

describe("what a template is", () => {
  it.each([
    ["application/json", "x", "json"],
    ["application/vnd.api+json; charset=utf-8", "x", "json"],
    ["application/x-www-form-urlencoded", '{"a":1}', "form"],
    ["text/html", "x", "markup"],
    ["application/xml", "x", "markup"],
    ["text/plain", '{"a":1}', "text"],
    [undefined, ' {"a": {{X}}}', "json"],
    [undefined, "{{#each TAGS}}[1]{{/each}}", "json"],
    [undefined, "{{NAME}} failed", "text"],
    [undefined, "", "text"],
  ] as const)("%s with %s is %s", (contentType, template, place) => {
    expect(placeOf(contentType, template)).toBe(place);
  });
});

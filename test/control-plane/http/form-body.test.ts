import { describe, expect, it } from "vitest";
import { parseForm, refuseFormByHead, signedInBounds, visitorBounds } from "../../../src/control-plane/http/form-body.ts";

const formType = "application/x-www-form-urlencoded; charset=utf-8";
const fields = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, index) => `f${index}=v`).join("&"));

describe("the body of a form", () => {
  it("has as many fields as its bounds say, and not one more", () => {
    for (const bounds of [visitorBounds, signedInBounds]) {
      expect(parseForm(fields(bounds.pairs), formType, bounds).size).toBe(bounds.pairs);
      expect(() => parseForm(fields(bounds.pairs + 1), formType, bounds)).toThrow(`more than ${bounds.pairs} fields`);
    }
  });

  it("has a field as often as its bounds say, and not once more", () => {
    const often = (count: number): Buffer => Buffer.from("rows=1&".repeat(count) + "other=1");
    expect(parseForm(often(2_000), formType, signedInBounds).getAll("rows")).toHaveLength(2_000);
    expect(() => parseForm(often(2_001), formType, signedInBounds)).toThrow('The form has "rows" more than 2000 times');
  });

  it("may be empty, and is else of the type that browsers send", () => {
    expect([...parseForm(undefined, undefined, visitorBounds)]).toEqual([]);
    expect([...parseForm(Buffer.from("a=%26&a=+"), formType, visitorBounds)]).toEqual([
      ["a", "&"],
      ["a", " "],
    ]);
    expect(() => parseForm(fields(1), "text/plain", visitorBounds)).toThrow("application/x-www-form-urlencoded");
    expect(() => parseForm(fields(1), undefined, visitorBounds)).toThrow("application/x-www-form-urlencoded");
  });

  it("is refused by its head where it is compressed or too long", () => {
    for (const encoding of ["gzip", "br", "GZIP", "identity, gzip"])
      expect(() => refuseFormByHead({ "content-encoding": encoding }, visitorBounds)).toThrow("must not be compressed");
    expect(() => refuseFormByHead({ "content-length": "65537" }, visitorBounds)).toThrow("65537 bytes; at most 65536");
    expect(() => refuseFormByHead({ "content-length": "65536", "content-encoding": "identity" }, visitorBounds)).not.toThrow();
    expect(() => refuseFormByHead({}, visitorBounds)).not.toThrow();
  });
});

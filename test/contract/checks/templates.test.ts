import { describe, expect, it } from "vitest";
import { CheckGroupCreate } from "#contract/check-groups.ts";
import { apiCheck } from "#contract/checks/api.ts";
import { urlCheck } from "#contract/checks/url.ts";
import { PrivateLocationCreate } from "#contract/private-locations.ts";

const texts = ["{{X}}", "{{{X}}}/a", "https://{{HOST}}:{{PORT}}/{{$UUID}}", '{{moment "2 days ago" "YYYY"}}'];

describe.each(texts)("%s", (text) => {
  it("is taken wherever templates are filled in", () => {
    const entry = { key: "k", value: text, locked: true };
    const request = {
      method: "POST",
      url: text,
      body: text,
      headers: [entry],
      queryParameters: [entry],
      basicAuth: { username: text, password: text },
    };
    expect(apiCheck.create.parse({ name: "a", request }).request).toMatchObject(request);
    expect(urlCheck.create.parse({ name: "a", request: { url: text } }).request).toMatchObject({ url: text });
    expect(PrivateLocationCreate.parse({ name: "a", slugName: "a", proxyUrl: text }).proxyUrl).toBe(text);
    expect(CheckGroupCreate.parse({ name: "a", apiCheckDefaults: { url: text } }).apiCheckDefaults.url).toBe(text);
  });
});

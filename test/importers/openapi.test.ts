import { describe, expect, it } from "vitest";
import { importOpenApi } from "../../src/importers/openapi/openapi.ts";
import { parsed, passes, secret, sound, told } from "./imported-support.ts";

const shop = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
servers:
  - url: https://{region}.shop.example/v1/
    variables:
      region: { default: eu, enum: [eu, us] }
security:
  - bearerAuth: []
paths:
  /products:
    get:
      operationId: listProducts
      summary: List products
      description: |
        All of them.
      tags: [catalogue]
      parameters:
        - { name: limit, in: query, required: true, schema: { type: integer, default: 20 } }
        - { name: sort, in: query, schema: { type: string } }
        - { name: ids, in: query, required: true, example: [1, 2] }
        - $ref: "#/components/parameters/Trace"
      responses:
        "200": { description: ok }
        "404": { description: none }
    post: { responses: { "201": { description: made } } }
  /products/{productId}:
    parameters:
      - { name: productId, in: path, required: true, schema: { type: string, examples: [a/b] } }
    get:
      security: []
      responses: { 2XX: { description: ok } }
    delete: { responses: { "204": { description: gone } } }
  /orders/{orderId}:
    get:
      parameters: [{ name: orderId, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: ok } }
  /old:
    get: { deprecated: true, responses: { "200": { description: ok } } }
  /login:
    get:
      security: [{ basic: [], key: [] }]
      responses: { "302": { description: away } }
  /ping:
    servers: [{ url: /relative }]
    get: { responses: { "200": { description: ok } } }
components:
  parameters:
    Trace: { name: X-Trace, in: header, required: true, examples: { one: { value: abc } } }
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
    basic: { type: http, scheme: basic }
    key: { type: apiKey, in: query, name: api_key }
`;

describe("an OpenAPI document", () => {
  it("gives a check per GET operation, with what the document says of it", () => {
    const { checks } = sound(importOpenApi(shop));
    expect(checks.map(({ name }) => name)).toEqual(["List products", "GET /products/{productId}", "GET /login"]);
    const [list, one, login] = checks.map(parsed);
    expect(list).toMatchObject({
      description: "All of them.",
      tags: ["catalogue"],
      request: {
        method: "GET",
        url: "https://eu.shop.example/v1/products",
        queryParameters: [
          { key: "limit", value: "20" },
          { key: "ids", value: "1" },
          { key: "ids", value: "2" },
        ],
        headers: [
          { key: "X-Trace", value: "abc", locked: false },
          { key: "Authorization", value: "Bearer {{BEARER_AUTH}}", locked: true },
        ],
      },
    });
    expect(one.request).toMatchObject({ url: "https://eu.shop.example/v1/products/a%2Fb", headers: [] });
    expect(login.request).toMatchObject({
      followRedirects: false,
      basicAuth: { username: "{{BASIC_USERNAME}}", password: "{{BASIC_PASSWORD}}" },
      queryParameters: [{ key: "api_key", value: "{{KEY}}", locked: true }],
    });
  });

  it("asserts the documented success", () => {
    const { checks } = importOpenApi(shop);
    const statuses = (index: number) => [200, 201, 299, 302, 404].filter((statusCode) => passes(checks[index], { statusCode }));
    expect([statuses(0), statuses(1), statuses(2)]).toEqual([[200], [200, 201, 299], [302]]);
  });

  it("tells what is no check", () => {
    expect(told(importOpenApi(shop)).toSorted()).toEqual([
      "components.securitySchemes.basic: calls need the secret environment variable BASIC_USERNAME and BASIC_PASSWORD: create it",
      "components.securitySchemes.bearerAuth: calls need the secret environment variable BEARER_AUTH: create it",
      "components.securitySchemes.key: calls need the secret environment variable KEY: create it",
      "paths./old.get: left out: it is deprecated",
      'paths./orders/{orderId}.get: left out: the required path parameter "orderId" has no example, default or enum that can be sent',
      "paths./ping.get: left out: no server of it has an absolute http or https address",
      "paths: operations that are not GET are left out, since they may change something: 1 POST, 1 DELETE",
    ]);
  });

  it.each([
    [{ responses: { "200": {}, "202": {}, "204": {} } }, [200, 202, 204]],
    [{ responses: { default: {} } }, [200, 201, 202, 203, 204, 302, 404]],
    [{}, [200, 201, 202, 203, 204, 302, 404]],
  ])("understands the responses of %j", (operation, expected) => {
    const { checks } = sound(importOpenApi(JSON.stringify(withOperation(operation))));
    const statuses = [200, 201, 202, 203, 204, 302, 404].filter((statusCode) => passes(checks[0], { statusCode }));
    expect(statuses).toEqual(expected);
  });

  it.each([
    [
      { name: "q", in: "query", required: true, content: { "application/json": { example: { a: 1 } } } },
      { queryParameters: [{ key: "q", value: '{"a":1}' }] },
    ],
    [
      { name: "q", in: "query", required: true, explode: false, schema: { example: ["a", "b"] } },
      { queryParameters: [{ key: "q", value: "a,b" }] },
    ],
    [
      { name: "q", in: "query", required: true, schema: { $ref: "#/components/schemas/Q" } },
      { queryParameters: [{ key: "q", value: "first" }] },
    ],
    [
      { name: "sid", in: "cookie", required: true, example: secret },
      { headers: [{ key: "Cookie", value: `sid=${secret}`, locked: true }] },
    ],
    [{ name: "Accept", in: "header", required: true }, { headers: [] }],
  ])("fills in %j", (parameter, request) => {
    const document = { ...withOperation({ parameters: [parameter] }), components: { schemas: { Q: { enum: ["first", "second"] } } } };
    expect(parsed(sound(importOpenApi(JSON.stringify(document))).checks[0]).request).toMatchObject(request);
  });

  it.each([
    [{ $ref: "other.yaml#/x" }],
    [{ $ref: "#/components/parameters/Loop" }],
    [{ name: "q", in: "query", required: true, example: { deep: secret } }],
    [{ name: "id", in: "query" }, "/x/{undeclared}"],
  ])("leaves out an operation whose parameter %j cannot be filled in", (parameter, path = "/x") => {
    const document = {
      ...withOperation({ parameters: [parameter] }, path),
      components: { parameters: { Loop: { $ref: "#/components/parameters/Loop" } } },
    };
    const imported = sound(importOpenApi(JSON.stringify(document)));
    expect(imported.checks).toEqual([]);
    expect(told(imported).join()).toContain(`paths.${path}.get: left out`);
  });

  it.each([
    ["", "the file is empty"],
    ["swagger: '2.0'", "Swagger 2.0"],
    ["- a", "no field openapi"],
    [`openapi: 3.0.0\ninfo: "${secret}`, "is no YAML or JSON"],
  ])("is refused when it is none: %j", (text, message) => {
    expect(() => importOpenApi(text)).toThrow(message);
    expect(() => importOpenApi(text)).not.toThrow(secret);
  });

  function withOperation(operation: object, path = "/x"): object {
    return { openapi: "3.0.3", servers: [{ url: "https://a.example" }], paths: { [path]: { get: operation } } };
  }
});

import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathError,
  type JSONPathNode,
  JSONPathNodeList,
  type JSONPathQuery,
  type JSONValue,
  jsonpath,
} from "json-p3";
import { BoundedCache } from "../bounded-cache.ts";
import { isObject, sameJson } from "./json-equality.ts";
import { patternOf } from "./pattern.ts";
import { TooMuchWork, WorkBudget } from "./work-budget.ts";

/** A JSONPath (RFC 9535) of a user, compiled once. */
export type JsonPath = { readonly query: JSONPathQuery } | { readonly problem: string };

/** `..` looks this deep; below, the query fails. Each level costs a nested generator. */
const maxDepth = 512;
const maxSourceLength = 2_000;
/** Visiting one value costs about 500 ns, a step of the budget about 20 ns. */
const stepsPerValue = 40;

/** The budget of the query that runs now. Queries are synchronous, so there is never a second one. */
let budget = new WorkBudget();

class MeteredEnvironment extends JSONPathEnvironment {
  constructor() {
    super({ maxRecursionDepth: maxDepth });
    // match() and search() of a filter come from the user, and their pattern may even come from the target.
    this.functionRegister.set(
      "match",
      patternFunction("match", (source) => `^(?:${source})$`),
    );
    this.functionRegister.set(
      "search",
      patternFunction("search", (source) => source),
    );
    const length = this.functionRegister.get("length");
    if (length !== undefined) this.functionRegister.set("length", meteredLength(length));
  }

  override entries(object: { [key: string]: JSONValue }): [string, JSONValue][] {
    const entries = Object.entries(object);
    spend(entries.length);
    return entries;
  }
}

const environment = new MeteredEnvironment();
const paths = new BoundedCache<JsonPath>(256, compile);

/** Compiles, or says in a sentence why not; "" is the whole document. The last 256 paths are kept, refused ones too. */
export function jsonPathOf(source: string): JsonPath {
  if (source.length > maxSourceLength) return { problem: `the JSONPath is longer than ${maxSourceLength} characters` };
  return paths.get(source === "" ? "$" : source);
}

/**
 * All values at the path.
 *
 * @throws {TooMuchWork} when the query visits too many values (2.5 million with a whole budget) or too deep ones
 */
export function valuesAt(path: Exclude<JsonPath, { problem: string }>, document: unknown, work: WorkBudget): unknown[] {
  budget = work;
  try {
    return Array.from(path.query.lazyQuery(document as JSONValue), (node) => node.value);
  } catch (error) {
    // The library's own limit, or its recursive comparison of two deep values.
    if (error instanceof JSONPathError || error instanceof RangeError) {
      throw new TooMuchWork(`the JSONPath meets values that are nested deeper than ${maxDepth} levels`, { cause: error });
    }
    throw error;
  }
}

function compile(source: string): JsonPath {
  try {
    return { query: metered(environment.compile(source)) };
  } catch (error) {
    const reason = error instanceof JSONPathError ? error.message : "it nests too deeply";
    return { problem: `the JSONPath is not valid: ${reason}` };
  }
}

/**
 * Makes every selector of a compiled query pay for what it visits. The library has no hook for that, and a query
 * such as `$[?count($..*) > 1]` grows with the square of the document.
 */
function metered(query: JSONPathQuery): JSONPathQuery {
  for (const segment of query.segments) {
    // The library's own resolve() spreads nodes as arguments, which overflows the stack from about 100,000 on.
    segment.resolve = (nodes) => Array.from(segment.lazyResolve(nodes));
    for (const selector of segment.selectors) {
      const resolve = selector.resolve.bind(selector);
      const takesOne = selector instanceof jsonpath.selectors.NameSelector || selector instanceof jsonpath.selectors.IndexSelector;
      selector.resolve = (node) => {
        spend(1 + node.location.length / 8 + (takesOne ? 0 : lengthOf(node)));
        return resolve(node);
      };
      if (selector instanceof jsonpath.selectors.FilterSelector) meterExpression(selector.expression);
    }
  }
  return query;
}

function meterExpression(expression: jsonpath.expressions.FilterExpression): void {
  const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression } = jsonpath.expressions;
  if (expression instanceof FilterQuery) metered(expression.path);
  else if (expression instanceof FunctionExtension) expression.args.forEach(meterExpression);
  else if (expression instanceof LogicalExpression) meterExpression(expression.expression);
  else if (expression instanceof PrefixExpression) meterExpression(expression.right);
  else if (expression instanceof InfixExpression) {
    meterExpression(expression.left);
    meterExpression(expression.right);
    if (!expression.logical) meterComparison(expression);
  }
}

/** Objects and arrays are compared here: the library recurses, and lists all keys before it looks at lengths. */
function meterComparison(infix: jsonpath.expressions.InfixExpression): void {
  infix.evaluate = (context) => {
    const left = onlyValue(infix.left.evaluate(context));
    const right = onlyValue(infix.right.evaluate(context));
    if (!isObject(left) || !isObject(right) || isNodeList(left) || isNodeList(right)) {
      return jsonpath.expressions.compare(left, infix.operator, right);
    }
    if (infix.operator === "<" || infix.operator === ">") return false;
    return sameJson(left, right, spend) === (infix.operator !== "!=");
  };
}

function onlyValue(operand: unknown): unknown {
  return isNodeList(operand) && operand.nodes.length === 1 ? operand.nodes[0]?.value : operand;
}

function isNodeList(operand: unknown): operand is JSONPathNodeList {
  return operand instanceof JSONPathNodeList;
}

/** length() of a text counts its characters one by one. */
function meteredLength(length: jsonpath.FilterFunction): jsonpath.FilterFunction {
  return {
    argTypes: length.argTypes,
    returnType: length.returnType,
    call(value: unknown): unknown {
      if (typeof value === "string") budget.spend(value.length, "length() in the JSONPath");
      else if (isObject(value) && !Array.isArray(value)) spend(Object.keys(value).length);
      return length.call(value);
    },
  };
}

function patternFunction(name: string, wrap: (source: string) => string): jsonpath.FilterFunction {
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, source: unknown): boolean {
      if (typeof text !== "string" || typeof source !== "string") return false;
      const pattern = patternOf(wrap(withIRegexpDots(source)));
      if ("problem" in pattern) return false; // RFC 9535 §2.4.6: what is no I-Regexp matches nothing
      budget.spend(pattern.size * (text.length + 8), `${name}() in the JSONPath`);
      return pattern.engine.matcher(text).find();
    },
  };
}

/** In an I-Regexp (RFC 9485) a dot is neither line feed nor carriage return; in RE2 it is only no line feed. */
function withIRegexpDots(source: string): string {
  return source.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]|\./g, (token) => (token === "." ? "[^\\n\\r]" : token));
}

function lengthOf(node: JSONPathNode): number {
  return Array.isArray(node.value) ? node.value.length : 0;
}

function spend(values: number): void {
  budget.spend(values * stepsPerValue, "the JSONPath");
}

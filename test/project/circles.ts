import { posix } from "node:path";
import { importsOf } from "./imports.ts";

/** Files by their paths relative to src/. */
export type Sources = ReadonlyMap<string, string>;

/** Groups of nodes of which each reaches each other, sorted; a node alone is none. (Tarjan, SIAM J. Comput. 1972.) */
export function circlesAmong(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const mine = order.size;
    order.set(node, mine);
    stack.push(node);
    let low = mine;
    for (const next of arrows.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low);
    }
    lowest.set(node, low);
    if (low === mine) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low;
  };
  for (const node of arrows.keys()) if (!order.has(node)) visit(node);
  return circles.toSorted((one, other) => one.join().localeCompare(other.join()));
}

/** Which file imports which, types too. */
export function fileArrows(sources: Sources): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    [...sources].map(([file, source]) => [
      file,
      new Set(
        importsOf(source)
          .map((specifier) => targetOf(file, specifier))
          .filter((target) => sources.has(target)),
      ),
    ]),
  );
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("#")) return specifier.slice(1);
  return specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : "";
}

import { type PageMetric, pageMetrics } from "#contract/checks/playwright-run.ts";
import type { PageFigures } from "#domain/page-figures.ts";
import type { BulkColumns, Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { thousandths } from "./result-rows.ts";

/** The pages of one result that is to be written. */
export interface NewPages {
  readonly checkId: number;
  readonly startedAtUs: number;
  readonly id: number;
  readonly pages: readonly PageFigures[];
}

const columns: BulkColumns = {
  check_id: "int8",
  started_at_us: "int8",
  id: "int8",
  page: "int8",
  ...Object.fromEntries(pageMetrics.map((_name, index) => [`m${index + 1}`, "int8" as const])),
};

export async function writePages(engine: Engine, trx: Trx, written: readonly NewPages[]): Promise<void> {
  const rows = written
    .toSorted((a, b) => a.checkId - b.checkId || a.startedAtUs - b.startedAtUs || a.id - b.id)
    .flatMap(({ checkId, startedAtUs, id, pages }) =>
      pages.map(({ page, values }) => [checkId, startedAtUs, id, page, ...pageMetrics.map((name) => stored(values, name))]),
    );
  if (rows.length > 0) await engine.insertMany(trx, "page_figures", columns, rows);
}

function stored(values: PageFigures["values"], name: PageMetric): number | null {
  const value = values[name];
  return value === undefined ? null : thousandths(value);
}

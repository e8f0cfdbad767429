import { type CatalogRuntime, runtimeCatalog } from "#contract/runtime-catalog.ts";
import { getRuntime, listRuntimes, type Runtime } from "#contract/runtimes.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";

export function runtimeHandlers(): readonly Handler[] {
  return [
    handler(listRuntimes, async () => runtimeCatalog.map(runtimeView)),
    handler(getRuntime, async ({ params: { id } }) => {
      const found = runtimeCatalog.find(({ name }) => name === id);
      if (found === undefined) throw new AppError("not_found", `There is no runtime ${id}`);
      return runtimeView(found);
    }),
  ];
}

function runtimeView(runtime: CatalogRuntime): Runtime {
  return { ...runtime, dependencies: { ...runtime.dependencies } };
}

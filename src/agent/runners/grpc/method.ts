import type { DescMessage, DescService, Registry } from "@bufbuild/protobuf";
import { ProbeError } from "../../net/probe-error.ts";
import { told } from "./file-registry.ts";

/** What a call needs to know of its method. */
export interface Method {
  /** `/shop.v1.Orders/Get` */
  readonly path: string;
  readonly input: DescMessage;
  readonly output: DescMessage;
  readonly registry: Registry;
}

const maxMethods = 100;

/** @throws {ProbeError} EGRPCMETHOD where there is no such method, or it streams */
export function findMethod(registry: Registry, service: string, name: string): Method {
  const desc = registry.getService(service);
  if (desc === undefined) throw new ProbeError("EGRPCMETHOD", `the descriptor has no service ${told(service)}`);
  const method = desc.methods.find((one) => one.name === name);
  if (method === undefined) throw new ProbeError("EGRPCMETHOD", `the service ${service} has no method ${told(name)}${among(desc)}`);
  if (method.methodKind !== "unary")
    throw new ProbeError("EGRPCMETHOD", `the method ${name} of ${service} streams; only unary calls are made`);
  return { path: `/${service}/${name}`, input: method.input, output: method.output, registry };
}

/** `shop.v1.Orders/Get` of each method, for the result. */
export function methodsOf(registry: Registry, service: string): string[] {
  const methods = registry.getService(service)?.methods ?? [];
  return methods.slice(0, maxMethods).map(({ name }) => `${service}/${name}`.slice(0, 2_000));
}

function among({ methods }: DescService): string {
  const names = methods.slice(0, 10).map(({ name }) => name.slice(0, 100));
  return names.length === 0 ? "" : ` (it has ${names.join(", ")}${methods.length > names.length ? " …" : ""})`;
}

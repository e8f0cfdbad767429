import { maxGrpcTimeoutSeconds } from "#contract/checks/grpc.ts";
import { textOf } from "../yaml-text.ts";
import { hostAndPort, ipFamilyOf, tellOthers, tlsFields } from "./module-fields.ts";
import type { Prober } from "./prober.ts";

/** A gRPC monitor that asks the standard health service, as the prober does. */
export const grpcCheckOf: Prober = (importing, module, target, where) => {
  const { settings, timeoutMs } = module;
  tellOthers(importing, module, ["service", "tls", "tls_config", "preferred_ip_protocol", "ip_protocol_fallback"]);
  const address = hostAndPort(target.replace(/^https?:\/\//i, ""));
  if (address?.port === undefined) {
    importing.warn(where, "left out: a gRPC target is host:port");
    return undefined;
  }
  const timeout = timeoutMs === undefined ? null : Math.min(maxGrpcTimeoutSeconds, Math.max(1, Math.ceil(timeoutMs / 1_000)));
  return {
    checkType: "GRPC",
    request: {
      url: address.host,
      port: address.port,
      timeout,
      ...tlsFields(importing, module),
      ...ipFamilyOf(settings),
      grpcConfig: { mode: "HEALTH", tls: settings["tls"] === true, service: textOf(settings["service"]) ?? "" },
    },
  };
};

import { Endpoints } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { endpointsPrinter } from "./printer.ts";

/** Endpoints. */
export function endpointsDefinition(): KindDefinition {
  return {
    kind: Endpoints,
    printer: endpointsPrinter,
    deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    strategy: { generation: "none", createOnUpdate: true },
  };
}

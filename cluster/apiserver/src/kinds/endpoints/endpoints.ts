import { Endpoints } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { endpointsPrinter } from "./printer.ts";

/** Endpoints. */
export function endpointsDefinition(): KindDefinition {
  return {
    kind: Endpoints,
    printer: endpointsPrinter,
    strategy: { generation: "none", createOnUpdate: true },
  };
}

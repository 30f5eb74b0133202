import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { ApiObject } from "../../registry/types.ts";
import { validateLease } from "./validation.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { leasePrinter } from "./printer.ts";

/** Leases. */
export function leaseDefinition(): KindDefinition {
  return {
    kind: Lease,
    printer: leasePrinter,
    strategy: {
      prepareForCreate: dropElection,
      prepareForUpdate: dropElection,
      validate: validateLease,
      generation: "none",
      createOnUpdate: true,
      unconditionalUpdate: false,
    },
  };
}

/** Coordinated leader election is switched off in Kubernetes, which forgets its fields. */
function dropElection(object: ApiObject): void {
  const { spec } = decodedAs(Lease, object);
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

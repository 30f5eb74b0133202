import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { sentAs } from "../sent.ts";
import { validateSecret, validateSecretUpdate } from "../validation/secret.ts";

/** Secrets. */
export function secretDefinition(): KindDefinition {
  return {
    kind: Secret,
    strategy: {
      // What is wrong with the change comes first.
      validate: (object, previous) => [
        ...(previous === undefined ? [] : validateSecretUpdate(object, previous)),
        ...validateSecret(object),
      ],
      selectableFieldNames: ["type"],
      selectableFields: (object) => ({ type: sentAs(Secret, object).type ?? "" }),
      generation: "none",
    },
  };
}

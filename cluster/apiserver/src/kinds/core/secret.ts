import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { sentAs } from "../sent.ts";
import { validateSecret, validateSecretUpdate } from "../validation/secret.ts";

/** Secrets. */
export function secretDefinition(): KindDefinition {
  return {
    kind: Secret,
    strategy: {
      validate: validateSecret,
      validateUpdate: validateSecretUpdate,
      selectableFieldNames: ["type"],
      selectableFields: (object) => ({ type: sentAs(Secret, object).type ?? "" }),
      generation: "none",
    },
  };
}

import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { validateSecret, validateSecretUpdate } from "./validation.ts";
import { secretPrinter } from "./printer.ts";

/** Secrets. */
export function secretDefinition(): KindDefinition {
  return {
    kind: Secret,
    printer: secretPrinter,
    strategy: {
      // What is wrong with the change comes first.
      validate: (object, previous) => [
        ...(previous === undefined ? [] : validateSecretUpdate(object, previous)),
        ...validateSecret(object),
      ],
      warnings: (object) => certificateWarnings(decodedAs(Secret, object)),
      selectableFieldNames: ["type"],
      selectableFields: (object) => ({ type: decodedAs(Secret, object).type ?? "" }),
      emptyCounts: ["data"],
      generation: "none",
    },
  };
}

/** A certificate that cannot be one. What else may be wrong with a pair is found by who uses it. */
function certificateWarnings({ type, data }: Decoded<Secret>): readonly string[] {
  if (type !== "kubernetes.io/tls") return [];
  const text = Buffer.from(data?.["tls.crt"] ?? "", "base64").toString("latin1");
  return text.includes("-----BEGIN ") ? [] : ["tls: failed to find any PEM data in certificate input"];
}

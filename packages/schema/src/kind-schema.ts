import type { JSONSchemaProps } from "@kedge/machinery/kinds/apiextensions/v1";
import type { KindDefinition } from "./kind-definition.ts";
import { structuralOf } from "./structural/structural-of.ts";

/** The structural schema of whole objects of a kind. */
export function kindSchema(definition: KindDefinition): JSONSchemaProps {
  const { name, spec, status } = definition;
  return {
    description: definition.description,
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: {
        type: "object",
        ...(name !== undefined && { properties: { name: structuralOf(name, "metadata.name") } }),
      },
      spec: structuralOf(spec, "spec"),
      status: structuralOf(status, "status"),
    },
    required: ["spec"],
  };
}

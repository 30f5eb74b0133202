import { isConditionTrue } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import type { JsonSchema } from "@kedge/validation";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";

/** A CustomResourceDefinition as it was sent: anything may be missing. */
export type Definition = Decoded<CustomResourceDefinition>;
export type DefinitionSpec = NonNullable<Definition["spec"]>;
export type DefinitionNames = NonNullable<DefinitionSpec["names"]>;
export type DefinitionVersion = NonNullable<DefinitionSpec["versions"]>[number];
export type DefinitionStatus = NonNullable<Definition["status"]>;

/** The object as its type. */
export function definitionOf(object: StoredApiObject): Definition {
  return decodedAs(CustomResourceDefinition, object);
}

/** The schema of a version; undefined when it has none. */
export function schemaOf(version: DefinitionVersion): JsonSchema | undefined;
export function schemaOf(version: DefinitionVersion): unknown {
  // The decoder has held it against the type of JSONSchemaProps.
  return version.schema?.openAPIV3Schema ?? undefined;
}

/** What is written into the store. */
export function storageVersionOf({ spec }: Definition): string {
  return spec?.versions?.find(({ storage }) => storage === true)?.name ?? "";
}

/** Whether a condition of the definition holds. */
export function holds({ status }: Definition, type: string): boolean {
  const conditions = (status?.conditions ?? []).map((condition) => ({
    type: condition.type ?? "",
    status: condition.status ?? "",
  }));
  return isConditionTrue(conditions, type);
}

/** Keeps a definition until all its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

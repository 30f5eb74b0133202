export { defineKind } from "./define-kind.ts";
export type {
  CustomObject,
  DefinedKind,
  InputOf,
  KindDefinition,
  PrintColumn,
  ScaleDefinition,
} from "./kind-definition.ts";

// What a kind's definition gives.
export { crdOf, crdYaml, type CustomResourceDefinitionManifest } from "./crd.ts";
export { crdFiles, writeCrds } from "./crd-files.ts";
export { parseObject, withDefaults, type ParsedObject } from "./parse-object.ts";
export { SchemaError } from "./structural/schema-error.ts";

// Types of Kubernetes that zod does not have.
export { canonicalQuantity, canonicalResources } from "./types/canonical-resources.ts";
export { conditions } from "./types/conditions.ts";
export { coreType, type CoreSchema, type CoreTypes } from "./types/core-type.ts";
export { intOrString } from "./types/int-or-string.ts";
export { listMap, listSet } from "./types/lists.ts";
export { quantity } from "./types/quantity.ts";
export { rule, type Rule } from "./types/rule.ts";
export { time } from "./types/time.ts";

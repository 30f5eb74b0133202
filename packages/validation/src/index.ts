// Schemas of custom resources at work.
export { compileSchema, type CompiledSchema } from "./compile-schema.ts";
export type { JsonSchema } from "./json-schema.ts";

// Is a schema one that the API server takes?
export { checkSchema, checkSchemaInSteps, type CheckSchemaOptions } from "./check/check-schema.ts";
export { findField, type FoundField } from "./field-path.ts";
export { schemaStruct } from "./check/schema-struct.ts";
export { unrecognizedFormats } from "./check/unrecognized-formats.ts";

// Metadata of any object.
export {
  validateAnnotations,
  validateLabels,
  validateObjectMeta,
  validateOwnerReferences,
  type ObjectMetaRules,
} from "./metadata/validate-object-meta.ts";

// Expressions of admission: match conditions of webhooks, and policies.
export {
  compileAdmission,
  Composition,
  type AdmissionExpression,
  type Returns,
} from "./admission/expression.ts";
export type { Names } from "./admission/environment.ts";
export {
  appliedObject,
  Evaluation,
  matchBudget,
  OutOfBudget,
  patchOperations,
  policyBudget,
  type AdmissionInput,
  type Evaluated,
} from "./admission/evaluation.ts";
export type { Asked, AuthorizationCheck } from "./cel/library/authorization.ts";

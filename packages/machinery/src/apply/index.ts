export { extractApplied } from "./extract.ts";
export type { FieldManagerOptions } from "./field-manager.ts";
export {
  difference,
  emptySet,
  equalSets,
  hasPath,
  intersection,
  isEmptySet,
  leaves,
  pathsOf,
  pathText,
  recursiveDifference,
  setOf,
  union,
  type FieldPath,
  type FieldSet,
} from "./field-set.ts";
export { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
export { mergeConfiguration } from "./merge-configuration.ts";
export { readManagedFields, writeManagedFields } from "./managed-fields.ts";
export { keepTimes } from "./no-op.ts";
export { fieldElement } from "./path-element.ts";
export { SchemaError } from "./schema-error.ts";
export { serverSideApply, serverSideApplyInSteps, type Apply } from "./server-side-apply.ts";
export { toFieldSet } from "./to-field-set.ts";
export { trackUpdate, trackUpdateInSteps, type Update } from "./track-update.ts";

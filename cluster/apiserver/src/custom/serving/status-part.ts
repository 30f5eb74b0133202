import { clone, fieldPath, setOwn, type FieldError, type Steps } from "@kedge/machinery";
import type { CompiledSchema } from "@kedge/validation";
import type { ApiObject, PartSubresource, StoredApiObject } from "../../registry/types.ts";
import type { CustomRules } from "./custom-strategy.ts";
import { withRules, type Warned } from "./expression-rules.ts";
import { validateScaleStatus } from "./scale-rules.ts";
import { validateTypeMeta } from "./type-meta.ts";

/** The subresource `status` of a custom kind: nothing but the status is taken, and nothing but it is checked. */
export function statusPart(rules: CustomRules, statusSchema: CompiledSchema | undefined): PartSubresource {
  return {
    type: "part",
    verbs: ["get", "patch", "update"],
    prepareForUpdate: keepAllButStatus,
    validate: () => [],
    validateUpdate: (object, previous, warn) =>
      validateStatus(object, previous, { ...rules, statusSchema, warn }),
  };
}

function keepAllButStatus(object: ApiObject, previous: StoredApiObject): void {
  const { status } = object;
  const { managedFields } = object.metadata;
  for (const field of Object.keys(object)) if (!Object.hasOwn(previous, field)) delete object[field];
  for (const [field, value] of Object.entries(previous)) setOwn(object, field, clone(value));
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
  if (status === undefined) delete object["status"];
  else object["status"] = status;
}

function* validateStatus(
  object: StoredApiObject,
  previous: StoredApiObject,
  {
    compiled,
    scale,
    type,
    statusSchema,
    warn,
  }: CustomRules & Warned & { statusSchema: CompiledSchema | undefined },
): Steps<readonly FieldError[]> {
  const wrongType = validateTypeMeta(object, type);
  if (wrongType.length > 0) return wrongType;
  const { status } = object;
  const twins = compiled.validateListTypes(object);
  const errors = [
    ...(status === undefined
      ? []
      : (statusSchema?.validateUpdate(status, previous["status"], fieldPath("status")) ?? [])),
    ...validateScaleStatus(object, scale),
    ...(twins.length > 0 && compiled.validateListTypes(previous).length === 0 ? twins : []),
  ];
  return yield* withRules(errors, { object, previous, compiled, warn });
}

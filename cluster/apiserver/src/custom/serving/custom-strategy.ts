import { clone, deepEqual, forbidden, type FieldError, type Steps } from "@kedge/machinery";
import type { CompiledSchema } from "@kedge/validation";
import type { ApiObject, Resource, StoredApiObject, Strategy } from "../../registry/types.ts";
import type { DefinitionVersion } from "../definition/definition.ts";
import { withRules, type Warned } from "./expression-rules.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { valueAt } from "./paths.ts";
import { validateScaleSpec, validateScaleStatus } from "./scale-rules.ts";
import { validateTypeMeta } from "./type-meta.ts";

/** What decides about objects of one version of a custom kind. */
export interface CustomRules {
  readonly compiled: CompiledSchema;
  readonly scale: NonNullable<DefinitionVersion["subresources"]>["scale"];
  readonly type: Pick<Resource, "group" | "version" | "kind" | "plural">;
}

/** What the strategy needs beyond that. */
export interface CustomStrategyOptions extends CustomRules {
  readonly hasStatus: boolean;
  /** `.spec.colour`. */
  readonly selectableFields: readonly string[];
  /** The definition is being deleted: nothing new may come. */
  readonly terminating: boolean;
}

/** How objects of a custom kind are written. */
export function customStrategy(options: CustomStrategyOptions): Strategy {
  const { hasStatus, type, selectableFields, terminating } = options;
  return {
    prepareForCreate: (object) => {
      if (terminating) {
        const why = "create not allowed while custom resource definition is terminating";
        throw forbidden(groupResource(type), object.metadata.name ?? "", why);
      }
      if (hasStatus) delete object["status"];
    },
    prepareForUpdate: (object, previous) => {
      if (hasStatus) keepStatus(object, previous);
    },
    warnings: finalizerWarnings,
    validate: (object, previous, warn) => validateObject(object, previous, { ...options, warn }),
    // Without the subresource a status is a field like others.
    ...(!hasStatus && { generation: changed }),
    unconditionalUpdate: false,
    ...(selectableFields.length > 0 && {
      selectableFieldNames: selectableFields.map(nameOf),
      selectableFields: (object: StoredApiObject) =>
        Object.fromEntries(selectableFields.map((path) => [nameOf(path), textAt(object, path)])),
    }),
  };
}

function keepStatus(object: ApiObject, previous: StoredApiObject): void {
  if (previous["status"] === undefined) delete object["status"];
  else object["status"] = clone(previous["status"]);
}

function groupResource({ group, plural }: CustomRules["type"]): { group: string; plural: string } {
  return { group, plural };
}

/** All that is wrong with an object, or with changing it so: then what was wrong before and stays is not told. */
function* validateObject(
  object: StoredApiObject,
  previous: StoredApiObject | undefined,
  { compiled, scale, type, warn }: CustomRules & Warned,
): Steps<readonly FieldError[]> {
  const wrongType = validateTypeMeta(object, type);
  if (wrongType.length > 0) return wrongType;
  const hadTwins = previous !== undefined && compiled.validateListTypes(previous).length > 0;
  const errors = [
    ...(previous === undefined ? compiled.validate(object) : compiled.validateUpdate(object, previous)),
    ...validateScaleSpec(object, scale),
    ...validateScaleStatus(object, scale),
    ...compiled.validateEmbedded(object),
    ...(hadTwins ? [] : compiled.validateListTypes(object)),
  ];
  return yield* withRules(errors, { object, previous, compiled, warn });
}

function changed(object: StoredApiObject, previous: StoredApiObject): boolean {
  const { metadata: _, ...now } = object;
  const { metadata: __, ...before } = previous;
  return !deepEqual(now, before);
}

function nameOf(path: string): string {
  return path.replace(/^\./u, "");
}

function textAt(object: StoredApiObject, path: string): string {
  const value = valueAt(object, path);
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

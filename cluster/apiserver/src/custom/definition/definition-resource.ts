import { clone, fieldPath, goQuote, type FieldError, type Steps } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { unrecognizedFormats } from "@kedge/validation";
import { builtinFacts, resourceOf, type BuiltinFacts } from "../../kinds/resource-of.ts";
import type { ApiObject, PartSubresource, Resource, StoredApiObject } from "../../registry/types.ts";
import { defaultDefinition } from "./defaults.ts";
import { definitionOf, schemaOf, storageVersionOf } from "./definition.ts";
import { prepareDefinitionForDelete } from "./prepare-for-delete.ts";
import { validateDefinition } from "./validate-definition.ts";
import { validateNames } from "./validate-names.ts";

/** The resource `customresourcedefinitions`. `createCustomResources` makes what its objects define. */
export function definitionResource(facts: BuiltinFacts = builtinFacts()): Resource {
  const resource = resourceOf(
    {
      kind: CustomResourceDefinition,
      // As kube-apiserver stores them to this day.
      storedAs: { ...CustomResourceDefinition, version: "v1beta1" },
      strategy: {
        prepareForCreate,
        prepareForUpdate,
        validate,
        warnings,
        unconditionalUpdate: false,
        deleteAnswersObject: true,
        prepareForDelete: prepareDefinitionForDelete,
      },
      subresources: { status: statusPart },
    },
    facts,
  );
  const normalize = resource.strategy.default;
  const strategy = {
    ...resource.strategy,
    default: (object: ApiObject) => {
      const sent = definitionOf(object).spec?.versions;
      normalize?.(object);
      // Definitions are stored as JSON, where an empty list is not null.
      const { spec } = definitionOf(object);
      if (sent?.length === 0 && spec !== undefined) spec.versions = [];
      defaultDefinition(object);
    },
  };
  return { ...resource, strategy };
}

function validate(object: StoredApiObject, previous?: StoredApiObject): Steps<readonly FieldError[]> {
  return validateDefinition(
    definitionOf(object),
    previous === undefined ? undefined : definitionOf(previous),
  );
}

/** Nobody sets the status at first; the storage version is the first that is stored. */
function prepareForCreate(object: ApiObject): void {
  const storage = storageVersionOf(definitionOf(object));
  object["status"] = {
    conditions: null,
    acceptedNames: { plural: "", kind: "" },
    storedVersions: storage === "" ? null : [storage],
  };
}

function prepareForUpdate(object: ApiObject, previous: StoredApiObject): void {
  const status = clone(definitionOf(previous).status ?? {});
  const storage = storageVersionOf(definitionOf(object));
  const stored = status.storedVersions ?? [];
  if (storage !== "" && !stored.includes(storage)) status.storedVersions = [...stored, storage];
  object["status"] = status;
}

/** Formats that are not checked; those that were there before are known. */
function warnings(object: StoredApiObject, previous: StoredApiObject | undefined): readonly string[] {
  const known = new Set(previous === undefined ? [] : formatsOf(previous));
  return formatsOf(object)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function formatsOf(object: StoredApiObject): readonly string[] {
  const schemas = (definitionOf(object).spec?.versions ?? []).map(schemaOf);
  return schemas.flatMap((schema) => (schema === undefined ? [] : unrecognizedFormats(schema)));
}

/** Writers of the status may change metadata too: the last finalizer goes with the last condition. */
const statusPart: PartSubresource = {
  type: "part",
  verbs: ["get", "patch", "update"],
  prepareForUpdate: (object, previous) => {
    object["spec"] = clone(previous["spec"]);
  },
  validate: (object) =>
    validateNames(definitionOf(object).status?.acceptedNames ?? {}, fieldPath("status", "acceptedNames")),
};

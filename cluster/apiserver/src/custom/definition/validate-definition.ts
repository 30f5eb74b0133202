import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import { schemaHasDefaults } from "./schema-has-defaults.ts";
import { approvalAnnotation, approvalOf } from "./api-approval.ts";
import { holds, type Definition, type DefinitionSpec } from "./definition.ts";
import { internalForm, type InternalForm } from "./internal-form.ts";
import { requireNames, validateNames } from "./validate-names.ts";
import {
  validateColumns,
  validateSchema,
  validateSelectableFields,
  validateSubresources,
} from "./validate-parts.ts";
import { validateConversionWebhook } from "./validate-conversion-webhook.ts";
import {
  requireSchemas,
  validateFirstVersion,
  validateStoredVersions,
  validateVersion,
  validateVersionSet,
} from "./validate-versions.ts";

/**
 * All that is wrong with a definition, in the server's words and order. `previous` is what an update replaces. In steps:
 * schemas are large.
 */
export function* validateDefinition(definition: Definition, previous?: Definition): Steps<FieldError[]> {
  const spec = definition.spec ?? {};
  return [
    ...(previous === undefined ? validateName(definition) : []),
    ...(yield* validateSpec(spec, fieldPath("spec"))),
    ...(previous === undefined ? [] : validateUnchanged(definition, previous, fieldPath("spec"))),
    ...validateNames(definition.status?.acceptedNames ?? {}, fieldPath("status", "acceptedNames")),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, previous),
    ...validatePreserve(spec, previous?.spec),
  ];
}

/** Beyond what holds for all names: it is made of plural and group. */
function validateName({ metadata, spec }: Definition): FieldError[] {
  const name = metadata?.name ?? "";
  if (name === `${spec?.names?.plural ?? ""}.${spec?.group ?? ""}`) return [];
  return [fieldInvalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function* validateSpec(spec: DefinitionSpec, path: FieldPath): Steps<FieldError[]> {
  const form = internalForm(spec);
  const { shared } = form;
  const hasStatus = [shared, ...form.versions].some(({ subresources }) => subresources?.status !== undefined);
  const ofVersions: FieldError[] = [];
  for (const [index, each] of form.versions.entries()) {
    const errors = yield* validateVersion(each, form, path.child("versions").index(index));
    for (const error of errors) ofVersions.push(error);
    yield;
  }
  return [
    ...validateGroup(spec.group ?? "", path.child("group")),
    ...validateEnum(spec.scope ?? "", ["Cluster", "Namespaced"], path.child("scope")),
    ...requireSchemas(form, path.child("versions")),
    ...validatePreserveWithDefaults(spec, form, path.child("preserveUnknownFields")),
    ...ofVersions,
    ...validateVersionSet(spec, form, path.child("versions")),
    ...validateFirstVersion(spec, path.child("version")),
    ...requireNames(spec.names ?? {}, path.child("names")),
    ...validateNames(spec.names ?? {}, path.child("names")),
    ...(yield* validateSchema(shared.schema, path.child("validation"), hasStatus)),
    ...validateSubresources(shared.subresources, path.child("subresources")),
    ...validateColumns(shared.columns, path.child("additionalPrinterColumns")),
    ...validateSharedFields(form, path.child("selectableFields")),
    ...validateConversion(spec.conversion, path.child("conversion")),
  ];
}

function validateGroup(group: string, path: FieldPath): FieldError[] {
  if (group === "") return [fieldRequired(path)];
  const wrong = validateDns1123Subdomain(group);
  if (wrong.length > 0) return [fieldInvalid(path, group, wrong.join(","))];
  return group.includes(".") ? [] : [fieldInvalid(path, group, "should be a domain with at least one dot")];
}

function validateEnum(value: string, accepted: readonly string[], path: FieldPath): FieldError[] {
  if (value === "") return [fieldRequired(path)];
  return accepted.includes(value) ? [] : [fieldNotSupported(path, value, accepted)];
}

function validatePreserveWithDefaults(
  spec: DefinitionSpec,
  form: InternalForm,
  path: FieldPath,
): FieldError[] {
  if (spec.preserveUnknownFields !== true) return [];
  const hasDefaults = [form.shared, ...form.versions].some(
    ({ schema }) => schema !== undefined && schemaHasDefaults(schema),
  );
  return hasDefaults
    ? [fieldInvalid(path, true, "must be false in order to use defaults in the schema")]
    : [];
}

function validateSharedFields({ shared }: InternalForm, path: FieldPath): FieldError[] {
  const { schema, selectableFields = [] } = shared;
  if (selectableFields.length === 0) return [];
  if (schema === undefined)
    return [fieldInvalid(path, "", "may only be set when validations.schema is included")];
  return validateSelectableFields(selectableFields, schema, path);
}

function validateConversion(conversion: DefinitionSpec["conversion"], path: FieldPath): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy = "", webhook } = conversion;
  const wrong = validateEnum(strategy, ["None", "Webhook"], path.child("strategy"));
  if (strategy === "Webhook") return validateConversionWebhook(webhook, path);
  const unexpected = "should not be set when strategy is not set to Webhook";
  return [
    ...wrong,
    ...(webhook?.clientConfig === undefined
      ? []
      : [fieldForbidden(path.child("webhookClientConfig"), unexpected)]),
    ...((webhook?.conversionReviewVersions ?? []).length === 0
      ? []
      : [fieldForbidden(path.child("conversionReviewVersions"), unexpected)]),
  ];
}

/** Objects are stored under group and plural; scope and kind are fixed once they are served. */
function validateUnchanged(definition: Definition, previous: Definition, path: FieldPath): FieldError[] {
  const now = definition.spec ?? {};
  const before = previous.spec ?? {};
  return [
    ...(holds(previous, "Established")
      ? [
          ...unchanged(now.scope, before.scope, path.child("scope")),
          ...unchanged(now.names?.kind, before.names?.kind, path.child("names", "kind")),
        ]
      : []),
    ...unchanged(now.group, before.group, path.child("group")),
    ...unchanged(now.names?.plural, before.names?.plural, path.child("names", "plural")),
  ];
}

function unchanged(value: string | undefined, before: string | undefined, path: FieldPath): FieldError[] {
  return value === before ? [] : [fieldInvalid(path, value ?? "", "field is immutable")];
}

function validateApproval(definition: Definition, previous: Definition | undefined): FieldError[] {
  const approval = approvalOf(definition);
  if (approval === undefined || approval.state === "approved" || approval.state === "bypassed") return [];
  if (previous !== undefined && approvalOf(previous)?.state === approval.state) return [];
  const path = fieldPath("metadata", "annotations").key(approvalAnnotation);
  if (approval.state === "missing") return [fieldRequired(path, approval.reason)];
  return [fieldInvalid(path, definition.metadata?.annotations?.[approvalAnnotation], approval.reason)];
}

function validatePreserve(spec: DefinitionSpec, previous: DefinitionSpec | undefined): FieldError[] {
  if (spec.preserveUnknownFields !== true || previous?.preserveUnknownFields === true) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [fieldInvalid("spec.preserveUnknownFields", true, detail)];
}

import {
  badRequest,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  invalid,
  type FieldError,
} from "@kedge/machinery";
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  type ResourceAttributes,
  type SubjectAccessReviewSpec,
} from "@kedge/machinery/kinds/authorization/v1";
import type { Access } from "../../auth/access.ts";
import type { Attributes } from "../../auth/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { ApiObject, User } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";

/** What somebody may do. */
export function accessReviews(access: Access): readonly KindDefinition[] {
  return [
    {
      kind: SubjectAccessReview,
      strategy: {},
      review: (review) => {
        const { spec = {} } = decodedAs(SubjectAccessReview, review);
        refuse([
          ...specErrors(spec),
          ...subjectErrors(spec),
          ...selectorErrors(spec),
          ...metadataErrors(review),
        ]);
        return decided(access, review, attributesOf(userOf(spec), spec));
      },
    },
    {
      kind: LocalSubjectAccessReview,
      strategy: {},
      review: (review) => {
        const { spec = {} } = decodedAs(LocalSubjectAccessReview, review);
        const errors = [...specErrors(spec), ...subjectErrors(spec), ...selectorErrors(spec)];
        refuse([...errors, ...metadataErrors(review, "namespace"), ...localErrors(review, spec)]);
        return decided(access, review, attributesOf(userOf(spec), spec));
      },
    },
    {
      kind: SelfSubjectAccessReview,
      strategy: {},
      review: (review, { user }) => {
        const { spec = {} } = decodedAs(SelfSubjectAccessReview, review);
        refuse([...specErrors(spec), ...selectorErrors(spec), ...metadataErrors(review)]);
        return decided(access, review, attributesOf(user, spec));
      },
    },
    {
      kind: SelfSubjectRulesReview,
      strategy: {},
      review: (review, { user }) => rulesOf(access, review, user),
    },
  ];
}

type Spec = Decoded<SubjectAccessReviewSpec>;

function decided({ authorizer }: Access, review: ApiObject, asked: Attributes): ApiObject {
  const { allowed, reason } = authorizer(asked);
  return { ...review, status: { allowed, ...(reason !== undefined && { reason }) } };
}

function userOf({ user = "", uid, groups = [], extra }: Spec): User {
  const known = Object.entries(extra ?? {}).map(([key, values = []]) => [key, values] as const);
  return { name: user, uid, groups, extra: Object.fromEntries(known) };
}

function attributesOf(
  user: User,
  { resourceAttributes: wanted, nonResourceAttributes: path }: Spec,
): Attributes {
  if (wanted === undefined) return { user, verb: path?.verb ?? "", path: path?.path ?? "" };
  const {
    group = "",
    version = "",
    resource: plural = "",
    subresource = "",
    namespace = "",
    name = "",
  } = wanted;
  const resource = { group, version: version === "" ? "*" : version, plural, subresource, namespace, name };
  const fieldSelector = selectorText(wanted.fieldSelector);
  const selected = fieldSelector === "" ? resource : { ...resource, fieldSelector };
  return { user, verb: wanted.verb ?? "", path: "", resource: selected };
}

/** Those of its requirements that a selector's text can say: each that is left out asks for more, not for less. */
function selectorText(selector: Decoded<ResourceAttributes>["fieldSelector"]): string {
  const { rawSelector = "", requirements = [] } = selector ?? {};
  if (rawSelector !== "") return rawSelector;
  return requirements
    .filter(({ operator, values = [] }) => operator === "In" && values.length === 1)
    .map(({ key = "", values = [] }) => `${key}=${(values[0] ?? "").replaceAll(/[\\,=]/gu, String.raw`\$&`)}`)
    .join(",");
}

/** 422 as the real server words it: these reviews do not say what they are. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: SubjectAccessReview.group, kind: "" }, "", errors);
}

function specErrors({ resourceAttributes, nonResourceAttributes }: Spec): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = "cannot be specified in combination with resourceAttributes";
    return [fieldInvalid("spec.nonResourceAttributes", shownPath(nonResourceAttributes), why)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [fieldInvalid("spec.resourceAttributes", null, why)];
}

function subjectErrors({ user = "", groups = [] }: Spec): FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  return [fieldInvalid("spec.user", "", "at least one of user or group must be specified")];
}

/** Selectors say nothing to an authorizer that does not look at them, as role based access control does not. */
function selectorErrors({ resourceAttributes = {} }: Spec): FieldError[] {
  const path = fieldPath("spec.resourceAttributes");
  return (["fieldSelector", "labelSelector"] as const).flatMap((field) => {
    const selector: Decoded<ResourceAttributes>["fieldSelector"] = resourceAttributes[field];
    if (selector === undefined) return [];
    const { rawSelector = "" } = selector;
    const count = (selector.requirements ?? []).length;
    const own = path.child(field);
    if (rawSelector !== "" && count > 0) {
      const why = "may not specified at the same time as requirements";
      return [fieldInvalid(own.child("rawSelector"), rawSelector, why)];
    }
    if (rawSelector !== "" || count > 0) return [];
    const why = `when ${own.toString()} is specified, requirements or rawSelector is required`;
    return [fieldRequired(own.child("requirements"), why)];
  });
}

function metadataErrors({ metadata }: ApiObject, allowed?: "namespace"): FieldError[] {
  const { managedFields, ...others } = metadata;
  const set = Object.entries(others).filter(([field, value]) => value !== undefined && field !== allowed);
  if (set.length === 0) return [];
  const entries = (managedFields ?? []).map((entry) => inOrder(entry, managedOrder));
  const shown = new Map<string, unknown>([...Object.entries(others), ["managedFields", entries]]);
  const why = allowed === undefined ? "must be empty" : `must be empty except for ${allowed}`;
  return [fieldInvalid("metadata", shown, why)];
}

const managedOrder = ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1"] as const;

function inOrder(
  entry: Readonly<Partial<Record<(typeof managedOrder)[number], unknown>>>,
  order: typeof managedOrder,
): unknown {
  return new Map(order.filter((field) => entry[field] !== undefined).map((field) => [field, entry[field]]));
}

function localErrors(
  { metadata }: ApiObject,
  { resourceAttributes, nonResourceAttributes }: Spec,
): FieldError[] {
  const { namespace = "" } = resourceAttributes ?? {};
  return [
    ...(resourceAttributes !== undefined && namespace !== metadata.namespace
      ? [fieldInvalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace")]
      : []),
    ...(nonResourceAttributes === undefined
      ? []
      : [
          fieldInvalid(
            "spec.nonResourceAttributes",
            shownPath(nonResourceAttributes),
            "disallowed on this kind of request",
          ),
        ]),
  ];
}

function shownPath({ path = "", verb = "" }: NonNullable<Spec["nonResourceAttributes"]>): unknown {
  return { Path: path, Verb: verb };
}

function rulesOf({ rbac }: Access, { apiVersion, kind, spec }: ApiObject, user: User): ApiObject {
  const { namespace = "" } = (spec ?? {}) as { readonly namespace?: string };
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules, error } = rbac.rulesFor(user, namespace);
  return {
    apiVersion,
    kind,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules
        .filter(({ resources = [] }) => resources.length > 0)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs,
          apiGroups,
          resources,
          resourceNames,
        })),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(error !== undefined && { evaluationError: error }),
    },
  };
}

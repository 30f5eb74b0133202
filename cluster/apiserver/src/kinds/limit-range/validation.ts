import {
  compareQuantities,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { LimitRange, type LimitRangeItem } from "@kedge/machinery/kinds/core/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { mayOvercommit, resourceNameErrors } from "../pod-spec/resources.ts";
import { named, required } from "../validation/field-rules.ts";

type Item = Decoded<LimitRangeItem>;
type Amounts = Readonly<Record<string, string | undefined>>;

/** What is wrong with a LimitRange. */
export function validateLimitRange(object: StoredApiObject): FieldError[] {
  const limits = decodedAs(LimitRange, object).spec?.limits ?? [];
  const path = fieldPath("spec", "limits");
  const types = limits.map(({ type }) => type);
  return limits.flatMap((item, at) => [
    ...typeErrors(item.type ?? "", path.index(at).child("type")),
    ...(types.indexOf(item.type) < at ? [fieldDuplicate(path.index(at).child("type"), item.type)] : []),
    ...itemErrors(item, path.index(at)),
  ]);
}

function typeErrors(type: string, path: FieldPath): FieldError[] {
  const missing = required(type, path);
  if (missing.length > 0) return missing;
  const errors = named(type, validateQualifiedName, path);
  if (errors.length > 0 || type.includes("/") || known.has(type)) return errors;
  return [fieldInvalid(path, type, "must be a standard limit type or fully qualified")];
}

const known: ReadonlySet<string> = new Set(["Pod", "Container", "PersistentVolumeClaim"]);

function itemErrors(item: Item, path: FieldPath): FieldError[] {
  const {
    type,
    max = {},
    min = {},
    default: limit = {},
    defaultRequest = {},
    maxLimitRequestRatio = {},
  } = item;
  const isPod = type === "Pod";
  const notForPods = (name: string, amounts: Amounts): FieldError[] =>
    Object.keys(amounts).length === 0
      ? []
      : [fieldForbidden(path.child(name), "may not be specified when `type` is 'Pod'")];
  const names = (name: string, amounts: Amounts): FieldError[] =>
    Object.keys(amounts).flatMap((resource) => nameErrors(item, resource, path.child(name).key(resource)));
  const keys = new Set(
    [max, min, ...(isPod ? [] : [limit, defaultRequest]), maxLimitRequestRatio].flatMap(Object.keys),
  );
  return [
    ...names("max", max),
    ...names("min", min),
    ...(isPod
      ? [...notForPods("default", limit), ...notForPods("defaultRequest", defaultRequest)]
      : [...names("default", limit), ...names("defaultRequest", defaultRequest)]),
    ...(type === "PersistentVolumeClaim" && !("storage" in min) && !("storage" in max)
      ? [fieldRequired(path.child("limits"), noStorage)]
      : []),
    ...names("maxLimitRequestRatio", maxLimitRequestRatio),
    ...[...keys]
      .toSorted()
      .flatMap((key) => orderErrors(isPod ? { ...item, default: {}, defaultRequest: {} } : item, key, path)),
  ];
}

const noStorage = "either minimum or maximum storage value is required, but neither was provided";

function nameErrors({ type }: Item, resource: string, path: FieldPath): FieldError[] {
  if (type === "Pod" || type === "Container") return resourceNameErrors(resource, path);
  return named(resource, validateQualifiedName, path);
}

/** The amounts of one resource must fit together. */
function orderErrors(item: Item, key: string, path: FieldPath): FieldError[] {
  const [min, max, limit, request] = [item.min, item.max, item.default, item.defaultRequest].map(
    (of) => of?.[key],
  );
  const at = (name: string): FieldPath => path.child(name).key(key);
  const isOther = isMore(limit, request) || isMore(request, limit);
  return [
    ...(isMore(min, max)
      ? [fieldInvalid(at("min"), min, `min value ${min} is greater than max value ${max}`)]
      : []),
    ...(isMore(min, request)
      ? [
          fieldInvalid(
            at("defaultRequest"),
            request,
            `min value ${min} is greater than default request value ${request}`,
          ),
        ]
      : []),
    ...(isMore(request, max)
      ? [
          fieldInvalid(
            at("defaultRequest"),
            request,
            `default request value ${request} is greater than max value ${max}`,
          ),
        ]
      : []),
    ...(isMore(request, limit)
      ? [
          fieldInvalid(
            at("defaultRequest"),
            request,
            `default request value ${request} is greater than default limit value ${limit}`,
          ),
        ]
      : []),
    ...(isMore(min, limit)
      ? [fieldInvalid(at("default"), min, `min value ${min} is greater than default value ${limit}`)]
      : []),
    ...(isMore(limit, max)
      ? [fieldInvalid(at("default"), max, `default value ${limit} is greater than max value ${max}`)]
      : []),
    ...ratioErrors(item.maxLimitRequestRatio?.[key], { min, max, path: at("maxLimitRequestRatio") }),
    ...(isOther && !mayOvercommit(key)
      ? [
          fieldInvalid(
            at("defaultRequest"),
            request,
            `default value ${limit} must equal to defaultRequest value ${request} in ${key}`,
          ),
        ]
      : []),
  ];
}

function ratioErrors(
  ratio: string | undefined,
  {
    min,
    max,
    path,
  }: { readonly min: string | undefined; readonly max: string | undefined; readonly path: FieldPath },
): FieldError[] {
  if (ratio === undefined) return [];
  const quantity = parseQuantity(ratio);
  const small =
    compareQuantities(quantity, quantityOf(1)) < 0
      ? [fieldInvalid(path, ratio, `ratio ${ratio} is less than 1`)]
      : [];
  if (min === undefined || max === undefined) return small;
  const most = milli(max) / milli(min);
  if (milli(ratio) / 1000 <= most) return small;
  return [...small, fieldInvalid(path, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`)];
}

function isMore(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return compareQuantities(parseQuantity(one), parseQuantity(other)) > 0;
}

function milli(amount: string): number {
  return Number(quantityMilliValue(parseQuantity(amount)));
}

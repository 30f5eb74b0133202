import { podTotal, quantityToString } from "@kedge/machinery";
import { LimitRange, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Container, LimitRangeItem, PodSpec } from "@kedge/machinery/kinds/core/v1";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { lookUpAll } from "../registry/lookup.ts";
import type { Objects, StoredApiObject } from "../registry/types.ts";
import {
  maximum,
  maximumRequest,
  minimum,
  ratio,
  type Amounts,
  type Constraint,
} from "./limit-constraints.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./types.ts";

type Item = Decoded<LimitRangeItem>;

/** Gives containers the resources that their namespace's LimitRanges say, and refuses pods and claims beyond those. */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  operations: ["CREATE", "UPDATE"],
  admit: (request, { objects }) => {
    const { object, operation, namespace } = request;
    if (object === undefined || operation !== "CREATE" || !isAbout(request, Pod)) return;
    for (const items of itemsOf(objects, namespace)) setDefaults(decodedAs(Pod, object), items);
  },
  validate: (request, { objects }) => {
    const { object, namespace } = request;
    if (object === undefined) return;
    const constraints = constraintsOn(request, object);
    if (constraints === undefined) return;
    for (const items of itemsOf(objects, namespace)) {
      const errors = items.flatMap(constraints);
      if (errors.length > 0)
        throw refusal(request, errors.length === 1 ? errors.join() : `[${errors.join(", ")}]`);
    }
  },
};

/** Of each LimitRange of a namespace. */
function itemsOf(objects: Objects, namespace: string): readonly (readonly Item[])[] {
  return lookUpAll(objects, LimitRange, namespace).map(({ spec }) => spec?.limits ?? []);
}

function setDefaults(pod: Decoded<Pod>, items: readonly Item[]): void {
  const forContainers = items.filter(({ type }) => type === "Container");
  const requests = united(forContainers.map((item) => item.defaultRequest));
  const limits = united(forContainers.map((item) => item.default));
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const notes = [
    ...containers.flatMap((container) => merge(container, "container", { requests, limits })),
    ...initContainers.flatMap((container) => merge(container, "init container", { requests, limits })),
  ];
  if (notes.length === 0) return;
  const metadata = (pod.metadata ??= {});
  metadata.annotations = {
    ...metadata.annotations,
    "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

function united(amounts: readonly (Amounts | undefined)[]): Amounts {
  return Object.fromEntries(amounts.flatMap((each) => Object.entries(each ?? {})));
}

/** Adds what a container does not say, and tells what that was. */
function merge(
  container: Decoded<Container>,
  what: string,
  defaults: { readonly requests: Amounts; readonly limits: Amounts },
): readonly string[] {
  const resources = { ...container.resources };
  const notes = (["requests", "limits"] as const).flatMap((part) => {
    const added = Object.entries(defaults[part]).filter(([name]) => resources[part]?.[name] === undefined);
    if (added.length === 0) return [];
    resources[part] = { ...resources[part], ...Object.fromEntries(added) };
    const names = added.map(([name]) => name).toSorted();
    return [`${names.join(", ")} ${part.slice(0, -1)} for ${what} ${container.name ?? ""}`];
  });
  if (notes.length > 0) container.resources = resources;
  return notes;
}

/** What an item says against an object; undefined when LimitRanges have nothing to do with it. */
function constraintsOn(
  request: AdmissionRequest<StoredApiObject>,
  object: StoredApiObject,
): ((item: Item) => readonly string[]) | undefined {
  const { operation, resource, subresource } = request;
  if (isAbout(request, PersistentVolumeClaim)) {
    const { resources } = decodedAs(PersistentVolumeClaim, object).spec ?? {};
    return (item) => claimErrors(item, resources?.requests ?? {});
  }
  const isPod = resource.plural === Pod.plural && resource.group === "";
  const changesResources = operation === "CREATE" ? subresource === "" : subresource === "resize";
  if (!isPod || !changesResources) return undefined;
  const { spec = {} } = decodedAs(Pod, object);
  return (item) => podErrors(item, spec);
}

function claimErrors(item: Item, requests: Amounts): readonly string[] {
  if (item.type !== "PersistentVolumeClaim") return [];
  const of = { type: item.type, requests, limits: {} };
  return [...check(minimum, item.min, of), ...check(maximumRequest, item.max, of)];
}

function podErrors(item: Item, spec: Decoded<PodSpec>): readonly string[] {
  const { type, min, max, maxLimitRequestRatio } = item;
  const all = (requests: Amounts, limits: Amounts): readonly string[] => {
    const of = { type: type ?? "", requests, limits };
    return [
      ...check(minimum, min, of),
      ...check(maximum, max, of),
      ...check(ratio, maxLimitRequestRatio, of),
    ];
  };
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  if (type === "Container") {
    return containers.flatMap(({ resources }) => all(resources?.requests ?? {}, resources?.limits ?? {}));
  }
  if (type !== "Pod") return [];
  const names = Object.keys({ ...min, ...max, ...maxLimitRequestRatio });
  const total = (part: "requests" | "limits"): Amounts =>
    Object.fromEntries(
      names.flatMap((name) => {
        const sum = podTotal(
          spec,
          ({ resources }: Decoded<Container>) => resources?.[part]?.[name] ?? undefined,
        );
        return sum === undefined ? [] : [[name, quantityToString(sum)]];
      }),
    );
  return all(total("requests"), total("limits"));
}

function check(
  constraint: Constraint,
  enforced: Amounts | undefined,
  of: Parameters<Constraint>[2],
): readonly string[] {
  return Object.keys(enforced ?? {})
    .toSorted()
    .flatMap((name) => constraint(name, enforced?.[name] ?? "0", of) ?? []);
}

import { selectorFromLabelSelector, selectorToString, type GroupVersionKind } from "@kedge/machinery";
import type { Container } from "@kedge/machinery/kinds/core/v1";
import type { LabelSelector } from "@kedge/machinery/kinds/meta/v1";
import { labelSelectorOf } from "../registry/label-selector.ts";
import type { Decoded } from "../registry/decoded.ts";

/** Names and images of containers, one cell each. */
export function containerCells(
  containers: readonly Decoded<Container>[] | undefined,
): readonly [names: string, images: string] {
  const all = containers ?? [];
  return [all.map(({ name = "" }) => name).join(","), all.map(({ image = "" }) => image).join(",")];
}

/** Labels as `a=1,b=2`, sorted; `<none>` for none. */
export function labelsCell(labels: Readonly<Record<string, string | undefined>> | undefined | null): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value ?? ""}`);
  return pairs.length === 0 ? "<none>" : pairs.toSorted().join(",");
}

/** A label selector as text; `none` stands for one that is empty. */
export function selectorCell(selector: Decoded<LabelSelector> | undefined | null, none: string): string {
  try {
    const text = selectorToString(selectorFromLabelSelector(labelSelectorOf(selector ?? undefined)));
    return text === "" ? none : text;
  } catch {
    return "<invalid>";
  }
}

/** The first few of a list, and how many more there are. */
export function shortList(
  items: readonly string[],
  {
    most,
    none,
    separator = ",",
  }: { readonly most: number; readonly none: string; readonly separator?: string },
): string {
  if (items.length === 0) return none;
  const shown = items.slice(0, most).join(separator);
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown;
}

/** A kind and a name: `statefulset.apps/web`. */
export function referenceCell({ group, kind }: Omit<GroupVersionKind, "version">, name: string): string {
  return `${(group === "" ? kind : `${kind}.${group}`).toLowerCase()}/${name}`;
}

/** Access modes in their short forms, in the order that kubectl has. */
export function accessModesCell(modes: readonly string[] | undefined): string {
  return Object.entries(accessModes)
    .filter(([mode]) => modes?.includes(mode) === true)
    .map(([, short]) => short)
    .join(",");
}

const accessModes = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

import type { CheckedContainer, CheckedPod } from "./types.ts";

/** `"a", "b"`. */
export function quoted(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(", ");
}

/** The word for one, or the one for several. */
export function plural(one: string, several: string, items: { readonly length: number }): string {
  return items.length === 1 ? one : several;
}

/** `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural("container", "containers", names)} ${quoted(names)}`;
}

/** `pod and container "a"`: who has set what may not be set. */
export function settersText(isPod: boolean, names: readonly string[]): string {
  return [...(isPod ? ["pod"] : []), ...(names.length > 0 ? [containersText(names)] : [])].join(" and ");
}

/** The names of the containers that something holds of. */
export function namesOf(
  { containers }: CheckedPod,
  holds: (container: CheckedContainer) => boolean,
): readonly string[] {
  return containers.filter(holds).map(({ name = "" }) => name);
}

/** Each once, in the order of bytes. */
export function sorted(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** Whether a pod is for Windows, where many rules make no sense. */
export function isForWindows({ spec }: CheckedPod): boolean {
  return spec.os?.name === "windows";
}

/** Whether a pod's root is nobody on the node. */
export function hasOwnUsers({ spec }: CheckedPod): boolean {
  return spec.hostUsers === false;
}

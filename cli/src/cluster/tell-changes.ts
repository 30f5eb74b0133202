import { tellStarter } from "./part-messages.ts";

/** What is needed of an informer. */
export interface Informing<T> {
  readonly kind: { readonly kind: string };
  onEvent(listener: (event: Change<T>) => void): unknown;
}

interface Change<T> {
  readonly type: "added" | "updated" | "deleted";
  readonly object: T;
  /** Whether it was there before anybody looked. */
  readonly initial?: boolean;
}

interface Shown {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}

/** Tells who started this process whenever an object gets into another state. */
export function tellChanges<T extends Shown>(
  informer: Informing<T>,
  stateOf: (object: T) => string,
  tell: (what: string) => void = (what) => tellStarter({ type: "change", what }),
): void {
  const states = new Map<string, string>();
  informer.onEvent(({ type, object, initial = false }) => {
    const { namespace = "", name } = object.metadata;
    const key = `${informer.kind.kind} ${namespace}/${name}`;
    const state = type === "deleted" ? "deleted" : stateOf(object);
    const before = states.get(key);
    if (type === "deleted") states.delete(key);
    else states.set(key, state);
    if (before !== state && !initial) tell(`${key}  ${state}`);
  });
}

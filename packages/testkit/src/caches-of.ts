import {
  controllerOf,
  keyOf,
  keyToString,
  selectorMatches,
  type DeepReadonly,
  type Kind,
  type ObjectMeta,
  type Scope,
} from "@kedge/machinery";
import { byController, type Cached, type CacheSelection, type ReconcileContext } from "@kedge/runtime";

/** An object as a cache holds it: as much of it as a test needs. */
export type HeldObject = DeepReadonly<{
  readonly kind?: string | undefined;
  readonly metadata: ObjectMeta & { readonly name: string };
}>;

/** The `read` of a run whose caches hold these objects, for tests of an `observe` alone. */
export function cachesOf(objects: readonly HeldObject[]): Pick<ReconcileContext<unknown>, "read"> {
  return {
    read<T, S extends Scope, Sub extends string>(kind: Kind<T, S, Sub>) {
      const held = objects.filter((object) => object.kind === kind.kind);
      // The kind says of which type they are.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const typed = (found: unknown): Cached<T> => found as Cached<T>;
      return {
        isServed: true,
        get(key) {
          const found = held.find((object) => keyToString(keyOf(object)) === keyToString(key));
          return found === undefined ? undefined : typed(found);
        },
        list: (selection = {}) => held.filter((object) => isIn(object, selection)).map(typed),
        byIndex(index, value) {
          if (index !== byController) throw new Error("only the index byController is here");
          return held.filter((object) => controllerOf(object)?.uid === value).map(typed);
        },
      };
    },
  };
}

function isIn({ metadata }: HeldObject, { namespace, selector }: CacheSelection): boolean {
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    (selector === undefined || selectorMatches(selector, metadata.labels ?? {}))
  );
}

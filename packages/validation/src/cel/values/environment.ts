import type { CelType } from "./types.ts";
import type { Value } from "./values.ts";

/** One way to call a function: its types, and what it does. */
export interface Overload {
  readonly id: string;
  readonly name: string;
  /** Called as `target.name(…)`; then the target is the first of the arguments. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Undefined where the interpreter does it by itself. */
  readonly run: ((...args: readonly Value[]) => Value) | undefined;
}

/** What expressions may name. */
export interface Environment {
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly variables: ReadonlyMap<string, CelType>;
  /** Names of types, as values: `int`, `net.IP`. */
  readonly types: ReadonlyMap<string, CelType>;
  /** The type of a field of a struct; undefined when it has no such field. */
  fieldOf(struct: string, field: string): CelType | undefined;
  /** The struct of that name, if expressions may make values of it: `Object.spec{…}`. Default: there are none. */
  readonly structOf?: ((name: string) => CelType | undefined) | undefined;
}

import { dynType, insideOptional, sameType, type CelType } from "../values/types.ts";

/** What type parameters stand for, as far as it is known. Unification, as the server does it. */
export class Substitutions {
  readonly #bound = new Map<string, CelType>();
  /** What parameters stood for before, the latest last: what did not fit is taken back. */
  readonly #changes: (readonly [string, CelType | undefined])[] = [];

  /** Whether values of one type may stand where the other is asked for. What was learnt of parameters is kept if so. */
  assignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#changes.length = 0;
    if (this.#allAssignable(from, to)) return true;
    for (const [name, before] of this.#changes.toReversed()) {
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
    return false;
  }

  /** The type with its parameters replaced; unknown ones become dyn if asked for. */
  replace(type: CelType, unknownToDyn: boolean): CelType {
    const bound = type.kind === "param" ? this.#bound.get(type.name) : undefined;
    if (bound !== undefined) return this.replace(bound, unknownToDyn);
    if (type.kind === "param") return unknownToDyn ? dynType : type;
    if (type.params.length === 0) return type;
    return { ...type, params: type.params.map((param) => this.replace(param, unknownToDyn)) };
  }

  #allAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, index) => this.#one(type, to[index] ?? dynType));
  }

  #one(a: CelType, b: CelType): boolean {
    if (b.kind === "param") {
      const { valid, known } = this.#substitute(a, b);
      if (valid) return true;
      if (known) return false;
    }
    if (a.kind === "param") return this.#substitute(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === "null") return isNullable(b);
    if (b.kind === "null") return isNullable(a);
    switch (a.kind) {
      case "type":
        return b.kind === "type";
      case "opaque":
      case "list":
      case "map":
        return a.kind === b.kind && a.name === b.name && this.#allAssignable(a.params, b.params);
      default:
        return sameType(a, b);
    }
  }

  /** Whether the parameter may stand for the type, and whether something was known of it. */
  #substitute(type: CelType, param: CelType): { readonly valid: boolean; readonly known: boolean } {
    if (sameType(type, param)) return { valid: true, known: true };
    const bound = this.#bound.get(param.name);
    if (bound !== undefined) {
      if (sameType(type, bound)) return { valid: true, known: true };
      if (!this.#one(type, bound)) return { valid: false, known: true };
      const general = mostGeneral(type, bound);
      if (!this.#occursIn(param, general)) this.#bind(param.name, general);
      return { valid: true, known: true };
    }
    if (this.#occursIn(param, type)) return { valid: false, known: false };
    this.#bind(param.name, type);
    return { valid: true, known: false };
  }

  #bind(name: string, type: CelType): void {
    this.#changes.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  #occursIn(param: CelType, type: CelType): boolean {
    if (sameType(param, type)) return true;
    if (type.kind === "param") {
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occursIn(param, bound);
    }
    return type.params.some((part) => this.#occursIn(param, part));
  }
}

function isDynOrError({ kind }: CelType): boolean {
  return kind === "dyn" || kind === "error";
}

function isNullable({ kind }: CelType): boolean {
  return ["null", "opaque", "struct", "duration", "timestamp"].includes(kind);
}

/** Of two types that fit, the one that says less. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return saysLess(a, b) ? a : b;
}

function saysLess(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (insideOptional(a) !== undefined || a.kind === "list" || a.kind === "map" || a.kind === "opaque") {
    return (
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => saysLess(param, b.params[index] ?? dynType))
    );
  }
  return sameType(a, b);
}

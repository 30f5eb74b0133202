import { isJsonList, isJsonObject, getOwn, setOwn, type JsonObject } from "../json-value.ts";
import { goQuote } from "../go/go-quote.ts";
import { JsonPatchError } from "./json-patch-error.ts";

/** A place in a JSON document: the object or list that holds it, and its key there. */
export class JsonPlace {
  readonly #holder: JsonObject | unknown[];
  readonly key: string;

  constructor(holder: JsonObject | unknown[], key: string) {
    this.#holder = holder;
    this.key = key;
  }

  /** The value there; undefined for a missing key. Throws for an index outside of a list. */
  get(): unknown {
    if (isJsonObject(this.#holder)) return getOwn(this.#holder, this.key);
    return this.#holder[indexIn(this.#holder.length - 1, this.key)];
  }

  /** Puts a value over the one that is there. */
  set(value: unknown): void {
    if (isJsonObject(this.#holder)) setOwn(this.#holder, this.key, value);
    else this.#holder[indexIn(this.#holder.length - 1, this.key)] = value;
  }

  /** Sets a key, or inserts into a list; `-` is the end of a list, and -1 as well. */
  add(value: unknown): void {
    if (isJsonObject(this.#holder)) setOwn(this.#holder, this.key, value);
    else if (this.key === "-") this.#holder.push(value);
    else this.#holder.splice(this.#insertionIndex(this.#holder.length), 0, value);
  }

  /** Deletes a key, or takes an item out of a list. */
  remove(): void {
    if (!isJsonObject(this.#holder)) {
      this.#holder.splice(indexIn(this.#holder.length - 1, this.key), 1);
    } else if (Object.hasOwn(this.#holder, this.key)) {
      delete this.#holder[this.key];
    } else {
      throw new JsonPatchError("Missing", `Unable to remove nonexistent key: ${this.key}: missing value`);
    }
  }

  #insertionIndex(length: number): number {
    try {
      return indexIn(length, this.key);
    } catch (error) {
      if (!(error instanceof JsonPatchError) || error.reason !== "Malformed") throw error;
      throw error.within(`value was not a proper array index: '${this.key}'`);
    }
  }
}

/** Finds the place that a JSON pointer names; undefined when something on the way there is missing. */
export function findPlace(document: unknown, pointer: string): JsonPlace | undefined {
  // What stands before the first slash is not looked at, as in kube-apiserver's library.
  const keys = pointer.split("/").slice(1).map(unescapeKey);
  const key = keys.pop();
  if (key === undefined) return undefined;
  let holder = document;
  for (const step of keys) holder = childOf(holder, step);
  return isJsonObject(holder) || isJsonList(holder) ? new JsonPlace(holder, key) : undefined;
}

/** A key as a step of a JSON pointer, with its slash: `/app.kubernetes.io~1name`. */
export function pointerStep(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function unescapeKey(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function childOf(holder: unknown, step: string): unknown {
  if (isJsonObject(holder)) return getOwn(holder, step);
  if (!isJsonList(holder)) return undefined;
  try {
    return holder[indexIn(holder.length - 1, step)];
  } catch {
    return undefined;
  }
}

/** Reads an index of at most `last`; negative ones count from the end, which the standard does not have. */
function indexIn(last: number, key: string): number {
  if (!/^[+-]?\d+$/u.test(key)) {
    throw new JsonPatchError("Malformed", `strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`);
  }
  const index = Number(key);
  const fromStart = index < 0 ? index + last + 1 : index;
  if (fromStart < 0 || fromStart > last) {
    throw new JsonPatchError(
      "InvalidIndex",
      `Unable to access invalid index: ${index}: invalid index referenced`,
    );
  }
  return fromStart;
}

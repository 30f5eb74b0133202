import { goType, goFormatV } from "../go/go-format.ts";

/** A strategic merge patch makes no sense, or cannot be made. The texts are Kubernetes' own. */
export class StrategicPatchError extends Error {
  override readonly name = "StrategicPatchError";
  /** What the server answers. */
  readonly code: 400 | 422 | 500;

  constructor(message: string, code: 400 | 422 | 500 = 500) {
    super(message);
    this.code = code;
  }
}

/** `$deleteFromPrimitiveList` without a field, or with something else than a list. */
export function badPrimitiveList(): StrategicPatchError {
  return new StrategicPatchError("invalid patch format of primitive list", 400);
}

/** `$retainKeys` that is no list, or does not name all keys of the patch. */
export function badRetainKeys(): StrategicPatchError {
  return new StrategicPatchError("invalid patch format of retainKeys", 400);
}

/** `$setElementOrder` without a field, or with something else than a list. */
export function badElementOrder(): StrategicPatchError {
  return new StrategicPatchError("invalid patch format of setElementOrder list", 400);
}

/** Lists in lists cannot be merged. */
export function listOfLists(): StrategicPatchError {
  return new StrategicPatchError("lists of lists are not supported", 422);
}

/** An item of a list has no merge key. */
export function noMergeKey(item: unknown, mergeKey: string): StrategicPatchError {
  return new StrategicPatchError(`map: ${goFormatV(item)} does not contain declared merge key: ${mergeKey}`);
}

/** Something is not the object or list that it has to be. */
export function wrongType(
  expected: "map[string]interface {}" | "[]interface {}",
  actual: unknown,
): StrategicPatchError {
  const received = actual === null || actual === undefined ? "%!s(<nil>)" : goType(actual);
  return new StrategicPatchError(`expected a ${expected}, but received a ${received}`);
}

/**
 * Takes what a server sent for what its API promises. The one place where this package states a type that it has not
 * checked: validating every object of every list would cost more than reading it, and servers keep this promise.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the promise
export function fromWire<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return value as T;
}

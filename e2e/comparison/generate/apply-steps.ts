import type { Random } from "@kedge/machinery";
import type { JsonObject } from "../json.ts";
import { chance, oneOf, shuffled, some, subset, weighted } from "./choose.ts";

/** One write. What is applied, patched or put has neither type nor name: the player adds them. */
export type Step =
  | { readonly by: string; readonly apply: JsonObject; readonly force?: true; readonly status?: true }
  | { readonly by: string; readonly merge: JsonObject; readonly status?: true }
  /** A merge patch of what was read, made by the client. */
  | {
      readonly by: string;
      readonly put: JsonObject;
      readonly managedFields: "kept" | "left out" | "reset";
      readonly status?: true;
    }
  | { readonly by: string; readonly create: JsonObject };

/** How the writes to a kind are made up. */
export interface StepMaker {
  /** A part of an object that some manager may want. */
  readonly config: (random: Random) => JsonObject;
  /** The same of the status. */
  readonly status?: (random: Random) => JsonObject;
  /** A merge patch. */
  readonly change: (random: Random) => JsonObject;
  /** Configurations that are refused. */
  readonly faulty: readonly JsonObject[];
  /** A manager whose configuration makes a valid object. */
  readonly owner?: { readonly name: string; readonly config: (random: Random) => JsonObject };
}

/** A few writes to one object, the first of which makes it. */
export function steps(random: Random, maker: StepMaker): Step[] {
  return [firstStep(random, maker), ...some(random, [3, 6], () => nextStep(random, maker))];
}

function firstStep(random: Random, { config, owner }: StepMaker): Step {
  const by = owner?.name ?? manager(random);
  const first = (owner?.config ?? config)(random);
  return chance(random, 65) ? { by, apply: first } : { by, create: first };
}

function nextStep(random: Random, maker: StepMaker): Step {
  const { config, status, change, faulty, owner } = maker;
  const by = manager(random);
  const managedFields = oneOf(random, ["kept", "kept", "left out", "left out", "reset"] as const);
  const force = chance(random, 35) ? ({ force: true } as const) : {};
  const ofStatus = status === undefined ? 0 : 1;
  return weighted<Step>(random, [
    [8, () => ({ by, apply: config(random), ...force })],
    [
      owner === undefined ? 0 : 3,
      () => ({ by: owner?.name ?? by, apply: owner?.config(random) ?? {}, ...force }),
    ],
    [3, () => ({ by, merge: change(random) })],
    [2, () => ({ by, put: change(random), managedFields })],
    [faulty.length === 0 ? 0 : 1, () => ({ by, apply: oneOf(random, faulty), ...force })],
    [3 * ofStatus, () => ({ by, apply: { status: status?.(random) ?? {} }, ...force, status: true })],
    [1 * ofStatus, () => ({ by, merge: { status: status?.(random) ?? {} }, status: true })],
    [
      1 * ofStatus,
      () => ({ by, put: { status: status?.(random) ?? {} }, managedFields: "kept", status: true }),
    ],
  ]);
}

function manager(random: Random): string {
  return oneOf(random, ["a", "a", "b", "b", "c"]);
}

/** Some of these keys, each with what its function makes. */
export function partOf(
  random: Random,
  makers: Readonly<Record<string, () => unknown>>,
  percent: number,
): JsonObject {
  return Object.fromEntries(
    subset(random, Object.entries(makers), percent).map(([key, make]) => [key, make()]),
  );
}

/** A map of texts with some of these keys. */
export function texts(random: Random, keys: readonly string[]): JsonObject {
  return Object.fromEntries(subset(random, keys).map((key) => [key, oneOf(random, ["1", "2"])]));
}

/** Some of these values in any order. */
export function list<T>(random: Random, values: readonly T[]): T[] {
  return shuffled(random, subset(random, values));
}

/** Metadata that a manager may want. */
export function metadata(random: Random): JsonObject {
  return partOf(
    random,
    {
      labels: () => texts(random, ["x", "y", "example.com/z"]),
      annotations: () => texts(random, ["n", "o"]),
      finalizers: () => list(random, ["example.com/a", "example.com/b", "example.com/c"]),
      ownerReferences: () =>
        list(random, [1, 2]).map((id) => ({ apiVersion: "v1", kind: "Node", name: `n${id}`, uid: `u${id}` })),
    },
    30,
  );
}

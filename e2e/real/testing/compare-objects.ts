import { isJsonObject } from "@kedge/machinery";
import { compare, type Comparison } from "../../differential/transcript/compare.ts";
import { compareTexts } from "../../differential/transcript/shape.ts";
import type { Transcript } from "../../differential/transcript/transcript.ts";
import { maskObjects, type RawObject } from "./mask-objects.ts";

/** Compares the objects of two clusters, each with the one of its name, but for what is generated. */
export function compareObjects(
  expected: readonly RawObject[],
  got: readonly RawObject[],
): Comparison & { readonly fields: number } {
  const [wanted, seen] = [byName(maskObjects(expected)), byName(maskObjects(got))];
  const names = [...new Set([...wanted.keys(), ...seen.keys()])].toSorted();
  const transcriptOf = (objects: ReadonlyMap<string, RawObject>): Transcript => ({
    title: "objects",
    steps: names.map((name) => ({
      request: `GET ${name}`,
      status: objects.has(name) ? 200 : 404,
      body: objects.get(name),
    })),
  });
  const fields = [...wanted.values()].reduce((sum, object) => sum + leavesOf(object), 0);
  return { ...compare(transcriptOf(wanted), transcriptOf(seen)), fields };
}

/** Several have the same name when theirs was generated: then they are numbered, in the order of their content. */
function byName(objects: readonly RawObject[]): ReadonlyMap<string, RawObject> {
  const named = new Map<string, RawObject>();
  const sorted = objects.toSorted((one, other) => compareTexts(contentOf(one), contentOf(other)));
  for (const object of sorted) {
    const name = `${object.kind} ${object.metadata.name}`;
    const same = [...named.keys()].filter((key) => key.split(" #")[0] === name).length;
    named.set(same === 0 ? name : `${name} #${same + 1}`, object);
  }
  return named;
}

/** The same text for the same content, in whatever order a server writes the fields. */
function contentOf(object: RawObject): string {
  return JSON.stringify(object, (_, value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => compareTexts(one, other)))
      : value,
  );
}

function leavesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const below = Object.values(value);
  return below.length === 0 ? 1 : below.reduce<number>((sum, item) => sum + leavesOf(item), 0);
}

import { objectAt } from "../../comparison/json.ts";
import type { Write, WriteMaterial } from "./write.ts";

/** A deletion with options, some of which keep the object. */
export function remove({ choose }: Pick<WriteMaterial, "choose">): Write {
  const options = choose.fields({
    propagationPolicy: [25, () => choose.one(["Background", "Foreground", "Orphan"], ["Bad"])],
    gracePeriodSeconds: [15, () => choose.one([0, 5], [-1])],
    dryRun: [10, () => [choose.one(["All"], ["Some"])]],
  });
  const precondition = choose.one(["none", "none", "none", "uid", "first", "wrong"] as const);
  return {
    method: "DELETE",
    type: "application/json",
    said: options,
    body: ({ latest, first }) => ({
      ...options,
      ...(precondition === "uid" && { preconditions: { uid: objectAt(latest, "metadata")["uid"] } }),
      ...(precondition === "first" && {
        preconditions: { resourceVersion: objectAt(first, "metadata")["resourceVersion"] },
      }),
      ...(precondition === "wrong" && { preconditions: { uid: "0f0e0d0c-0b0a-4908-8706-050403020100" } }),
    }),
  };
}

/** What takes the object away, if anything can. */
export const endings: readonly Write[] = [
  {
    method: "DELETE",
    type: "application/json",
    body: () => ({ gracePeriodSeconds: 0, propagationPolicy: "Background" }),
  },
  { method: "PATCH", type: "application/merge-patch+json", body: () => ({ metadata: { finalizers: null } }) },
  { method: "GET" },
];

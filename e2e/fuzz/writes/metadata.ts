import type { JsonObject } from "../../comparison/json.ts";
import { Chooser } from "../chooser.ts";
import type { FuzzKind } from "../fuzz-kind.ts";

/** Metadata besides the name. */
export function metadata(chooser: Chooser, { kind }: FuzzKind): JsonObject {
  // The real server does not look at what updates of events put there.
  const choose = kind === "Event" ? new Chooser(chooser.random, 0) : chooser;
  return choose.fields({
    labels: [
      30,
      () =>
        choose.map(
          [{ a: "b" }, { x: "1", "example.com/y": "" }, {}],
          [{ "a b": "c" }, { a: "b c" }, { a: 1 }],
        ),
    ],
    annotations: [
      25,
      () => choose.map([{ n: "o" }, { n: "", "example.com/p": "a b\nc" }], [{ "a b": "c" }, { a: true }]),
    ],
    finalizers: [8, () => [choose.one(["example.com/a", "example.com/b"], ["a b"])]],
    ownerReferences: [8, () => [owner(choose)]],
  });
}

function owner(choose: Chooser): JsonObject {
  return choose.fields({
    apiVersion: [100, () => choose.one(["v1", "apps/v1"], ["", "a/b/c"])],
    kind: [100, () => choose.one(["ConfigMap", "Deployment"], ["", "Event"])],
    name: [100, () => choose.one(["o"], [""])],
    uid: [100, () => choose.one(["0f0e0d0c-0b0a-4908-8706-050403020100"], [""])],
    controller: [40, () => choose.maybe()],
    blockOwnerDeletion: [30, () => choose.maybe()],
  });
}

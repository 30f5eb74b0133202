import { expect, it } from "vitest";
import { tellChanges, type Informing } from "./tell-changes.ts";

interface Thing {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly phase: string;
}

function thing(name: string, phase: string): Thing {
  return { metadata: { namespace: "here", name }, phase };
}

it("tells of a new state once, of an end, and not of what was there before", () => {
  const told: string[] = [];
  let listener: Parameters<Informing<Thing>["onEvent"]>[0] = () => undefined;
  const informer: Informing<Thing> = {
    kind: { kind: "Thing" },
    onEvent: (listen) => {
      listener = listen;
    },
  };
  tellChanges(
    informer,
    ({ phase }) => phase,
    (what) => told.push(what),
  );
  listener({ type: "added", object: thing("old", "Running"), initial: true });
  listener({ type: "added", object: thing("new", "Pending"), initial: false });
  listener({ type: "updated", object: thing("new", "Pending") });
  listener({ type: "updated", object: thing("new", "Running") });
  listener({ type: "deleted", object: thing("old", "Running") });
  listener({ type: "added", object: thing("old", "Running"), initial: false });
  expect(told).toEqual([
    "Thing here/new  Pending",
    "Thing here/new  Running",
    "Thing here/old  deleted",
    "Thing here/old  Running",
  ]);
});

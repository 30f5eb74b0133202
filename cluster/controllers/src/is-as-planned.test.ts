import { uid } from "@kedge/machinery";
import { expect, it } from "vitest";
import { isAsPlanned, type PlannedFor } from "./is-as-planned.ts";

const planned: PlannedFor = { metadata: { uid: uid("one"), generation: 1 } };
const changed = (metadata: Partial<PlannedFor["metadata"]>): PlannedFor => ({
  metadata: { ...planned.metadata, ...metadata },
});
const open = new AbortController().signal;

it.each<[string, PlannedFor | undefined, AbortSignal, boolean]>([
  ["it is the same", changed({}), open, true],
  ["it is gone", undefined, open, false],
  ["it is another of its name", changed({ uid: uid("two") }), open, false],
  ["it is being deleted", changed({ deletionTimestamp: "2026-11-16T00:00:00Z" }), open, false],
  ["it has another spec", changed({ generation: 2 }), open, false],
  ["the run was given up", changed({}), AbortSignal.abort(), false],
])("a run by a plan, when %s", (_when, newest, signal, goesOn) => {
  expect(isAsPlanned(planned, { newest, signal })).toBe(goesOn);
});

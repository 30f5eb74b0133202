import { fieldErrorText, fieldPath, uid, type OwnerReference } from "@kedge/machinery";
import { expect, it } from "vitest";
import { validateOwnerReferences } from "./validate-object-meta.ts";

const whole: OwnerReference = { uid: uid("u"), kind: "A", name: "x", apiVersion: "v1" };

// What a real kube-apiserver 1.36.4 says.
it.each<[string, readonly Partial<OwnerReference>[], readonly string[]]>([
  ["whole ones", [whole, { ...whole, apiVersion: "apps/v1", controller: true }], []],
  [
    "an empty one",
    [{}],
    [
      'o.apiVersion: Invalid value: "": version must not be empty',
      'o.kind: Invalid value: "": must not be empty',
      'o.name: Invalid value: "": must not be empty',
      'o.uid: Invalid value: "": must not be empty',
    ],
  ],
  [
    "an apiVersion that is none",
    [{ ...whole, apiVersion: "a/b/c" }],
    ['o.apiVersion: Invalid value: "a/b/c": version must not be empty'],
  ],
  [
    "an event",
    [{ ...whole, blockOwnerDeletion: true, kind: "Event", controller: false }],
    [
      'o: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"u","controller":false,"blockOwnerDeletion":true}: /v1, Kind=Event is disallowed from being an owner',
    ],
  ],
  [
    "two controllers",
    [
      { ...whole, controller: true },
      { ...whole, controller: true, kind: "", name: "y" },
    ],
    [
      'o.kind: Invalid value: "": must not be empty',
      'o: Invalid value: [{"apiVersion":"v1","kind":"A","name":"x","uid":"u","controller":true},{"apiVersion":"v1","kind":"","name":"y","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/x and /y',
    ],
  ],
])("owners: %s", (_what, references, texts) => {
  expect(validateOwnerReferences(references, fieldPath("o")).map(fieldErrorText)).toEqual(texts);
});

it("tells of many controllers without a list for each", () => {
  const references = Array.from({ length: 20_000 }, () => ({ ...whole, controller: true }));
  expect(validateOwnerReferences(references, fieldPath("o"))).toHaveLength(19_999);
});

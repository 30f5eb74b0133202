import { describe, expect, test } from "vitest";
import { deepFreeze } from "../json/deep-freeze.ts";
import {
  controllerOf,
  controllerReference,
  isControlledBy,
  isOwnedBy,
  OwnershipError,
  withController,
  type Owner,
} from "./owner-reference.ts";
import { uid } from "./resource-version.ts";

const owner: Owner = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { namespace: "a", name: "web", uid: uid("u1") },
};
const clusterOwner: Owner = { ...owner, metadata: { name: "web", uid: uid("u1") } };
const reference = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "web",
  uid: uid("u1"),
  controller: true,
  blockOwnerDeletion: true,
};
const other = { apiVersion: "v1", kind: "Node", name: "n", uid: uid("u2") };
const podIn = (namespace: string | undefined) => ({
  kind: "Pod",
  metadata: { name: "p", namespace },
  spec: {},
});

describe("withController", () => {
  test("adds the controller after the other owners and changes nothing else", () => {
    const pod = deepFreeze({
      kind: "Pod",
      metadata: { name: "p", namespace: "a", ownerReferences: [other] },
      spec: { x: 1 },
    });
    expect(withController(pod, owner)).toEqual({
      kind: "Pod",
      metadata: { name: "p", namespace: "a", ownerReferences: [other, reference] },
      spec: { x: 1 },
    });
  });

  test("a second time changes nothing, and makes a plain owner the controller in its place", () => {
    const plain = { ...reference, controller: undefined };
    const pod = { metadata: { name: "p", namespace: "a", ownerReferences: [plain, other] } };
    const once = withController(pod, owner);
    expect(once.metadata.ownerReferences).toEqual([reference, other]);
    expect(withController(once, owner)).toEqual(once);
  });

  test.each([
    ["a cluster-scoped owner and an object in a namespace", podIn("a"), clusterOwner],
    ["a cluster-scoped owner and a cluster-scoped object", podIn(undefined), clusterOwner],
    ["both in one namespace", podIn("a"), owner],
  ])("allows %s", (_name, pod, by) => {
    expect(controllerOf(withController(pod, by))).toEqual(reference);
  });

  test.each([
    [
      "b",
      "Pod p is in namespace b and cannot be owned by ReplicaSet web of namespace a: an owner must be cluster-scoped or in the same namespace",
    ],
    [
      undefined,
      "Pod p has no namespace and cannot be owned by ReplicaSet web of namespace a: an owner must be cluster-scoped or in the same namespace",
    ],
  ])("refuses an owner of another namespace than %s", (namespace, message) => {
    expect(() => withController(podIn(namespace), owner)).toThrow(
      new OwnershipError("CrossNamespace", message),
    );
  });

  test("refuses a second controller, also one of the same name that was there before", () => {
    const pod = { metadata: { generateName: "p-", namespace: "a", ownerReferences: [reference] } };
    const successor = { ...owner, metadata: { ...owner.metadata, uid: uid("u9") } };
    expect(() => withController(pod, successor)).toThrow(
      new OwnershipError(
        "OtherController",
        "object p- is controlled by ReplicaSet web (uid u1) already and cannot be given to ReplicaSet web (uid u9): an object has one controller at most",
      ),
    );
  });
});

test("controllerReference refuses an owner that does not say what it is", () => {
  expect(() => controllerReference({ ...owner, kind: "" })).toThrow(
    "apiVersion, kind, name and uid must be set",
  );
});

test("owners are told apart by uid, and only the controller controls", () => {
  const pod = { metadata: { ownerReferences: [other, reference] } };
  const node = { metadata: { uid: uid("u2") } };
  const stranger = { metadata: { uid: uid("u3") } };
  expect([isOwnedBy(pod, owner), isOwnedBy(pod, node), isOwnedBy(pod, stranger)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([isControlledBy(pod, owner), isControlledBy(pod, node)]).toEqual([true, false]);
  expect(isOwnedBy({ metadata: {} }, owner)).toBe(false);
  expect(controllerOf({ metadata: { ownerReferences: [other] } })).toBeUndefined();
});

import { resourceVersion, uid, type ObjectKey } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Informer, InformerEvent } from "@kedge/runtime";
import { expect, it } from "vitest";
import type { ApiPod } from "../model/types.ts";
import { podsByNode } from "./pods-by-node.ts";

function pod(name: string, nodeName: string): ApiPod {
  const metadata = {
    namespace: "default",
    name,
    uid: uid(`${name} on ${nodeName}`),
    resourceVersion: resourceVersion("1"),
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName, containers: [] } };
}

/** What the split takes of an informer. */
function informerOf(pods: readonly ApiPod[]): {
  informer: Informer<Pod, "Namespaced">;
  tell: (event: InformerEvent<Pod>) => void;
} {
  let tell: (event: InformerEvent<Pod>) => void = () => undefined;
  const informer = {
    list: () => pods,
    get: (key: ObjectKey) => pods.find(({ metadata }) => metadata.name === key.name),
    onEvent: (handler: typeof tell) => {
      tell = handler;
      return () => undefined;
    },
  } as unknown as Informer<Pod, "Namespaced">;
  return { informer, tell: (event) => tell(event) };
}

it("tells each node of its own pods, also of those that were there before it asked", () => {
  const { informer, tell } = informerOf([pod("old", "a"), pod("other", "b")]);
  const heard: string[] = [];
  const pods = podsByNode(informer);
  const stop = pods("a").onEvent(({ type, object }) => heard.push(`${type} ${object.metadata.name}`));
  tell({ type: "added", object: pod("new", "a"), initial: false });
  tell({ type: "added", object: pod("not mine", "b"), initial: false });
  tell({ type: "deleted", object: pod("old", "a") });
  stop();
  tell({ type: "deleted", object: pod("new", "a") });
  expect(heard).toEqual(["added old", "added new", "deleted old"]);
});

it("a pod that made way for one of its name on another node is gone from the first", () => {
  const { informer, tell } = informerOf([]);
  const heard: string[] = [];
  const pods = podsByNode(informer);
  for (const node of ["a", "b"]) pods(node).onEvent(({ type }) => heard.push(`${node} ${type}`));
  tell({ type: "updated", object: pod("web-0", "b"), previous: pod("web-0", "a") });
  expect(heard).toEqual(["a deleted", "b added"]);
});

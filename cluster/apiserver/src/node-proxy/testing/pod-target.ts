import type { ApiObject, ConnectTarget, Objects } from "../../registry/types.ts";
import { createRegistry } from "../../registry/registry.ts";
import { testResource } from "../../discovery/testing/test-resource.ts";

/** What a test says of the pod and its node. */
export interface PodFacts {
  readonly port?: number;
  readonly containers?: readonly string[];
  readonly initContainers?: readonly string[];
  /** Empty: not on a node. Default: `node-1`, which exists. */
  readonly nodeName?: string;
  readonly query?: string;
}

/** A pod `default/web` on a node of this machine. */
export function podTarget(facts: PodFacts): ConnectTarget {
  const { port = 1, containers = ["main"], initContainers = [], nodeName = "node-1", query = "" } = facts;
  const node: ApiObject = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1" },
    status: {
      addresses: [
        { type: "Hostname", address: "nowhere.invalid" },
        { type: "InternalIP", address: "127.0.0.1" },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  };
  return {
    name: "web",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", name: "web" },
      spec: {
        nodeName,
        initContainers: initContainers.map((name) => ({ name })),
        containers: containers.map((name) => ({ name })),
      },
    },
    objects: objectsWith(node),
    query: new URLSearchParams(query),
  };
}

/** Knows one node, and refuses everything else. */
function objectsWith(node: ApiObject): Objects {
  const refuse = (): never => {
    throw new Error("not to be called");
  };
  return {
    registry: createRegistry([
      testResource({ group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" }),
    ]),
    get: (_, { name }) => (name === node.metadata.name ? node : undefined),
    list: refuse,
    create: refuse,
    update: refuse,
    delete: refuse,
    onChange: refuse,
  };
}

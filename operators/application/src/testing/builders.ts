import { controllerReference, resourceVersion, uid, type DeepReadonly } from "@kedge/machinery";
import type { Deployment, DeploymentStatus } from "@kedge/machinery/kinds/apps/v1";
import { withDefaults, type InputOf } from "@kedge/schema";
import { Application } from "../kind.ts";
import { finalizer, replicasByAnnotation, type ReplicasBy } from "../names.ts";
import type { Observed } from "../observe.ts";
import { deploymentOf } from "../specs/deployment.ts";

type Spec = Partial<InputOf<typeof Application>["spec"]>;
type App = DeepReadonly<Application>;

const stored = {
  namespace: "shop",
  resourceVersion: resourceVersion("7"),
  creationTimestamp: "2026-11-16T00:00:00Z",
};

/** An application `web` in the namespace `shop`, with our finalizer. */
export function applicationOf(
  spec: Spec = {},
  more: { readonly status?: App["status"]; readonly metadata?: Partial<App["metadata"]> } = {},
): App {
  const {
    apiVersion,
    kind,
    spec: full,
  } = withDefaults(Application, {
    metadata: { name: "web" },
    spec: { image: "nginx:1", port: 80, ...spec },
  });
  const own = { ...stored, name: "web", uid: uid("app-uid"), generation: 1, finalizers: [finalizer] };
  return {
    apiVersion,
    kind,
    metadata: { ...own, ...more.metadata },
    spec: full,
    ...(more.status !== undefined && { status: more.status }),
  };
}

/** Metadata of a child that the application controls. */
export function ownedMeta(name: string, application: App = applicationOf()) {
  return { ...stored, name, uid: uid(`${name}-uid`), ownerReferences: [controllerReference(application)] };
}

/** The Deployment of an application as the server has it. */
export function deploymentFor(
  application: App,
  {
    by = "application",
    replicas = 3,
    status,
    generation = 1,
    annotations = {},
  }: {
    readonly by?: ReplicasBy;
    readonly replicas?: number;
    readonly status?: DeploymentStatus;
    readonly generation?: number;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): DeepReadonly<Deployment> {
  const { spec } = deploymentOf(application, { by, count: replicas });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      ...ownedMeta("web", application),
      generation,
      annotations: { [replicasByAnnotation]: by, ...annotations },
    },
    spec: spec as NonNullable<Deployment["spec"]>,
    ...(status !== undefined && { status }),
  };
}

/** A Deployment's status when all is as it should be. */
export function rolledOut(replicas: number, observedGeneration = 1): DeploymentStatus {
  return {
    observedGeneration,
    replicas,
    readyReplicas: replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
  };
}

/** What there is of an application: nothing but itself, unless said. */
export function observedOf(application: App, there: Partial<Observed> = {}): Observed {
  return {
    application,
    deployment: undefined,
    service: undefined,
    autoscaler: undefined,
    claims: [],
    pods: [],
    ...there,
  };
}

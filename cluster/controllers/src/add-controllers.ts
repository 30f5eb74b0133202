import type { Clock, Logger } from "@kedge/machinery";
import type { Manager } from "@kedge/runtime";
import { deploymentController } from "./deployment/controller.ts";
import { endpointSliceController } from "./endpointslice/controller.ts";
import { createGarbageCollector } from "./garbage-collector/collector.ts";
import { namespaceController } from "./namespace/controller.ts";
import { replicaSetController } from "./replicaset/controller.ts";
import { serviceAccountController } from "./service-account/controller.ts";
import { statefulSetController } from "./statefulset/controller.ts";
import { taintEvictionController } from "./taint-eviction/controller.ts";
import { claimController } from "./volumes/claim-controller.ts";
import { volumeController } from "./volumes/volume-controller.ts";

/** What the built-in controllers need to know. */
export interface ControllersOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The cluster's certificate authority as PEM: every namespace gets it. */
  readonly authority: string;
}

/** Adds all built-in controllers to a manager, before it runs. */
export function addControllers(manager: Manager, options: ControllersOptions): void {
  const { clock, logger } = options;
  const controllers = [
    replicaSetController(),
    deploymentController(),
    statefulSetController(),
    taintEvictionController(),
    endpointSliceController(),
    namespaceController(),
    serviceAccountController({ authority: options.authority }),
    claimController(),
    volumeController(),
  ];
  for (const controller of controllers) manager.add(controller);
  const { client, informers } = manager;
  const collector = createGarbageCollector({ client, informers, clock, logger });
  manager.addTask("garbage-collector", (signal) => collector.run(signal));
}

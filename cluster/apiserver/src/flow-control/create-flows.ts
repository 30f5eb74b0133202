import type { Clock, Logger } from "@kedge/machinery";
import type { Objects } from "../registry/types.ts";
import { FlowControl } from "./flow-control.ts";
import { followFlowObjects, imagineMandatory } from "./follow-flow-objects.ts";
import { maintainFlowObjects } from "./maintain-flow-objects.ts";
import { tellDangling } from "./tell-dangling.ts";

/** Priority and fairness, by the objects of a server. */
export interface Flows {
  readonly control: FlowControl;
  /** Begins to follow the objects, and makes those that every cluster has. */
  start(): Promise<void>;
  stop(): void;
}

/** Makes it. */
export function createFlows({
  objects,
  clock,
  logger,
}: {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly logger: Logger;
}): Flows {
  const control = new FlowControl(clock);
  imagineMandatory(control);
  const stops: (() => void)[] = [];
  const onFailure = (error: unknown): void =>
    logger.warn("The flow schemas and priority levels are not up to date", { error });
  return {
    control,
    start: async () => {
      stops.push(followFlowObjects(objects, control));
      stops.push(await maintainFlowObjects(objects, clock, onFailure));
      stops.push(await tellDangling({ objects, clock, onFailure }));
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}

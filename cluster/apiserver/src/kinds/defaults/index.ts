import type { TypeDefaults } from "../normalize/normalize.ts";
import { admissionRegistrationDefaults } from "./admission-registration.ts";
import { appsDefaults } from "./apps.ts";
import { autoscalingDefaults } from "./autoscaling.ts";
import { batchDefaults } from "./batch.ts";
import { containerDefaults } from "./container.ts";
import { coreDefaults } from "./core.ts";
import { flowControlDefaults } from "./flow-control.ts";
import { otherDefaults } from "./other-groups.ts";
import { podDefaults } from "./pod.ts";
import { serviceDefaults } from "./service.ts";
import { volumeDefaults } from "./volume.ts";

/** The defaults of all types that have some. */
export function builtinDefaults(): TypeDefaults {
  return new Map([
    ...containerDefaults,
    ...volumeDefaults,
    ...podDefaults,
    ...coreDefaults,
    ...serviceDefaults,
    ...appsDefaults,
    ...batchDefaults,
    ...autoscalingDefaults,
    ...admissionRegistrationDefaults,
    ...flowControlDefaults,
    ...otherDefaults,
  ]);
}

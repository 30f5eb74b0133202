import { quantityOf, type Quantity } from "../values/quantity.ts";
import type { Evaluator } from "./types.ts";

interface DeviceRequest {
  readonly deviceClassName?: string | undefined;
  readonly allocationMode?: string | undefined;
  readonly count?: number | undefined;
}

interface CountedResourceClaim {
  readonly spec?:
    | {
        readonly devices?:
          | {
              readonly requests?:
                | readonly {
                    readonly exactly?: DeviceRequest | undefined;
                    readonly firstAvailable?: readonly DeviceRequest[] | undefined;
                  }[]
                | undefined;
            }
          | undefined;
      }
    | undefined;
}

const count = "count/resourceclaims.resource.k8s.io";
const ofClass = ".deviceclass.resource.k8s.io/devices";
/** As many as a claim can get. */
const mostDevices = 32;

/** Counts claims of devices, and the devices of each class that they may get. */
export const resourceClaimEvaluator: Evaluator = {
  matching: (names) => names.filter((name) => name === count || name.endsWith(ofClass)),
  usage: (claim: CountedResourceClaim) => {
    const devices = new Map<string, number>();
    for (const { exactly, firstAvailable = [] } of claim.spec?.devices?.requests ?? []) {
      const most = new Map<string, number>();
      const either = firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly];
      for (const request of either) {
        const { deviceClassName = "" } = request;
        most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, devicesOf(request)));
      }
      for (const [name, number] of most) devices.set(name, (devices.get(name) ?? 0) + number);
    }
    return new Map<string, Quantity>([
      [count, quantityOf(1)],
      ...Array.from(devices, ([name, number]) => [`${name}${ofClass}`, quantityOf(number)] as const),
    ]);
  },
  isInScope: () => false,
  constraint: () => undefined,
  updates: true,
};

function devicesOf({ allocationMode, count: asked = 0 }: DeviceRequest): number {
  if (allocationMode === "All") return mostDevices;
  return allocationMode === "ExactCount" ? asked : 0;
}

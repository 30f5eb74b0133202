import { compareQuantities, quantityOf, quantityValue, type Quantity } from "../values/quantity.ts";
import { parseAmounts, type WrittenAmounts } from "./amounts.ts";
import { scopeSelects } from "./scopes.ts";
import type { Evaluator, ScopeRequirement } from "./types.ts";

interface CountedClaim {
  readonly metadata?:
    | { readonly annotations?: Readonly<Record<string, string | undefined>> | undefined }
    | undefined;
  readonly spec?:
    | {
        readonly storageClassName?: string | undefined;
        readonly volumeAttributesClassName?: string | undefined;
        readonly resources?: { readonly requests?: WrittenAmounts | undefined } | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly allocatedResources?: WrittenAmounts | undefined;
        readonly currentVolumeAttributesClassName?: string | undefined;
        readonly modifyVolumeStatus?:
          | { readonly targetVolumeAttributesClassName?: string | undefined }
          | undefined;
      }
    | undefined;
}

const ofClass = ".storageclass.storage.k8s.io/";
const ofAll = ["persistentvolumeclaims", "requests.storage"];

/** Counts claims of volumes and their bytes, all and those of each storage class. */
export const claimEvaluator: Evaluator = {
  matching: (names) =>
    names.filter(
      (name) =>
        name === "count/persistentvolumeclaims" ||
        ofAll.includes(name) ||
        ofAll.some((each) => name.endsWith(`${ofClass}${each}`)),
    ),
  usage: (claim: CountedClaim) => {
    const usage = new Map<string, Quantity>([
      ["count/persistentvolumeclaims", quantityOf(1)],
      ["persistentvolumeclaims", quantityOf(1)],
    ]);
    const storage = storageOf(claim);
    if (storage !== undefined) usage.set("requests.storage", storage);
    const storageClass = classOf(claim);
    if (storageClass === "") return usage;
    usage.set(`${storageClass}${ofClass}persistentvolumeclaims`, quantityOf(1));
    if (storage !== undefined) usage.set(`${storageClass}${ofClass}requests.storage`, storage);
    return usage;
  },
  isInScope: (claim: CountedClaim, scope: ScopeRequirement) =>
    scope.scopeName === "VolumeAttributesClass" && scopeSelects(scope, attributesClassesOf(claim)),
  constraint: () => undefined,
  updates: true,
};

function classOf({ metadata, spec }: CountedClaim): string {
  const annotated = metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotated ?? spec?.storageClassName ?? "";
}

/** While it grows, what it is growing to, if that is more. In whole bytes. */
function storageOf({ spec, status }: CountedClaim): Quantity | undefined {
  const asked = parseAmounts(spec?.resources?.requests).get("storage");
  if (asked === undefined) return undefined;
  const allocated = parseAmounts(status?.allocatedResources).get("storage");
  const counted = allocated !== undefined && compareQuantities(allocated, asked) > 0 ? allocated : asked;
  const whole = quantityOf(quantityValue(counted), { format: counted.format });
  return compareQuantities(whole, counted) === 0 ? counted : whole;
}

function attributesClassesOf({ spec, status }: CountedClaim): readonly string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.flatMap((name) => (name === undefined || name === "" ? [] : [name]));
}

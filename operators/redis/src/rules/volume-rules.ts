import { compareQuantities, parseQuantity } from "@kedge/machinery";
import type { Refusal } from "@kedge/runtime";
import { canonicalQuantity } from "@kedge/schema";
import type { InstanceSpec } from "../kind.ts";

/** An empty Redis with its append-only file needs a few kilobytes; whoever asks for less meant another unit. */
const smallest = "1Mi";

/** Why a volume of this size would be of no use. */
export function smallVolumeRefusals({ size }: Pick<InstanceSpec["storage"], "size">): readonly Refusal[] {
  if (compareQuantities(parseQuantity(canonicalQuantity(size)), parseQuantity(smallest)) >= 0) return [];
  return [
    {
      field: "spec.storage.size",
      message: `is ${size}, less than ${smallest}, in which no Redis could keep anything: name a size such as 1Gi (m is a thousandth, M and Mi are millions)`,
    },
  ];
}

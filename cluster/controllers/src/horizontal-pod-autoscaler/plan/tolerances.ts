import { parseQuantity, quantityToNumber, type DeepReadonly } from "@kedge/machinery";
import type { HorizontalPodAutoscalerSpec } from "@kedge/machinery/kinds/autoscaling/v2";

/** How far below and above 1 the ratio of use and target may be without a change. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** Those of an autoscaler, or the usual one where it names none. */
export function tolerancesOf(
  { behavior }: Pick<DeepReadonly<HorizontalPodAutoscalerSpec>, "behavior">,
  usual: number,
): Tolerances {
  const own = (text: string | undefined): number =>
    text === undefined ? usual : quantityToNumber(parseQuantity(text));
  return { down: own(behavior?.scaleDown?.tolerance), up: own(behavior?.scaleUp?.tolerance) };
}

/** Whether a ratio is too close to 1 to change anything. */
export function isTolerated({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

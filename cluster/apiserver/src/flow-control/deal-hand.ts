import { createHash } from "node:crypto";
import type { Queuing } from "./types.ts";

/**
 * Some of many queues, always the same for a flow: two flows seldom have the same. The hash is read as a number whose
 * digits are drawn from a deck that shrinks: what it costs depends on the hand, not on the deck.
 */
export function dealHand(
  flow: string,
  { queues, handSize }: Pick<Queuing, "queues" | "handSize">,
): readonly number[] {
  let rest = createHash("sha256").update(flow).digest().readBigUInt64BE();
  /** In ascending order. */
  const dealt: number[] = [];
  for (let left = queues; left > 0 && dealt.length < handSize; left--) {
    const deck = BigInt(left);
    let card = Number(rest % deck);
    rest /= deck;
    // The one at this place among those that are left.
    let at = 0;
    for (; at < dealt.length && (dealt[at] ?? 0) <= card; at++) card++;
    dealt.splice(at, 0, card);
  }
  return dealt;
}

/** What one kind of probe has said so far about one run of a container. */
export interface ProbeState {
  /** The verdict that counts. Undefined: none yet. */
  readonly verdict: "success" | "failure" | undefined;
  readonly last: "success" | "failure" | undefined;
  /** How often in a row `last` was seen. */
  readonly streak: number;
}

/** How many results in a row make a verdict. */
export interface Thresholds {
  readonly failureThreshold: number;
  readonly successThreshold: number;
}

/** Nothing was probed yet. */
export const unprobed: ProbeState = { verdict: undefined, last: undefined, streak: 0 };

/** The state after one more result. */
export function afterProbe(
  state: ProbeState,
  result: "success" | "failure",
  { failureThreshold, successThreshold }: Thresholds,
): ProbeState {
  const streak = state.last === result ? state.streak + 1 : 1;
  const needed = result === "success" ? successThreshold : failureThreshold;
  return { verdict: streak >= needed ? result : state.verdict, last: result, streak };
}

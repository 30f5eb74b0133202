import { describeDifferences } from "../../differential/transcript/compare.ts";
import { until } from "../wait.ts";
import { compareObjects } from "./compare-objects.ts";
import type { RawObject } from "./mask-objects.ts";

/** What two sides have in common, and what not. */
export interface Sameness {
  /** "" when there is none. */
  readonly differences: string;
  /** How much was compared. */
  readonly count: string;
}

/**
 * Compares two sides until they are the same: what is told last, endpoints and events, comes a little later, on a busy
 * machine a lot later. What still differs after two minutes is the answer.
 */
export async function untilSame(read: () => Promise<readonly (readonly RawObject[])[]>): Promise<Sameness> {
  let last: Sameness = { differences: "not compared", count: "" };
  const isSame = async (): Promise<boolean> => {
    const [expected = [], got = []] = await read();
    const { differences, compared, fields } = compareObjects(expected, got);
    last = { differences: describeDifferences(differences), count: `${compared} objects, ${fields} fields` };
    return last.differences === "";
  };
  await until("both sides are the same", isSame, 120_000).catch((error: unknown) => {
    if (last.differences === "not compared") throw error;
  });
  return last;
}

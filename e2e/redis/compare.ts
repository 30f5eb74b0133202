import { messageOf } from "@kedge/machinery";
import type { TestCluster } from "../cluster/testing/up-cluster.ts";
import { killed, nodeLost, pausedUntilReplaced, switchover } from "./faults/faults.ts";
import { measureGap, type Fault, type GapFigures } from "./measure-gap.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import { makeSentinel } from "./subjects/sentinel.ts";
import type { Subject } from "./subjects/subject.ts";
import { lostText } from "./testing/lost-text.ts";

/** What one fault did to one subject, each time that it happened. */
export interface Row {
  readonly fault: string;
  readonly subject: string;
  readonly figures: readonly GapFigures[];
  readonly problems: readonly string[];
}

/** How often each fault happens to both: 0 leaves it out. */
export interface Rounds {
  /** The primary is killed. */
  readonly kills: number;
  /** It is stopped, and goes on when it is replaced. */
  readonly pauses: number;
  /** It is asked to hand over. */
  readonly switchovers: number;
  /** Its node loses its power. */
  readonly nodeKills: number;
}

/**
 * Lets the same faults happen to a RedisInstance and to Sentinel, on one cluster of three nodes and in turns, so that both
 * have the machine as it is at that time.
 */
export async function compareWithSentinel(
  cluster: TestCluster,
  { kills, pauses, switchovers, nodeKills }: Rounds,
  onNews: (line: string) => void,
): Promise<readonly Row[]> {
  const ours = await makeInstance(cluster, "bench");
  const sentinel = await makeSentinel(cluster.client, ["kedge", "kedge-2", "kedge-3"]);
  onNews("a RedisInstance and a Sentinel run, three servers each");
  const rows: Row[] = [];
  const plans: readonly (readonly [(subject: Subject) => Fault, times: number])[] = [
    [() => killed(cluster), kills],
    [(subject) => pausedUntilReplaced(cluster, subject), pauses],
    [(subject) => switchover(subject), switchovers],
    [() => nodeLost(cluster), nodeKills],
  ];
  for (const [faultOf, times] of plans.filter(([, count]) => count > 0)) {
    const found = [ours, sentinel].map((subject) => ({
      subject,
      fault: faultOf(subject),
      figures: [] as GapFigures[],
      problems: [] as string[],
    }));
    for (let round = 1; round <= times; round++) {
      for (const { subject, fault, figures, problems } of found) {
        try {
          const one = await measureGap(subject, fault);
          figures.push(one);
          onNews(`${fault.name} ${round}/${times}, ${subject.name}: ${describe(one)}`);
        } catch (error) {
          problems.push(messageOf(error));
          onNews(`${fault.name} ${round}/${times}, ${subject.name}: ${messageOf(error)}`);
        }
      }
    }
    for (const { subject, fault, figures, problems } of found)
      rows.push({ fault: fault.name, subject: subject.name, figures, problems });
  }
  return rows;
}

function describe(figures: GapFigures): string {
  const { gapMs, acknowledged, lost, struckAt, late, lateToStubborn, wholeMs, refusals } = figures;
  return [
    `gap ${gapMs.toFixed(0)} ms`,
    `${acknowledged} writes, ${lostText(lost, struckAt)}`,
    `${late + lateToStubborn} by the old primary`,
    `in sync after ${(wholeMs / 1000).toFixed(1)} s`,
    JSON.stringify(refusals),
  ].join(", ");
}

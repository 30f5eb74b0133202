import type { ConditionStatement } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { answering, type AnsweringServer } from "../server-view.ts";

/** The condition that is there while servers cannot write to their volumes. */
export const diskFailing = "DiskWriteFailed";

/** Whether a server says that it could not write its data down the last time that it tried. A primary refuses writes then. */
export function isDiskFailing({ answer }: AnsweringServer): boolean {
  const { lastWriteOk, lastSnapshotOk } = answer.facts.persistence;
  return !lastWriteOk || !lastSnapshotOk;
}

/** Which servers cannot write to their volumes, and what to do about it; undefined when all can. */
export function diskTrouble({ servers }: Pick<Observed, "servers">): ConditionStatement | undefined {
  const failing = answering(servers).filter(isDiskFailing);
  if (failing.length === 0) return undefined;
  const pods = failing.map(({ pod }) => pod).join(", ");
  const message = `The server of ${pods} cannot write to its volume, and takes no writes while that is so: is it full? Raise spec.storage.size, or make room; kubectl logs says more.`;
  return { type: diskFailing, status: "True", reason: diskFailing, message };
}

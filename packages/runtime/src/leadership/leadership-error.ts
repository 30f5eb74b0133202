import { CodedError } from "@kedge/machinery";
import type { LeaderElection } from "./types.ts";

/** Why something was not done: we do not lead (yet), do not lead any more, or have given leadership back. */
export class LeadershipError extends CodedError<"NOT_LEADER" | "LOST" | "ENDED"> {
  override readonly name = "LeadershipError";

  constructor(code: "NOT_LEADER" | "LOST" | "ENDED", { namespace, name }: LeaderElection, holder?: string) {
    const lease = `Lease ${namespace}/${name}`;
    const by = holder === undefined || holder === "" ? "" : `: it is held by ${holder}`;
    super(code, `${lease}: ${words[code]}${by}`, {
      hint: `see who holds it: kubectl get lease -n ${namespace} ${name}`,
    });
  }
}

const words = {
  NOT_LEADER: "a write was not sent, because we do not hold it",
  LOST: "it could not be renewed in time",
  ENDED: "we have stopped",
};

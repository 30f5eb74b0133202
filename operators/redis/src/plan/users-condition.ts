import { refusalText, type ConditionStatement, type Refusal } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { spreadOf } from "./credentials.ts";

/** The type of the condition. */
export const usersApplied = "UsersApplied";

/** Whether all servers have the users of the spec. Nothing is said where there are none. */
export function usersConditions(
  observed: Observed,
  refusals: readonly Refusal[],
): readonly ConditionStatement[] {
  const { users = [] } = observed.instance.spec;
  if (users.length === 0) return [];
  const refused = refusals.filter(({ field }) => field.startsWith("spec.users"));
  if (refused.length > 0) return says("False", "Refused", refusalText(refused));
  const { untried, secret } = observed.credentials;
  const { waiting } = spreadOf(observed);
  if (observed.servers.length === 0) return says("False", "NoServers", "There is no server yet.");
  if (untried.length > 0) {
    const names = untried.map(({ user }) => user).join(", ");
    return says("False", "Trying", `A server is asked first whether it takes the rules of ${names}.`);
  }
  if (waiting.length > 0 || secret !== "there")
    return says(
      "False",
      "Setting",
      `Set while servers run. Waiting for ${waiting.join(", ") || "the Secret"}.`,
    );
  return says("True", "Applied", "All servers have them.");
}

function says(status: "True" | "False", reason: string, message: string): readonly ConditionStatement[] {
  return [{ type: usersApplied, status, reason, message }];
}

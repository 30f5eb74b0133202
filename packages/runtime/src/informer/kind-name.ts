import { apiVersionOf, type Kind } from "@kedge/machinery";

/** How informers of a kind are found, and what logs call them: `apps/v1/deployments`. */
export function kindName(kind: Pick<Kind<unknown>, "group" | "version" | "plural">): string {
  return `${apiVersionOf(kind)}/${kind.plural}`;
}

import { apiVersionOf, type Kind } from "@kedge/machinery";
import { isOnlyMetadata } from "./only-metadata.ts";

type Named = Pick<Kind<unknown>, "group" | "version" | "plural">;

/** How informers of a kind are found, and what logs call them: `apps/v1/deployments`. */
export function kindName(kind: Named): string {
  return isOnlyMetadata(kind) ? `${resourceName(kind)} (metadata)` : resourceName(kind);
}

/** What objects of a kind are written to. The same for a kind and its metadata. */
export function resourceName(kind: Named): string {
  return `${apiVersionOf(kind)}/${kind.plural}`;
}

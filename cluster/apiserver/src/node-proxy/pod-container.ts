import { badRequest } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../registry/decoded.ts";
import type { StoredApiObject } from "../registry/types.ts";

/** The container that a stream leads to: the one that is asked for, or the only one. Throws a 400. */
export function containerOf(object: StoredApiObject, asked: string | null): string {
  const { metadata, spec } = decodedAs(Pod, object);
  const pod = metadata?.name ?? "";
  const usual = namesIn(spec?.containers);
  const all = [...namesIn(spec?.initContainers), ...usual, ...namesIn(spec?.ephemeralContainers)];
  if (asked !== null && asked !== "") {
    if (all.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${pod}`);
  }
  const [only = "", ...others] = usual;
  if (usual.length === 1) return only;
  const choice = others.length === 0 ? "" : `, choose one of: [${all.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${pod}${choice}`);
}

function namesIn(list: readonly { readonly name?: string | undefined }[] | undefined): readonly string[] {
  return (list ?? []).map(({ name = "" }) => name);
}

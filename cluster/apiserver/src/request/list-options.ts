import { fieldForbidden, fieldNotSupported, invalid, type FieldError } from "@kedge/machinery";
import type { Resource } from "../registry/types.ts";
import { integer } from "./query.ts";
import { selectionOf, type Selection } from "./selection.ts";
import { flag } from "./target.ts";

/** How a collection is to be listed or watched. */
export interface ListOptions {
  readonly selection: Selection;
  /** As sent; empty when not. */
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
  /** 0: no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/** Reads the options of a list or watch. Throws a 400 or a 422. */
export function listOptions(query: URLSearchParams, resource: Resource, watch: boolean): ListOptions {
  const timeoutSeconds = integer(query, "timeoutSeconds");
  const limit = integer(query, "limit") ?? 0;
  const selection = selectionOf(query, resource);
  const options = {
    resourceVersion: query.get("resourceVersion") ?? "",
    match: query.get("resourceVersionMatch") ?? "",
    continue: query.get("continue") ?? "",
    sendInitialEvents: query.has("sendInitialEvents") ? flag(query, "sendInitialEvents") : undefined,
  };
  const errors = watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return {
    ...options,
    match: options.match === "Exact" || options.match === "NotOlderThan" ? options.match : "",
    selection,
    limit: Math.max(limit, 0),
    allowBookmarks: flag(query, "allowWatchBookmarks"),
    timeoutSeconds,
  };
}

interface Versions {
  readonly resourceVersion: string;
  readonly match: string;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

const matchPath = "resourceVersionMatch";

function listErrors({ resourceVersion, match, continue: token, sendInitialEvents }: Versions): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "")
      errors.push(fieldForbidden(matchPath, `${matchPath} is forbidden unless resourceVersion is provided`));
    if (token !== "")
      errors.push(fieldForbidden(matchPath, `${matchPath} is forbidden when continue is provided`));
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(fieldNotSupported(matchPath, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0")
      errors.push(fieldForbidden(matchPath, `${matchPath} "exact" is forbidden for resourceVersion "0"`));
  }
  if (sendInitialEvents !== undefined)
    errors.push(fieldForbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

function watchErrors({ match, continue: token, sendInitialEvents }: Versions): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.push(fieldForbidden(matchPath, `sendInitialEvents requires setting ${matchPath} to NotOlderThan`));
  if (match !== "") {
    if (sendInitialEvents === undefined)
      errors.push(
        fieldForbidden(matchPath, `${matchPath} is forbidden for watch unless sendInitialEvents is provided`),
      );
    if (match !== "NotOlderThan") errors.push(fieldNotSupported(matchPath, match, ["NotOlderThan"]));
  }
  if (token !== "")
    errors.push(fieldForbidden(matchPath, `${matchPath} is forbidden when continue is provided`));
  return errors;
}

import type { ApiHeaders } from "@kedge/machinery";
import type { Identity, Impersonation } from "../config/types.ts";

/** The headers that say who we are, and as whom we want to act. */
export function identityHeaders(identity: Identity, impersonate: Impersonation | undefined): ApiHeaders {
  return {
    ...(identity.authorization !== undefined && { authorization: identity.authorization }),
    ...(impersonate !== undefined && impersonationHeaders(impersonate)),
  };
}

function impersonationHeaders(impersonate: Impersonation): ApiHeaders {
  const headers: Record<string, string | readonly string[]> = { "impersonate-user": impersonate.user };
  if (impersonate.uid !== undefined) headers["impersonate-uid"] = impersonate.uid;
  if (impersonate.groups !== undefined && impersonate.groups.length > 0) {
    headers["impersonate-group"] = impersonate.groups;
  }
  for (const [key, values] of Object.entries(impersonate.extra ?? {})) {
    // Header names are case-insensitive and narrow in their characters: the server decodes percent escapes.
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  }
  return headers;
}

import { badRequest, formatTime } from "@kedge/machinery";
import { SelfSubjectReview, TokenReview } from "@kedge/machinery/kinds/authentication/v1";
import type { Access } from "../../auth/access.ts";
import { anonymous, withGroup } from "../../auth/authenticate.ts";
import { decodedAs } from "../../registry/decoded.ts";
import type { ApiObject, User } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";

/** Who asks, and whose a token is. */
export function identityReviews(access: Access): readonly KindDefinition[] {
  return [
    {
      kind: TokenReview,
      strategy: {},
      review: (review) => ({ ...review, status: tokenStatus(access, review) }),
    },
    {
      kind: SelfSubjectReview,
      strategy: {},
      review: ({ apiVersion, kind }, { user, clock }) => ({
        apiVersion,
        kind,
        metadata: { creationTimestamp: formatTime(clock.now()) },
        status: { userInfo: infoOf(user) },
      }),
    },
  ];
}

function tokenStatus({ tokens }: Access, review: ApiObject): Record<string, unknown> {
  const { token = "", audiences = [] } = decodedAs(TokenReview, review).spec ?? {};
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = audiences.length === 0 ? undefined : audiences;
  // Who sends no more than a space is as one who sends no token.
  if (/^\s/u.test(token))
    return { authenticated: true, user: infoOf(anonymous), audiences: wanted ?? [tokens?.issuer ?? ""] };
  const found = tokens?.holderOf(token, wanted) ?? { user: undefined, error: undefined };
  if (found.user !== undefined)
    return { authenticated: true, user: infoOf(withGroup(found.user)), audiences: found.audiences };
  const error = found.error === undefined ? "invalid bearer token" : `[invalid bearer token, ${found.error}]`;
  return { user: {}, error };
}

function infoOf({ name, uid, groups, extra }: User): Record<string, unknown> {
  return { username: name, uid, groups, extra };
}

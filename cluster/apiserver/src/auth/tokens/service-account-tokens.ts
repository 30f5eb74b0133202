import type { Clock, Kind, ObjectMeta, Random } from "@kedge/machinery";
import { Node, Pod, Secret, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { ObjectReader, StoredApiObject, User } from "../../registry/types.ts";
import { groupsOfAccount, userOfAccount } from "../service-account-user.ts";
import { list } from "../rbac/covers.ts";
import { decodeClaims, encodeClaims, type Claims, type Reference } from "./claims.ts";
import { TokenKeys } from "./token-keys.ts";

/** What tokens are issued and verified with. */
export interface TokenOptions {
  /** A private key in PEM: RSA, or of the curve P-256. */
  readonly key: string;
  readonly objects: ObjectReader;
  readonly clock: Clock;
  readonly random: Random;
}

/** Whose a token is and what of the wanted audiences it is for; or why it is nobody's. */
export type TokenHolder =
  | { readonly user: User; readonly audiences: readonly string[] }
  | { readonly user: undefined; readonly error: string | undefined };

/** Clocks may differ by so many seconds. */
const leeway = 60;

/** The tokens of service accounts: issued here, and verified against the objects that they are bound to. */
export class ServiceAccountTokens {
  readonly #keys: TokenKeys;
  readonly #options: TokenOptions;
  /** Who issues them, and whom they are for unless they say so. */
  readonly issuer = "https://kubernetes.default.svc.cluster.local";

  constructor(options: TokenOptions) {
    this.#options = options;
    this.#keys = new TokenKeys(options.key);
  }

  /** A token that says this; who asks for it has checked that it is true. */
  issue(
    claims: Omit<Claims, "issuer" | "id" | "issuedAt" | "notBefore" | "expires">,
    seconds: number,
  ): string {
    const { clock, random } = this.#options;
    const now = Math.floor(clock.now() / 1000);
    const times = { issuedAt: now, notBefore: now, expires: now + seconds };
    return this.#keys.sign(encodeClaims({ ...claims, ...times, issuer: this.issuer, id: random.uuid() }));
  }

  /** Whose a token is, if it is for one of these audiences. */
  holderOf(token: string, wanted: readonly string[] = [this.issuer]): TokenHolder {
    const claims = decodeClaims(this.#keys.claimsOf(token));
    if (claims?.issuer !== this.issuer) return { user: undefined, error: undefined };
    const given = claims.audiences.length === 0 ? [this.issuer] : claims.audiences;
    const audiences = wanted.filter((audience) => given.includes(audience));
    const error =
      audiences.length === 0
        ? `token audiences ${list(given)} is invalid for the target audiences ${list(wanted)}`
        : this.#faultOf(claims);
    return error === undefined ? { user: userOf(claims), audiences } : { user: undefined, error };
  }

  /** `/.well-known/openid-configuration`. */
  get configuration(): Readonly<Record<string, unknown>> {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [this.#keys.algorithm],
    };
  }

  /** `/openid/v1/jwks`. */
  get jwks(): Readonly<Record<string, unknown>> {
    return { keys: [this.#keys.jwk] };
  }

  #faultOf({
    notBefore,
    issuedAt,
    expires,
    namespace,
    account,
    secret,
    pod,
    node,
  }: Claims): string | undefined {
    const now = this.#options.clock.now() / 1000;
    if (notBefore - leeway > now) return "service account token is not valid yet";
    if (expires + leeway < now) return "service account token has expired";
    if (issuedAt - leeway > now) return "service account token is issued in the future";
    const place = { namespace, name: account.name };
    const found = this.#find(ServiceAccount, place);
    if (found === undefined) return `serviceaccount ${JSON.stringify(account.name)} not found`;
    if (found.metadata.uid !== account.uid)
      return `service account UID (${found.metadata.uid ?? ""}) does not match claim (${account.uid})`;
    if (this.#isLongGone(found.metadata))
      return `service account ${namespace}/${account.name} has been deleted`;
    if (secret !== undefined) return this.#faultOfBound(Secret, "secret", { ...secret, namespace });
    if (pod !== undefined) return this.#faultOfBound(Pod, "pod", { ...pod, namespace });
    return node === undefined ? undefined : this.#faultOfBound(Node, "node", node);
  }

  #faultOfBound(
    kind: Kind,
    word: string,
    { name, namespace, uid }: Reference & { readonly namespace?: string },
  ): string | undefined {
    const found = this.#find(kind, { name, ...(namespace !== undefined && { namespace }) });
    if (found === undefined) return "service account token has been invalidated";
    if (found.metadata.uid !== uid)
      return `${word} UID (${found.metadata.uid ?? ""}) does not match service account ${word} ref claim (${uid})`;
    return this.#isLongGone(found.metadata) ? "service account token has been invalidated" : undefined;
  }

  #find(
    kind: Kind,
    key: { readonly name: string; readonly namespace?: string },
  ): StoredApiObject | undefined {
    const { objects } = this.#options;
    const resource = objects.registry.byKind(kind.group, kind.kind, kind.version);
    return resource === undefined ? undefined : objects.get(resource, key);
  }

  #isLongGone({ deletionTimestamp }: ObjectMeta): boolean {
    if (deletionTimestamp === undefined) return false;
    return Date.parse(deletionTimestamp) < this.#options.clock.now() - leeway * 1000;
  }
}

function userOf({ namespace, account, pod, node, id }: Claims): User {
  const extra = {
    ...(id !== "" && { "authentication.kubernetes.io/credential-id": [`JTI=${id}`] }),
    ...(pod !== undefined && {
      "authentication.kubernetes.io/pod-name": [pod.name],
      "authentication.kubernetes.io/pod-uid": [pod.uid],
    }),
    ...(node !== undefined && { "authentication.kubernetes.io/node-name": [node.name] }),
    ...(node !== undefined && node.uid !== "" && { "authentication.kubernetes.io/node-uid": [node.uid] }),
  };
  const name = userOfAccount({ namespace, name: account.name });
  return { name, uid: account.uid, groups: groupsOfAccount(namespace), extra };
}

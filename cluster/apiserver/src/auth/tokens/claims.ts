import { isJsonObject } from "@kedge/machinery";

/** Something that a token names: as long as it is there, under this uid, the token is valid. */
export interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** What a token of a service account says. Times are in seconds. */
export interface Claims {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly id: string;
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expires: number;
  readonly namespace: string;
  readonly account: Reference;
  readonly pod?: Reference | undefined;
  readonly secret?: Reference | undefined;
  readonly node?: Reference | undefined;
  /** From when on the bearer should have a newer one. */
  readonly warnAfter?: number | undefined;
}

/** Claims in the form in which they are signed. */
export function encodeClaims(claims: Claims): Readonly<Record<string, unknown>> {
  const { namespace, account, pod, secret, node, warnAfter } = claims;
  return {
    aud: claims.audiences,
    exp: claims.expires,
    iat: claims.issuedAt,
    iss: claims.issuer,
    jti: claims.id,
    "kubernetes.io": {
      namespace,
      ...(node !== undefined && { node }),
      ...(pod !== undefined && { pod }),
      ...(secret !== undefined && { secret }),
      serviceaccount: account,
      ...(warnAfter !== undefined && { warnafter: warnAfter }),
    },
    nbf: claims.notBefore,
    sub: `system:serviceaccount:${namespace}:${account.name}`,
  };
}

/** What was signed, as claims; undefined when it is of no service account. */
export function decodeClaims(value: unknown): Claims | undefined {
  if (!isJsonObject(value)) return undefined;
  const own = value["kubernetes.io"];
  if (!isJsonObject(own)) return undefined;
  const account = referenceOf(own["serviceaccount"]);
  const { namespace } = own;
  if (account === undefined || typeof namespace !== "string") return undefined;
  const audiences = [value["aud"] ?? []].flat();
  return {
    issuer: textOf(value["iss"]),
    audiences: audiences.filter((audience) => typeof audience === "string"),
    id: textOf(value["jti"]),
    issuedAt: numberOf(value["iat"]) ?? 0,
    notBefore: numberOf(value["nbf"]) ?? 0,
    expires: numberOf(value["exp"]) ?? 0,
    namespace,
    account,
    pod: referenceOf(own["pod"]),
    secret: referenceOf(own["secret"]),
    node: referenceOf(own["node"]),
    warnAfter: numberOf(own["warnafter"]),
  };
}

function referenceOf(value: unknown): Reference | undefined {
  if (!isJsonObject(value)) return undefined;
  return { name: textOf(value["name"]), uid: textOf(value["uid"]) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

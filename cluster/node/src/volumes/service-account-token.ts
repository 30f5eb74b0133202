import type { Client } from "@kedge/client";
import { findStatus, isMethodNotSupported, isNotFound, parseTime, type Clock } from "@kedge/machinery";
import { ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import type { ApiPod } from "../model/types.ts";

/** Tokens of pods' service accounts, asked from the API server and renewed in time. */
export interface PodTokens {
  /** Undefined: the server issues none. */
  token(pod: ApiPod, request: TokenSpec, signal: AbortSignal): Promise<string | undefined>;
  /** Forgets a pod's tokens. */
  forget(podUid: string): void;
}

/** What a token is for. */
export interface TokenSpec {
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

interface Held {
  readonly token: string;
  readonly renewAt: number;
}

/** Part of its life after which a token is renewed, and the longest that any is kept. */
const renewalShare = 0.8;
const longestMs = 24 * 3_600_000;

/** Keeps a token for each pod and purpose until most of its life is over. */
export function createPodTokens({
  client,
  clock,
}: {
  readonly client: Client;
  readonly clock: Clock;
}): PodTokens {
  const held = new Map<string, Map<string, Held>>();
  return {
    async token(pod, request, signal) {
      const { uid, namespace, name } = pod.metadata;
      const ofPod = held.get(uid) ?? new Map<string, Held>();
      held.set(uid, ofPod);
      const purpose = `${request.audience ?? ""} ${request.expirationSeconds ?? ""}`;
      const known = ofPod.get(purpose);
      if (known !== undefined && clock.now() < known.renewAt) return known.token;
      const account = { namespace, name: pod.spec?.serviceAccountName ?? "default" };
      try {
        const { status } = await client.of(ServiceAccount).token.create(
          account,
          {
            audiences: request.audience === undefined || request.audience === "" ? [] : [request.audience],
            expirationSeconds: request.expirationSeconds ?? 3600,
            boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
          },
          { signal },
        );
        const { token, expirationTimestamp } = status ?? {};
        if (token === undefined || expirationTimestamp === undefined) return undefined;
        const now = clock.now();
        const lifeMs = Math.min(longestMs, parseTime(expirationTimestamp) - now);
        ofPod.set(purpose, { token, renewAt: now + lifeMs * renewalShare });
        return token;
      } catch (error) {
        if (isMethodNotSupported(error) || isNotServed(error)) return undefined;
        throw error;
      }
    },
    forget: (podUid) => {
      held.delete(podUid);
    },
  };
}

/** A 404 about the path, not about the service account. */
function isNotServed(error: unknown): boolean {
  return isNotFound(error) && findStatus(error)?.details?.name === undefined;
}

import type { Clock, Random } from "@kedge/machinery";
import { beginAudit, type AuditOptions, type AuditTrail } from "../audit/auditor.ts";
import { authenticate } from "../auth/authenticate.ts";
import { attributesOf, authorize } from "../auth/authorize.ts";
import { Impersonation } from "../auth/impersonate.ts";
import type { Attributes, Authenticator, Authorizer } from "../auth/types.ts";
import type { User } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import type { Call } from "./call.ts";

/** Who sends a request, by the client certificate of its connection: undefined without one, `refused` with one that is not trusted. */
export type Sender = User | "refused" | undefined;

/** How callers are known, and where it is told what they may. */
export interface CallersOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly onDecided?: ((attributes: Attributes, isAllowed: boolean) => void) | undefined;
  readonly audit?: AuditOptions | undefined;
}

/** Who asks, and whether they may. */
export class Callers {
  readonly #options: CallersOptions;
  readonly #impersonation: Impersonation;

  constructor(options: CallersOptions) {
    this.#options = options;
    this.#impersonation = new Impersonation(options.authorizer);
  }

  /** What is asked by whom: as themselves, or as another if they may be that one. Throws a 401, or a 403. */
  identify(call: Call, known: Sender): Attributes {
    const { request, target, path } = call;
    let sender: User;
    try {
      sender = authenticate(known, request.headers, this.#options.authenticator);
    } catch (error) {
      this.#beginAudit(call, attributesOf({ name: "", groups: [] }, target, path));
      throw error;
    }
    const asked = attributesOf(sender, target, path);
    this.#beginAudit(call, asked);
    const user = this.#impersonation.actingUser(asked, request.headers);
    if (user === sender) return asked;
    call.audit?.impersonated(user);
    return { ...asked, user };
  }

  /** Throws a 403 when they may not. */
  authorize(attributes: Attributes, audit?: AuditTrail): void {
    const { authorizer, onDecided } = this.#options;
    try {
      authorize(authorizer, attributes);
    } catch (error) {
      audit?.decided(false);
      onDecided?.(attributes, false);
      throw error;
    }
    audit?.decided(true);
    onDecided?.(attributes, true);
  }

  #beginAudit(call: Call, attributes: Attributes): void {
    const { audit, clock, random } = this.#options;
    if (audit === undefined) return;
    const { headers, path: uri, source } = call.request;
    call.auditId ??= headerOf(headers, "audit-id") || random.uuid();
    call.audit = beginAudit(audit, { auditId: call.auditId, attributes, uri, headers, source }, clock);
  }
}

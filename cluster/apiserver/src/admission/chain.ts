import type { StoredApiObject } from "../registry/types.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest, Operation } from "./types.ts";

/** All plug-ins of a server, in their order: the first that refuses decides. */
export class AdmissionChain {
  readonly #plugins: ReadonlyMap<Operation, readonly AdmissionPlugin[]>;

  constructor(plugins: readonly AdmissionPlugin[]) {
    const operations: readonly Operation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
    this.#plugins = new Map(
      operations.map((operation) => [
        operation,
        plugins.filter((plugin) => plugin.operations.includes(operation)),
      ]),
    );
  }

  /** The mutating half: between defaults and validation. Throws a `StatusError`. */
  async admit(request: AdmissionRequest, context: AdmissionContext): Promise<void> {
    await this.#admitOnce(request, context);
    const { reinvocation } = context;
    if (!reinvocation.isWanted) return;
    reinvocation.isSecond = true;
    await this.#admitOnce(request, context);
  }

  async #admitOnce(request: AdmissionRequest, context: AdmissionContext): Promise<void> {
    for (const plugin of this.#plugins.get(request.operation) ?? []) {
      const done = plugin.admit?.(request, context);
      if (done !== undefined) await done;
    }
  }

  /** The validating half: between validation and the store. Throws a `StatusError`. */
  async validate(request: AdmissionRequest<StoredApiObject>, context: AdmissionContext): Promise<void> {
    for (const plugin of this.#plugins.get(request.operation) ?? []) {
      const done = plugin.validate?.(request, context);
      if (done !== undefined) await done;
    }
  }
}

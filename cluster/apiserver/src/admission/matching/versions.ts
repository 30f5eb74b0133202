import { convertObject } from "../../registry/convert-object.ts";
import type { Resource, StoredApiObject } from "../../registry/types.ts";
import type { AdmissionRequest } from "../types.ts";
import type { Asked } from "./rules.ts";

/** The objects of a request, in one version. */
export interface Versioned {
  readonly object: StoredApiObject | undefined;
  readonly oldObject: StoredApiObject | undefined;
}

/** Shows the objects of a request in other versions of its resource, each made once. */
export class Versions {
  readonly #request: AdmissionRequest<StoredApiObject>;
  readonly #made = new Map<Resource, Promise<Versioned>>();

  constructor(request: AdmissionRequest<StoredApiObject>) {
    this.#request = request;
  }

  /** Rejects with a `StatusError` when they cannot be converted. */
  of({ resource: to, kind }: Asked): Versioned | Promise<Versioned> {
    const { resource: from, object, oldObject } = this.#request;
    // Parts like Scale look the same in all versions.
    if (to === from || kind.kind !== to.kind) return { object, oldObject };
    const known = this.#made.get(to);
    if (known !== undefined) return known;
    const made = this.#convert(from, to);
    this.#made.set(to, made);
    return made;
  }

  async #convert(from: Resource, to: Resource): Promise<Versioned> {
    const { object, oldObject } = this.#request;
    return {
      object: object && (await convertObject(object, from, to)),
      oldObject: oldObject && (await convertObject(oldObject, from, to)),
    };
  }
}

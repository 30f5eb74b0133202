import type { ObjectMeta } from "@kedge/machinery";

/**
 * An object inside the pipeline, as JSON. Hooks of a strategy get one that belongs to the request and may change it in
 * place; what is called `previous`, and whatever came from `Objects`, is frozen and shared.
 */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** An object that is stored: never changed, shared by all that read it. */
export type StoredApiObject = Readonly<ApiObject>;

/** Who asks. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

import type { Time } from "../objects/metadata.ts";
import { goJson } from "../go/go-json.ts";
import type { FieldSet } from "./field-set.ts";

/** What one manager owns by one kind of operation. */
export interface Manager {
  /** As `managerId` makes it: the same for all entries of managedFields that are of one manager. */
  readonly id: string;
  readonly name: string;
  readonly operation: "Apply" | "Update";
  /** The version in which the fields were written last. */
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** When the fields were written last. */
  readonly time: Time | undefined;
  readonly fields: FieldSet;
}

/** All managers of an object by their ids. */
export type Managers = ReadonlyMap<string, Manager>;

/** Who a manager is, without what he owns. */
export type ManagerIdentity = Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">;

/**
 * Tells managers apart. An applier is one manager in all versions. The text is that of the server, which sorts by it.
 */
function managerId({ name, operation, apiVersion, subresource }: ManagerIdentity): string {
  return goJson({
    ...(name === "" ? undefined : { manager: name }),
    operation,
    ...(operation === "Apply" || apiVersion === "" ? undefined : { apiVersion }),
    ...(subresource === "" ? undefined : { subresource }),
  });
}

/** A manager of that identity. */
export function manager(identity: ManagerIdentity, fields: FieldSet, time?: Time): Manager {
  return { ...identity, id: managerId(identity), time, fields };
}

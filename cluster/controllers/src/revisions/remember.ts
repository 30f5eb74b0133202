import { deepEqual, ifFound, isAlreadyExists } from "@kedge/machinery";
import { ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { RevisionWrites } from "./new-revision.ts";

type Context = Pick<ReconcileContext<unknown>, "client">;

/** Writes down the revisions that a plan says are new, or newest again. */
export async function rememberRevisions(
  { client }: Context,
  { create, renumber }: RevisionWrites,
  /** Called when another template has the name: the next attempt has another. */
  countCollision: () => Promise<unknown>,
): Promise<void> {
  const revisions = client.of(ControllerRevision);
  if (create !== undefined) {
    const { namespace = "", name } = create.metadata;
    try {
      await revisions.create(create);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await revisions.get({ namespace, name });
      // The very one, which only our cache did not show, or one that an earlier set of this name has left behind: the
      // same template is the same revision, and pods that carry its name are not replaced. It is adopted in a later run.
      if (deepEqual(found.data, create.data)) return;
      await countCollision();
      throw error;
    }
  }
  if (renumber === undefined) return;
  const { revision, number } = renumber;
  await revisions.patch(revision.metadata, { merge: { revision: number } });
}

/** Deletes the revisions that a plan says are no longer needed. */
export async function forgetRevisions({ client }: Context, { forget }: RevisionWrites): Promise<void> {
  for (const { metadata } of forget) {
    await ifFound(client.of(ControllerRevision).delete(metadata, { preconditions: { uid: metadata.uid } }));
  }
}

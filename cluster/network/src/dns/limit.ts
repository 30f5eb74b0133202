/** A number of places that clients share. */
export interface Limit {
  /** Takes a place; undefined when all are taken, or this client has enough of them. Call what it returns to give it back. */
  take(client: string): (() => void) | undefined;
}

/** Places for all clients together, of which one client alone gets only some. */
export function createLimit({ all, each }: { readonly all: number; readonly each: number }): Limit {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take(client) {
      const own = taken.get(client) ?? 0;
      if (total >= all || own >= each) return undefined;
      total += 1;
      taken.set(client, own + 1);
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        total -= 1;
        const left = (taken.get(client) ?? 1) - 1;
        if (left === 0) taken.delete(client);
        else taken.set(client, left);
      };
    },
  };
}

/** Options of a suite or test that cannot run on this machine: it is skipped, and `kedge test` says why. */
export function needs(missing: string | undefined): Needs {
  return missing === undefined ? {} : { skip: true, meta: { skipped: missing } };
}

/** What Vitest takes between the name of a suite and what is in it. */
export interface Needs {
  readonly skip?: boolean;
  readonly meta?: { readonly skipped: string };
}

declare module "vitest" {
  interface TaskMeta {
    /** Why it is skipped. Of a suite: all in it. */
    skipped?: string;
  }
}

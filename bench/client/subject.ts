/** What is measured: a client that reads one pod, and a list of many. */
export interface Subject {
  get(): Promise<void>;
  list(): Promise<readonly unknown[]>;
}

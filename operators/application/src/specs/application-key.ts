/** Which application a child is made for. */
export interface ApplicationKey {
  readonly namespace: string;
  readonly name: string;
}

/** Which instance a child is made for. */
export interface InstanceKey {
  readonly namespace: string;
  readonly name: string;
}

/** A volume cannot be given to a pod (yet): the message is the event's. */
export class MountError extends Error {
  constructor(volume: string, message: string) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${message}`);
    this.name = "MountError";
  }
}

import { samplePosition } from "@afterword/protocol/sampling";
import { ConfigurationError } from "../errors/configuration-error.ts";

/** A forwarder's share of the queue, if several forwarders share it: the rows whose id falls into share `index` of `of`. */
export interface Partition {
  /** From 0. */
  index: number;
  of: number;
}

/** Whether a row falls into this share. Uses the hash of sampling, which test vectors keep from changing. */
export function isInPartition(id: string, { index, of }: Partition): boolean {
  return Math.floor((samplePosition(id, "") / 100) * of) === index;
}

/** Throws a `ConfigurationError` for a share that does not exist. */
export function checkedPartition(partition: Partition): Partition {
  const { index, of } = partition;
  const whole = Number.isInteger(index) && Number.isInteger(of);
  if (whole && of >= 1 && index >= 0 && index < of) return partition;
  throw new ConfigurationError(`partition ${index} of ${of} does not exist; index counts from 0 to of - 1.`);
}

import { totalmem } from 'node:os'

/**
 * Bytes of the machine, or of the container if that has less.
 * @param limit - the container's; 0: none
 */
export function memoryOfMachine(limit = process.constrainedMemory()): number {
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

// What whoever asked the writer is told when it can't be done. A full disk has one name, whatever found it so.

import { DiskFullError, isDiskFull } from '../../data/store/disk-full.ts'

export function failedReply(
  id: number,
  error: unknown,
): { id: number; ok: false; error: string; message: string } {
  const { name, message } = isDiskFull(error) ? new DiskFullError() : (error as Error)
  return { id, ok: false, error: name, message }
}

// The reply to a request that the writer could not fulfil. A full disk always has the same error name,
// however it was found.

import { DiskFullError, isDiskFull } from '../data/store/files/disk-full.ts'

export function failedReply(
  id: number,
  error: unknown,
): { id: number; ok: false; error: string; message: string } {
  const { name, message } = isDiskFull(error) ? new DiskFullError() : (error as Error)
  return { id, ok: false, error: name, message }
}

// Whether the dictionary of a connection is the one that its frames were made with, judged by the frames. A
// dictionary that is damaged in the middle, or another under the right ID, looks whole from outside; then all frames
// are lost, or those that refer to the damaged part. Frames hardly ever come damaged, as TCP and TLS check them; so a
// few that can't be read before any could be are enough. Later a lone one is a lone one, and what counts is how many
// there are among those that can be read: a run of twenty, or in the long run more than two of a hundred.

import type { DropReason } from './decoded.ts'
import { readFrameHeader } from './zstd/frame-header.ts'

const MAX_UNREADABLE_AT_FIRST = 3
/** What an unreadable frame weighs against one that was read. */
const WEIGHT = 50
const MAX_WEIGHT = 20 * WEIGHT

/** Why a dictionary is not to be used any longer: with the ID that frames carry, if it is another. */
export type GcCandidate = { unreadable: number; carried: number | undefined }

type DictionaryTrust = {
  /** A compressed frame was decoded, or dropped for `reason`. @returns a doubt that is serious. */
  weigh(frame: Buffer, reason: DropReason | undefined): GcCandidate | undefined
}

export function createDictionaryTrust(dictionaryId: number): DictionaryTrust {
  let hasRead = false
  let unreadable = 0
  let weight = 0

  function weigh(frame: Buffer, reason: DropReason | undefined): GcCandidate | undefined {
    // It may say so itself, or grow too long: which tells nothing of the dictionary.
    if (reason === 'oversized') return undefined
    if (!isUnreadable(reason)) {
      hasRead = true
      if (weight > 0) weight--
      return undefined
    }
    unreadable++
    weight += WEIGHT
    const id = readFrameHeader(frame)?.dictionaryId ?? 0
    const carried = id !== 0 && id !== dictionaryId ? id : undefined
    const isSerious = hasRead
      ? weight >= MAX_WEIGHT
      : carried !== undefined || unreadable >= MAX_UNREADABLE_AT_FIRST
    return isSerious ? { unreadable, carried } : undefined
  }

  return { weigh }
}

/** Without a checksum a wrong dictionary gives wrong text. */
function isUnreadable(reason: DropReason | undefined): boolean {
  return reason === 'bad-zstd' || reason === 'bad-utf8' || reason === 'bad-json'
}

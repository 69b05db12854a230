// Judges by its frames whether a connection has the right dictionary. One that is damaged in the middle, or
// another with the right ID, looks whole from outside; then all frames are lost, or those that use the
// damaged part. TCP and TLS check frames, so damaged ones are rare: before the first readable frame, a few
// unreadable ones are enough. Later the ratio counts: twenty unreadable in a row, or in the long run more
// than two in a hundred.

import { readFrameHeader } from '@slipstream/zstd-dictionary'
import type { DropReason } from '../frames/decoded.ts'

const MAX_UNREADABLE_AT_FIRST = 3
/** Weight of an unreadable frame against one that was read. */
const WEIGHT = 50
const MAX_WEIGHT = 20 * WEIGHT

/** Why a dictionary is no longer used, with the ID that frames carry if it differs. */
export type DictionaryDoubt = { unreadable: number; carried: number | undefined }

type DictionaryTrust = {
  /** A compressed frame was decoded, or dropped for `reason`. @returns a serious doubt. */
  weigh(frame: Uint8Array, reason: DropReason | undefined): DictionaryDoubt | undefined
}

export function createDictionaryTrust(dictionaryId: number): DictionaryTrust {
  let hasRead = false
  let unreadable = 0
  let weight = 0

  function weigh(frame: Uint8Array, reason: DropReason | undefined): DictionaryDoubt | undefined {
    // A frame may declare this itself, or turn out too long; neither says anything about the
    // dictionary.
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

/** Without a checksum a wrong dictionary produces wrong text. */
function isUnreadable(reason: DropReason | undefined): boolean {
  return reason === 'bad-zstd' || reason === 'bad-utf8' || reason === 'bad-json'
}

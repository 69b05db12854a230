// Passes record keys to a statement in JSON, which has no bytes: a TID as hex, with a flag that marks it.

import type { PackedRkey } from '../../../base/atproto/keys.ts'

export function keyJson(rkey: PackedRkey): [text: string, isTid: 0 | 1] {
  return typeof rkey === 'string' ? [rkey, 0] : [rkey.toString('hex'), 1]
}

/** SQL for the record key whose two values start at this index of a JSON array. */
export function keyColumn(array: string, at: number): string {
  const text = `${array} ->> ${at}`
  return `CASE WHEN ${array} ->> ${at + 1} THEN unhex(${text}) ELSE ${text} END`
}

// Invite codes: fifteen letters and digits in three groups, without look-alikes. About 73 bits, too many to
// guess.

import { randomInt } from 'node:crypto'

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const GROUPS = 3
const GROUP_LENGTH = 5
const CODE = new RegExp(`^[${ALPHABET}]{${GROUP_LENGTH}}(-[${ALPHABET}]{${GROUP_LENGTH}}){2}$`)

export function newInviteCode(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** Normalises a typed code to its stored form; undefined if it can't be one. */
export function readInviteCode(text: string): string | undefined {
  if (text.length > 100) return undefined
  const letters = text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const code = letters.match(/.{1,5}/g)?.join('-') ?? ''
  return CODE.test(code) ? code : undefined
}

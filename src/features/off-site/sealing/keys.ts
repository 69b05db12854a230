// The one secret of a backup: an age identity. Whoever has it can read the backup, with this program or with
// age; without it, nobody can. Two more keys are derived from it: one that names chunks, so that a name says
// nothing about the content, and one that vouches for an object's name and content.

import { hkdfSync } from 'node:crypto'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'

export type Keys = {
  identity: string
  recipient: string
  /** Names chunks by their content. */
  naming: Buffer
  /** Vouches for objects, since anyone who knows the recipient could encrypt for it. */
  vouching: Buffer
}

const KEY_BYTES = 32

/** @throws if it is not an age identity */
export async function keysFrom(identity: string): Promise<Keys> {
  const derived = (what: string) =>
    Buffer.from(hkdfSync('sha256', identity, '', `slipstream off-site ${what}`, KEY_BYTES))
  return {
    identity,
    recipient: await identityToRecipient(identity),
    naming: derived('naming'),
    vouching: derived('vouching'),
  }
}

/** AGE-SECRET-KEY-1… */
export function newIdentity(): Promise<string> {
  return generateX25519Identity()
}

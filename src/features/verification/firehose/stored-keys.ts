// Accounts' keys over a restart: a file with a line for each, since looking up everybody's again takes hours within the
// budget. What is damaged in it is no key, or one with which nothing verifies; either is looked up anew.

import { readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'

const LINES_AT_ONCE = 5_000
const LINE = /^(did:[a-z]+:[A-Za-z0-9.:_-]{1,80}) (did:key:z[A-Za-z0-9]{40,80})$/

/** @returns did:keys by DID, the latest used last; none if there is no file */
export function readStoredKeys(path: string): Map<string, string> {
  const cache = new Map<string, string>()
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch {
    return cache
  }
  for (const line of text.split('\n')) {
    const [, did, key] = LINE.exec(line) ?? []
    if (did !== undefined && key !== undefined) cache.set(did, key)
  }
  return cache
}

/** @throws errors of the file system */
export async function writeStoredKeys(
  path: string,
  keys: readonly (readonly [did: string, key: string])[],
): Promise<void> {
  const beside = `${path}.new`
  try {
    const file = await open(beside, 'w', 0o600)
    try {
      for (let i = 0; i < keys.length; i += LINES_AT_ONCE) {
        const lines = keys.slice(i, i + LINES_AT_ONCE).map(([did, key]) => `${did} ${key}\n`)
        await file.write(lines.join(''))
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined)
    throw error
  }
}

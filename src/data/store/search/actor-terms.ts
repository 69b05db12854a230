// The search terms of an account: prefixes of the words of its handle and display name and, if these find too
// little, any three consecutive letters of its handle.

import { fold, isDense, pairsOf, runsOf } from './words.ts'

/** Folded; empty if missing. */
export type ActorNames = { handle: string; name: string }

const MAX_NAME_LENGTH = 200
const MAX_QUERY_WORDS = 8
const PART_LENGTH = 3

/** @param handle - verified, or null */
export function actorNames(handle: string | null, displayName: unknown): ActorNames {
  const name = typeof displayName === 'string' ? displayName.slice(0, MAX_NAME_LENGTH) : ''
  return { handle: fold(handle ?? ''), name: runsOf(fold(name)).join(' ') }
}

/** The distinct words whose prefixes find this account. */
export function actorTerms({ handle, name }: ActorNames): string[] {
  return [...new Set([...termsOf(handle), ...termsOf(name)])]
}

/** The distinct runs of three letters in a handle without its last label. */
export function actorParts({ handle }: ActorNames): string[] {
  return partsOf(handle.slice(0, Math.max(handle.lastIndexOf('.'), 0)))
}

export type ActorQuery = {
  /** The whole text, folded, without a leading @; compared with handles. */
  text: string
  /** Prefixes that all must match a word. */
  words: string[]
  /** Must all be in the handle; empty if the text cannot be part of one. */
  parts: string[]
}

export function actorQuery(q: string): ActorQuery {
  const text = fold(q.trim().replace(/^@/, '').slice(0, MAX_NAME_LENGTH)).trim()
  const words = [...new Set(runsOf(text).flatMap(queryWordsOf))].slice(0, MAX_QUERY_WORDS)
  return { text, words, parts: /^[a-z0-9.-]+$/.test(text) ? partsOf(text) : [] }
}

/** The index's test for one account: its words begin with all of these. */
export function beginsWithAll(names: ActorNames, words: readonly string[]): boolean {
  const terms = actorTerms(names)
  return words.every((word) => terms.some((term) => term.startsWith(word)))
}

/** A text with a dot is part of a handle, unless a name has all its words. */
export function isMeant(names: ActorNames, { text, words }: ActorQuery): boolean {
  return names.handle.includes(text) || beginsWithAll({ handle: '', name: names.name }, words)
}

function termsOf(text: string): string[] {
  return runsOf(text).flatMap((run) => (isDense(run) ? [...pairsOf(run), lastOf(run)] : [run]))
}

function queryWordsOf(run: string): string[] {
  return isDense(run) ? pairsOf(run) : [run]
}

/** The last character: no pair begins with it. */
function lastOf(run: string): string {
  return [...run].at(-1) ?? run
}

function partsOf(text: string): string[] {
  const parts = new Set<string>()
  for (const label of text.split(/[^a-z0-9]+/)) {
    for (let i = 0; i + PART_LENGTH <= label.length; i++) parts.add(label.slice(i, i + PART_LENGTH))
  }
  return [...parts]
}

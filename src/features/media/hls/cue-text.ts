// The text of a cue, read as WebVTT's tokenizer and parser read it, and rewritten: characters, and tags for
// bold, italic and underline. All other tags are dropped, but not what is between them.
// https://www.w3.org/TR/webvtt1/#webvtt-cue-text-parsing-rules

import { readReference } from './character-references.ts'

type Piece = { written: string; length: number }

const TAG = /^([a-z]+)(?:[\t\n\f .]|$)/
const WRITTEN = new Set(['b', 'i', 'u'])
const NESTING = new Set([...WRITTEN, 'c', 'v', 'lang', 'ruby'])
/** Characters that the text can't hold as they are: they would begin tags, references or cues. */
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
  ['\u00a0', '&nbsp;'],
  ['\u200e', '&lrm;'],
  ['\u200f', '&rlm;'],
])
/** Dropped tags may leave empty lines, which would end the cue. */
const EMPTY_LINE = /^\n|\n(?=\n)|\n$/g

/** Its result can begin neither a tag of another kind nor a cue. */
export function cleanCueText(text: string): string {
  /** Names of the tags that are open, outermost first. */
  const open: string[] = []
  let clean = ''
  for (let at = 0; at < text.length; ) {
    const { written, length } = nextPiece(text, at, open)
    clean += written
    at += length
  }
  return clean.replaceAll(EMPTY_LINE, '&#10;')
}

function nextPiece(text: string, at: number, open: string[]): Piece {
  const sign = text[at]!
  if (sign === '<') return readTag(text, at, open)
  const found = sign === '&' ? readReference(text, at) : undefined
  if (found) return { written: escaped(found.characters), length: found.length }
  return { written: sign === '\n' ? sign : escaped(sign), length: 1 }
}

/** An unfinished tag takes the rest of the text. */
function readTag(text: string, at: number, open: string[]): Piece {
  const end = text.indexOf('>', at)
  const inside = text.slice(at + 1, end === -1 ? text.length : end)
  const isEnd = inside.startsWith('/')
  // Only a tag that opens may have classes or more after its name.
  const name = isEnd ? inside.slice(1) : (TAG.exec(inside)?.[1] ?? '')
  const isUsed = isEnd ? closeTag(name, open) : openTag(name, open)
  const written = isUsed && WRITTEN.has(name) ? `<${isEnd ? '/' : ''}${name}>` : ''
  return { written, length: inside.length + (end === -1 ? 1 : 2) }
}

function openTag(name: string, open: string[]): boolean {
  const isUsed = NESTING.has(name) || (name === 'rt' && open.at(-1) === 'ruby')
  if (isUsed) open.push(name)
  return isUsed
}

/** A tag is closed only while it is the innermost; a text ends with all of them closed. */
function closeTag(name: string, open: string[]): boolean {
  if (name === 'ruby' && open.at(-1) === 'rt') open.pop()
  const isUsed = open.at(-1) === name
  if (isUsed) open.pop()
  return isUsed
}

function escaped(characters: string): string {
  return Array.from(characters, (character) => ESCAPED.get(character) ?? character).join('')
}

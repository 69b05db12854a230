// Decodes the character references of HTML in text, as its tokenizer does in the data state, which captions
// use too. https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state

import { namedReferences, namesWithoutSemicolon } from './named-references.ts'

const NUMBER = /&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?/y
const NAME = /&([a-zA-Z][a-zA-Z0-9]{1,31})(;?)/y
const LONGEST_WITHOUT_SEMICOLON = 6
const REPLACEMENT = '\ufffd'
/** Characters that numbers from 128 mean, since they were Windows-1252 to their authors. */
const FROM_128 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Reads the reference that begins with the ampersand at `at`.
 *
 * @returns its characters and how many it takes of the text; undefined if it is none
 */
export function readReference(
  text: string,
  at: number,
): { characters: string; length: number } | undefined {
  return readNumber(text, at) ?? readName(text, at)
}

function readNumber(text: string, at: number) {
  NUMBER.lastIndex = at
  const found = NUMBER.exec(text)
  if (!found) return undefined
  const [all, hex, decimal] = found
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return { characters: ofNumber(point), length: all.length }
}

function ofNumber(point: number): string {
  const isSurrogate = point >= 0xd800 && point <= 0xdfff
  if (point === 0 || point > 0x10ffff || isSurrogate) return REPLACEMENT
  return FROM_128[point - 128] ?? String.fromCodePoint(point)
}

function readName(text: string, at: number) {
  NAME.lastIndex = at
  const found = NAME.exec(text)
  if (!found) return undefined
  const [all, name = '', end] = found
  const characters = end === ';' ? namedReferences.get(name) : undefined
  return characters === undefined ? readPrefix(name) : { characters, length: all.length }
}

/** The longest name that needs no semicolon and that this one begins with. */
function readPrefix(name: string) {
  for (let length = Math.min(name.length, LONGEST_WITHOUT_SEMICOLON); length > 1; length--) {
    const prefix = name.slice(0, length)
    if (namesWithoutSemicolon.has(prefix)) {
      return { characters: namedReferences.get(prefix)!, length: length + 1 }
    }
  }
  return undefined
}

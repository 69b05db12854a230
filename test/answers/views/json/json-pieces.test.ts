import { serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { jsonPieces } from '../../../../src/answers/views/json/json-pieces.ts'
import { SLOT, slot } from '../../../../src/answers/views/json/slots.ts'

const ONE_BYTE_STRING = 0x22

/** The tag by which V8 serialises a string says how many bytes it takes for a character. */
function isOneByte(text: string): boolean {
  return serialize(text)[2] === ONE_BYTE_STRING
}

const FIXED = {
  uri: 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3l2ngxldzwp2z',
  text: 'an emoji 🌊 and ünicode',
  indexedAt: '2026-11-28T05:50:06.000Z',
}
const LABEL = { val: 'ünsafe' }

/** Its slots are made in another order than the one in which they stand. */
const view = () => {
  const viewer = slot<object>(SLOT.postViewer, 2)
  const author = slot<object>(SLOT.profile, 1)
  const { uri, text, indexedAt } = FIXED
  return { uri, author, text, labels: [slot<object>(SLOT.postLabels, 2), LABEL], viewer, indexedAt }
}

test('a view is cut at its slots into one byte a character, whatever its text', () => {
  expect(isOneByte('🌊')).toBe(false)
  const { pieces, slots } = jsonPieces(view)!
  expect(pieces.map(isOneByte)).toEqual(pieces.map(() => true))
  expect(slots.copy()).toEqual([SLOT.profile, 1, SLOT.postViewer, 2])
  const [before, between, after] = pieces
  const bytes = Buffer.from(`${before}{"did":"x"${between},"viewer":{}${after}}`, 'latin1')
  expect(JSON.parse(bytes.toString())).toEqual({
    ...FIXED,
    author: { did: 'x' },
    labels: [LABEL],
    viewer: {},
  })
})

test('labels are inserted by bytes, not by characters', () => {
  const { pieces, spots } = jsonPieces(view)!
  const [kind, id, piece, at] = spots.copy() as [number, number, number, number]
  expect([spots.length, kind, id]).toEqual([4, SLOT.postLabels, 2])
  expect(pieces[piece]!.slice(0, at).endsWith('"labels":[')).toBe(true)
  expect(pieces[piece]!.slice(at).startsWith('{"val":')).toBe(true)
})

test('views for one viewer have no slots, which would be sent as marks', () => {
  expect(() => slot(SLOT.profile, 1)).toThrow('a slot in a view for one viewer')
})

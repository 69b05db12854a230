// Captions as rewritten here, beside the raw files, in Chromium's own WebVTT parser: the same cues with the
// same text, over a corpus of the standard's corners and over random files. Skips without a Chromium.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { namedReferences } from '../../../src/features/media/hls/named-references.ts'
import { readCues, UnfitCaptions, writeVtt } from '../../../src/features/media/hls/vtt.ts'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const path = chromiumPath()
if (!path) console.warn('captions are not compared with a browser’s: there is no Chromium')

type ShownCue = { start: number; end: number; html: string }

/** In the browser: loads each file as a track, and returns its cues, or undefined if it is refused. */
const showTracks = `async (files) => {
  const video = document.createElement('video')
  document.body.append(video)
  const htmlOf = (node) => {
    const inside = [...node.childNodes].map(htmlOf).join('')
    if (node.nodeType === Node.TEXT_NODE) return JSON.stringify(node.data)
    return ['B', 'I', 'U'].includes(node.nodeName) ? '<' + node.nodeName + '>' + inside + '</>' : inside
  }
  const show = (file) => new Promise((resolve) => {
    const track = document.createElement('track')
    track.src = URL.createObjectURL(new Blob([file], { type: 'text/vtt' }))
    const end = (cues) => {
      track.remove()
      resolve(cues)
    }
    track.onerror = () => end(undefined)
    track.onload = () => end([...track.track.cues].map((cue) => ({
      start: cue.startTime, end: cue.endTime, html: htmlOf(cue.getCueAsHTML()).replaceAll('""', ''),
    })))
    video.append(track)
    track.track.mode = 'hidden'
  })
  const shown = []
  for (const file of files) shown.push(await show(file))
  return shown
}`

const TIMES = '00:00.000 --> 00:01.000'
const cue = (text: string) => `WEBVTT\n\n${TIMES}\n${text}`

const corpus: string[] = [
  `WEBVTT\n\n${TIMES}\none\n00:01.000 --> 00:02.000\ntwo`,
  'WEBVTT\n\n0:00:01.000 --> 0:00:02.000\nshort hours\n\n000012:00:01.000 --> 123456:00:02.000\nlong',
  cue(
    'it&#39;s &quot;ok&quot; &hellip; &copy 2020 &notit; &notin; &ampx &#128; &#x1F600; &#0; &#10;x',
  ),
  cue(
    '&#xD800; &#1114112; &#99999999999; &#; &#x; &; &a; &unknown; &NotEqualTilde; a & b &lt;b&gt;',
  ),
  cue('a <b>bold <i>both</i></b> <u.loud>under</u> <c.red>red</c> <v Ann>said</v> <00:00.500>late'),
  cue('<b class>x</b> <b\tx>y</b> < b>z <>w <1>v </b> <unfinished'),
  cue('<b>x<v A>y</b>z</v>w</b>v <ruby>r<rt>t<b>b</ruby></b></ruby>c <rt>no</rt> </i>d <u>e'),
  cue('<c>\nfirst\n<c>\n</c>\nlast\n<c>'),
  cue('1 < 2 and 3 > 2 --> no cue'),
  `WEBVTT Title\nKind: captions\nX: y\n\nid\n${TIMES}\nwith a name`,
  `WEBVTT\n${TIMES}\ndirectly below the head`,
  `WEBVTT\nhead\n${TIMES}\nbelow the head`,
  `WEBVTT\n\nNOTE a\n${TIMES}\nname of two words\n\nNOTE\na\n${TIMES}\nthird line of a comment`,
  `WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:x\n\n${TIMES} region:x\nplaced`,
  `WEBVTT\n\nSTYLE\n${TIMES}\nnamed STYLE`,
  `WEBVTT\n\none\ntwo\n${TIMES}\nthree lines`,
  `WEBVTT\n\n--> \n${TIMES}\nafter a bad line\n\nx --> y\nbad\nworse\n${TIMES}\ngood`,
  `WEBVTT\n\n00:00.000-->00:01.000align:start\nno spaces`,
  `WEBVTT\n\n\t00:00.000\t-->\t00:01.000\tline:0\ntabs`,
  'WEBVTT\n\n00:00.0000 --> 00:01.000\nx\n\n00:00.000 --> 00:61.000\nx\n\n0:01.000 --> 00:02.000\nx',
  'WEBVTT\n\n60:00.000 --> 61:00.000\nx\n\n00:00,000 --> 00:01,000\nx\n\n00:02.000 --> 00:01.000\nx',
  `\ufeffWEBVTT\r\n\r\n${TIMES}\r\none\rtwo\r\n \r\nthree`,
  `WEBVTT\n\n${TIMES}\none\n \ntwo\n\t\n\nthree`,
  `WEBVTT\n\n${TIMES}\nnul \0 and \u00a0 \u200e \u200f`,
  'WEBVTTX\n\n00:00.000 --> 00:01.000\nx',
  'WEBVTT',
  '',
]

const PIECES = [
  ...['\n', '\n', '\n\n', '\n\n', ' ', '\t', '-->', ' --> ', `${TIMES}\n`, `\n${TIMES}\n`, 'NOTE'],
  ...[
    '00:01.000',
    '1:00:02.000',
    '00:00:03.5',
    '123:00:00.000',
    '99:00.000',
    'STYLE',
    'REGION',
    'id',
  ],
  ...[
    '<b>',
    '</b>',
    '<i.x>',
    '<c>',
    '<ruby>',
    '<rt>',
    '</ruby>',
    '</v>',
    '<',
    '>',
    '</',
    '<v A>',
    '&',
    '&amp;',
    '&lt',
    '&#60;',
    '&#x3e;',
  ],
  ...['&copy', ';', '&frac1', '2', '&ThickSpace;', 'align:end', 'line:1', 'word', 'ü', '😀', '\r'],
]

function randomFile(random: Random): string {
  const length = random.below(40)
  const pieces = Array.from({ length }, () => random.pick(PIECES)).join('')
  return `WEBVTT${random.chance(0.8) ? '\n\n' : '\n'}${pieces}`
}

/** `undefined` where the file is refused. */
function rewritten(file: string): string | undefined {
  try {
    return writeVtt(readCues(Buffer.from(file)))
  } catch (error) {
    if (error instanceof UnfitCaptions) return undefined
    throw error
  }
}

/** Cues that are ever shown, and show something. */
function visible(cues: ShownCue[] | undefined): ShownCue[] {
  return (cues ?? []).filter(({ start, end, html }) => {
    const text = html.replaceAll(/<[BIU]>|<\/>/g, '').replaceAll(/"|\\[tnrf]/g, '')
    return end > start && text.trim() !== ''
  })
}

describe.skipIf(!path)('as in Chromium', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await launchBrowser()
    page = await browser.newPage()
    await page.goto('about:blank')
  })
  afterAll(() => browser.close())

  async function compare(files: string[]): Promise<void> {
    const ours = files.map(rewritten)
    const run = `(${showTracks})(${JSON.stringify([...files, ...ours.map((file) => file ?? '')])})`
    const shown = (await page.evaluate(run)) as (ShownCue[] | undefined)[]
    for (const [i, file] of files.entries()) {
      const [theirs, own] = [visible(shown[i]), visible(shown[files.length + i])]
      expect(own, JSON.stringify({ file, ours: ours[i] })).toEqual(theirs)
    }
  }

  test('the corners of the standard', () => compare(corpus))

  test('all named references, with and without a semicolon', async () => {
    const names = [...namedReferences.keys()]
    const files = Array.from({ length: Math.ceil(names.length / 100) }, (_, i) => {
      const some = names.slice(i * 100, i * 100 + 100)
      const cues = some.map((name) => `${TIMES}\n&${name}; &${name}. &${name}`)
      return ['WEBVTT', ...cues].join('\n\n')
    })
    await compare(files)
  })

  test('random files', async () => {
    const random = createRandom(testSeed('captions in a browser'))
    for (let round = 0; round < 5; round++) {
      await compare(Array.from({ length: 100 }, () => randomFile(random)))
    }
  })
})

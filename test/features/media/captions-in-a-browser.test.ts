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

/** `where`: all that a cue's settings say, but for its region. */
type VisibleCue = { start: number; end: number; html: string; where: string }

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
      where: [cue.vertical, cue.snapToLines, cue.line, cue.lineAlign, cue.position,
        cue.positionAlign, cue.size, cue.align].join(' '),
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
  `\ufeff\ufeffWEBVTT\n\n${TIMES}\ntwo marks`,
  `WEBVTT\f\n\n${TIMES}\nform feed`,
  `WEBVTT --> x\n\n${TIMES}\narrow in the head`,
  `WEBVTT\r\r${TIMES}\rone\r\r${TIMES}\rtwo`,
  `WEBVTT\n\r\n${TIMES}\nmixed\r\rend`,
  `WEBVTT\n\n${TIMES}\u2028one\u2028two\u0085three`,
  `WEBVTT\n\n00:05.000 --> 00:06.000\nlast\n\n00:01.000 --> 00:09.000\nlong\n\n00:01.000 --> 00:02.000\nshort`,
  `WEBVTT\n\nSTYLE -->\n${TIMES}\nx\n\nREGION\nid:a -->\n\n${TIMES}\ny`,
  `WEBVTT\n\nSTYLE\n::cue(b) { }\n${TIMES}\nin a style`,
  `WEBVTT\n\nNOTE\n${TIMES}\nnamed NOTE\n\nNOTE -->\n${TIMES}\ny`,
  cue('<lang en>l <c.a.b x>c</c></lang> <b.x.y z>b</b> <V A>no</V> <B>no</B>'),
  cue('<00:00:00.500>a<00:00.700><b>b</b><1:00:00.000>c<bad:time>d'),
  cue('<b>one\n<i>two\n</b>three</i>four'),
  cue('&amp&lt&gt &ampamp; &#38;amp; &#x26lt; &#0038 &#X41; &#x00000041;'),
  cue('</b>x</i></></ b>y</b '),
  cue('a<\nb>c <b\n>d</b\n>e'),
  cue('\ufffe\ufeff\ud83d x'),
  `WEBVTT\n\n${TIMES}`,
  `WEBVTT\n\n${TIMES}\n\ntext after an empty line`,
  `WEBVTT\n\n00:00.000 -->00:01.000\nx\n\n00:00.000--> 00:01.000\ny\n\n00:00.000 ->00:01.000\nz`,
  'WEBVTTX\n\n00:00.000 --> 00:01.000\nx',
  'WEBVTT',
  '',
]

/** Each in a file of its own. */
const placed: string[] = [
  'line:0 position:10% size:35% align:start',
  'line:-1 align:left',
  'line:50%,end position:50%,line-left',
  'line:5.5% vertical:rl',
  'line:1,center vertical:lr size:0%',
  'line:1.5',
  'line:101%',
  'line:-1%',
  'line:--1',
  'line:1-',
  'line:.5%',
  'line:5.%',
  'line:1,middle',
  'position:50',
  'position:50%,center position:20%',
  'position:100.0000000000000000000000000000000001%',
  'position:00000000000000000000000000000000050%',
  'size:100% size:101%',
  'size:-0%',
  'align:middle',
  'align:end align:start',
  'align:END',
  'ALIGN:end',
  'vertical:rl vertical:xx',
  'align:end line:1 line:2 line:3 line:4 line:5 line:6 size:50%',
  'align: end',
  'align:end:start',
  ':end align:',
  'align:end\tline:2 \t size:20%',
  'align:end,line:2',
  'region:none line:3',
  'position:auto line:auto',
  'line:99999',
  'junk align:right more',
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
function visible(cues: VisibleCue[] | undefined): VisibleCue[] {
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
    const presented = (await page.evaluate(run)) as (VisibleCue[] | undefined)[]
    for (const [i, file] of files.entries()) {
      const [theirs, own] = [visible(presented[i]), visible(presented[files.length + i])]
      expect(own, JSON.stringify({ file, ours: ours[i] })).toEqual(theirs)
    }
  }

  test('the corners of the standard', () => compare(corpus))

  test('the settings of a cue', () =>
    compare(placed.map((settings) => `WEBVTT\n\n${TIMES} ${settings}\nplaced`)))

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

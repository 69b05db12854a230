// The state in words, the forecast and the numbers, each at its limits.

import { afterEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/util/durations.ts'
import { bytes, count, days, duration, rate } from '../../../src/base/util/format.ts'
import type { BeforeLive, IngestStatus } from '../../../src/bridge/messages.ts'
import { putHistory } from '../../../src/data/store/counts/history.ts'
import { openWriter, type WriteDb } from '../../../src/data/store/db.ts'
import type { Availability } from '../../../src/features/pages/availability.ts'
import { figuresOf } from '../../../src/features/pages/figures.ts'
import { diskForecast } from '../../../src/features/pages/forecast.ts'
import { stateInWords } from '../../../src/features/pages/state-words.ts'
import { visitorFiguresOf } from '../../../src/features/pages/visitor-figures.ts'
import { stateForVisitors } from '../../../src/features/pages/visitor-words.ts'
import { html } from '../../../src/http/server/html.ts'
import { freshDataDir } from '../../support/slipstream-process.ts'

const BEFORE: BeforeLive = {
  what: 'archive',
  percent: 12.5,
  text: '12.5 % is read.',
  waiting: undefined,
}

function status(changes: {
  stream?: Partial<IngestStatus['stream']>
  pulse?: Partial<IngestStatus['pulse']>
  openGaps?: number
  quarantinedLabelers?: number
  beforeLive?: Partial<BeforeLive>
  disk?: IngestStatus['disk']['state']
}): IngestStatus {
  return {
    stream: {
      host: 'wss://jet.example',
      wire: 'v2',
      compressed: true,
      connected: true,
      paused: false,
      quietMs: 0,
      lastEventTimeUs: 1,
      lagMs: 300,
      received: 10,
      dropped: {},
      reconnects: 0,
      gaps: 0,
      lastError: undefined,
      lastErrorHost: undefined,
      filtersSent: true,
      ...changes.stream,
    },
    actors: 1,
    follows: 1,
    timelines: 1,
    jobs: 0,
    members: 2,
    coldStarts: [],
    counts: {},
    quarantinedLabelers: changes.quarantinedLabelers,
    openGaps: changes.openGaps ?? 0,
    beforeLive: changes.beforeLive && { ...BEFORE, ...changes.beforeLive },
    gaps: { open: 0, repairing: changes.openGaps ?? 0, closed: 0 },
    disk: { usedBytes: 1e9, capBytes: 40e9, freeBytes: 50e9, state: changes.disk ?? 'ok' },
    visibleMs: { p50: 1, p99: 2, count: 3 },
    pulse: {
      eventsPerSecond: 50,
      requestsPerSecond: 10,
      failuresPerSecond: 0,
      answerMs: { p50: 1, p99: 10 },
      memoryBytes: 1e9,
      loopLagMs: 1,
      databaseBytes: 1e9,
      logBytes: 1e6,
      freeBytes: 50e9,
      totalBytes: 100e9,
      ...changes.pulse,
    },
  } as IngestStatus
}

describe('the state in words', () => {
  test.each([
    ['there is no report yet', undefined, 'notice', 'Starting'],
    ['all is well', status({}), 'good', 'Everything is well'],
    [
      'the stream is disconnected',
      status({ stream: { connected: false } }),
      'bad',
      'No connection',
    ],
    ['it is catching up', status({ stream: { lagMs: 2 * HOUR_MS } }), 'notice', 'Catching up, 2 h'],
    ['the disk is nearly full', status({ pulse: { freeBytes: 1e9 } }), 'bad', 'The disk is'],
    ['search is dropped', status({ disk: 'without-search' }), 'notice', 'Less is stored'],
    ['strangers are refused', status({ disk: 'strangers-refused' }), 'bad', 'Less is stored'],
    ['the disk is full', status({ disk: 'full' }), 'bad', 'The disk is full'],
    ['answers fail', status({ pulse: { failuresPerSecond: 1 } }), 'bad', 'Requests are failing'],
    [
      'answers are slow',
      status({ pulse: { answerMs: { p50: 900, p99: 2_500 } } }),
      ...(['notice', 'Answers are slow'] as const),
    ],
  ])('says so when %s', (_what, reported, level, title) => {
    const [first] = stateInWords(reported, undefined)
    expect(first!.level).toBe(level)
    expect(first!.title).toContain(title)
    expect(first!.text.length).toBeGreaterThan(10)
  })

  test('a quarantined labeler is no trouble of ours, and is named', () => {
    const [first, second] = stateInWords(status({ quarantinedLabelers: 1 }), undefined)
    expect(first!.title).toBe('Everything is well')
    expect(second).toMatchObject({ level: 'info', title: '1 labeler is paused' })
  })

  test('a quiet stream is no trouble, and is shown with its duration', () => {
    const [first, second] = stateInWords(status({ stream: { quietMs: 2 * HOUR_MS } }), undefined)
    expect(first!.title).toBe('Everything is well')
    expect(first!.text).toContain('300 ms behind')
    expect([second!.level, second!.title]).toEqual(['info', 'Quiet for 2 h'])
  })

  test('while the archive is read its progress is shown instead of an unavailable stream', () => {
    const away = { connected: false, lagMs: 9e12, quietMs: undefined }
    const reading = status({ stream: away, beforeLive: {} })
    const found = stateInWords(reading, undefined)
    expect(found.map(({ level, title }) => [level, title])).toEqual([
      ['notice', 'Reading the archive'],
    ])
    expect(found[0]!.text).toContain(BEFORE.text)
    const { texts, archive } = figuresOf(reading, undefined)
    expect(archive).toEqual({ isShown: true, percent: 12.5, text: BEFORE.text })
    expect(texts.lag).toBe('archive first')
    expect(figuresOf(status({}), undefined).archive.isShown).toBe(false)
  })

  test.each([
    ['bad', 'Set another key.'],
    ['notice', undefined],
  ] as const)('an archive that waits is %s if the operator must do something: %s', (level, fix) => {
    const waiting = { message: 'the day is over', fix }
    const [first] = stateInWords(status({ beforeLive: { waiting } }), undefined)
    expect(first!.level).toBe(level)
  })

  test('an error names only the host that caused it', () => {
    const lost = { host: 'wss://next.test/x', lastErrorHost: 'wss://first.test/x' }
    const stream = { ...lost, connected: false, lastError: 'unreachable: refused' }
    const { text } = stateInWords(status({ stream }), undefined)[0]!
    expect(text).toContain('first.test does not answer. The last error was: unreachable: refused.')
    expect(text).not.toContain('next.test')
  })

  test('gaps under repair are shown next to the good news', () => {
    const found = stateInWords(status({ openGaps: 3 }), undefined)
    expect(found.map(({ level }) => level)).toEqual(['good', 'info'])
  })

  test('of several troubles the worst is first, without any good news', () => {
    const reported = status({ stream: { connected: false }, pulse: { freeBytes: 1e9 } })
    expect(stateInWords(reported, undefined).map(({ level }) => level)).toEqual(['bad', 'bad'])
  })

  test.each([
    [2, 'bad'],
    [10, 'notice'],
    [100, 'good'],
    [undefined, 'good'],
  ])('a disk that is full in %s days is %s', (daysLeft, level) => {
    expect(stateInWords(status({}), { daysLeft, bytesADay: 1 })[0]!.level).toBe(level)
  })
})

describe('the state in words for visitors', () => {
  const evil = { lastError: 'secret.internal refused', lastErrorHost: 'wss://secret.internal' }
  const stalls = [{ what: 'a secret job', seconds: 90 }]

  test.each([
    ['there is no report yet', undefined, 'notice', 'Starting'],
    ['all is well', status({ openGaps: 0 }), 'good', 'Everything is well'],
    ['the disk fills up', status({ pulse: { freeBytes: 1e9 } }), 'good', 'Everything is well'],
    ['gaps are open', status({ openGaps: 2 }), 'good', 'Everything is well'],
    ['the stream is quiet', status({ stream: { quietMs: HOUR_MS } }), 'good', 'Everything is well'],
    [
      'the stream is disconnected',
      status({ stream: { connected: false, ...evil } }),
      'bad',
      'No new',
    ],
    ['a job has stalled', { ...status({}), stalls }, 'bad', 'No new posts'],
    [
      'the archive is being read',
      status({ beforeLive: { percent: 9 } }),
      'notice',
      'Reading the network’s',
    ],
    ['it is catching up', status({ stream: { lagMs: 2 * HOUR_MS } }), 'notice', 'Catching up, 2 h'],
    ['search is dropped', status({ disk: 'without-search' }), 'notice', 'Some things are missing'],
    ['strangers are refused', status({ disk: 'strangers-refused' }), 'bad', 'Some things are'],
    ['the disk is full', status({ disk: 'full' }), 'bad', 'The disk is full'],
    ['answers fail', status({ pulse: { failuresPerSecond: 1 } }), 'bad', 'Requests are failing'],
    ['answers are slow', status({ pulse: { answerMs: { p50: 9, p99: 2_500 } } }), 'notice', 'Ans'],
  ] as const)('says so when %s, and nothing about the machine', (_what, reported, level, title) => {
    const found = stateForVisitors(reported)
    expect(found[0]!.level).toBe(level)
    expect(found[0]!.title).toContain(title)
    expect(JSON.stringify(found)).not.toMatch(/SLIPSTREAM_|secret|slipstream |[kMG]B|member/)
  })

  const at = Date.UTC(2026, 4, 20, 14, 20)
  const lasting = (from: number, to: number, title = 'Not running'): Availability => ({
    hasReached: true,
    days: [],
    upShare: 0.99987,
    known: { from: at - 3 * DAY_MS, to: at },
    incidents: from === to ? [] : [{ level: 'bad', title, from, to }],
  })

  test.each([
    ['no incident', at, at, '3 days', 'No incident since its record began, 17 May, 14:20 UTC.'],
    [
      'one incident',
      at - 9 * HOUR_MS,
      at - 8 * HOUR_MS,
      '8 h',
      'No incident since 20 May, 06:20 UTC.',
    ],
    ['a restart just now', at - HOUR_MS, at, 'a moment', 'No incident since 20 May, 14:20 UTC.'],
  ])('since when, with %s in the record', (_what, from, to, quietFor, since) => {
    const { texts } = visitorFiguresOf(status({}), lasting(from, to))
    expect(texts).toMatchObject({ upShare: '99.98 %', lag: '300 ms', quietFor, since })
  })

  test('an ongoing incident is shown with its beginning', () => {
    const late = lasting(at - HOUR_MS, at, 'Behind the network')
    expect(visitorFiguresOf(status({}), late).texts).toMatchObject({
      quietFor: 'ongoing',
      since: 'Behind the network since 20 May, 13:20 UTC.',
    })
  })

  test('the beginning is unknown for a server that has just started', () => {
    const { texts } = visitorFiguresOf(status({}), { ...lasting(at, at), known: undefined })
    expect(texts.since).toContain('just started')
  })
})

describe('the forecast of the disk', () => {
  const opened: WriteDb[] = []
  afterEach(() => {
    for (const db of opened.splice(0)) db.close()
  })

  /**
   * Every ten minutes, with noise and holes.
   * @param slope - bytes per day
   */
  function line(slope: number, hours: number) {
    const db = openWriter(freshDataDir())
    opened.push(db)
    const start = Date.UTC(2026, 4, 20)
    for (let i = 0; i < hours * 6; i++) {
      const free = 100e9 - (slope * i * 10 * MINUTE_MS) / DAY_MS + (i % 2) * 1e6
      const sample = i % 7 === 3 ? { members: 1 } : { disk_free_bytes: free }
      putHistory(db, start + i * 10 * MINUTE_MS, sample)
    }
    return diskForecast(db, start + hours * 60 * MINUTE_MS)
  }

  test('finds the slope behind noise and holes', () => {
    const forecast = line(5e9, 48)!
    expect(forecast.bytesADay / 1e9).toBeCloseTo(5, 1)
    expect(forecast.daysLeft!).toBeCloseTo(18, 0)
  })

  test('gives none for a disk that becomes emptier, or after less than an hour', () => {
    expect(line(-3e9, 48)!.daysLeft).toBeUndefined()
    expect(line(5e9, 1)).toBeUndefined()
    expect(line(5e9, 0)).toBeUndefined()
  })
})

describe('human-readable numbers', () => {
  test.each([
    [count(undefined), '–'],
    [count(1_234), '1,234'],
    [count(5_600_000), '5.6M'],
    [rate(0), '0'],
    [rate(0.26), '0.3'],
    [rate(87.4), '87'],
    [duration(0.44), '0.4 ms'],
    [duration(999), '999 ms'],
    [duration(1_234), '1.2 s'],
    [duration(90_000), '90 s'],
    [duration(3 * HOUR_MS), '3 h'],
    [duration(Infinity), '–'],
    [days(0.3), 'less than a day'],
    [days(1), '1 day'],
    [days(100), '3 months'],
    [days(100_000), 'more than ten years'],
    [bytes(999), '999 bytes'],
    [bytes(1_500_000), '1.5 MB'],
    [bytes(42e12), '42 TB'],
  ])('%s', (text, wanted) => expect(text).toBe(wanted))
})

test('values inserted into HTML are text, unless they are HTML', () => {
  const evil = `<img src=x onerror="alert('1')">&`
  expect(html`<p title="${evil}">${evil}${[html`<b>${1}</b>`, false, undefined]}</p>`.text).toBe(
    '<p title="&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;">&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;<b>1</b></p>',
  )
})

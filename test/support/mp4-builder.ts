// Builds MP4 files box by box, valid or not: every table can be replaced by a hostile one, and values in
// different places need not agree.

export type TrackPlan = {
  handler?: 'vide' | 'soun'
  timescale?: number
  /** Contents of the boxes, without head. */
  stts?: Buffer
  stsc?: Buffer
  stsz?: Buffer
  stco?: Buffer
  /** More boxes beside the tables. */
  more?: Buffer[]
}

export type Mp4Plan = { tracks: TrackPlan[]; data: Buffer; moreInMoov?: Buffer[] }

export const FTYP = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2avc1mp41', 'latin1'))
/** Where the data of `mp4Of` begins. */
export const DATA_AT = FTYP.length + 8

export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return sizedBox(type, 8 + body.length, body)
}

/** Returns a box that claims any size. */
export function sizedBox(type: string, size: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(size)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** Returns version and flags of 0, followed by four-byte numbers. */
export function numbers(...values: number[]): Buffer {
  return numberBytes(values)
}

function numberBytes(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 + i * 4)
  return bytes
}

/** Returns the same with a count in front, and rows built one by one. */
export function table(count: number, rowOf: (i: number) => number[], reported = count): Buffer {
  return numberBytes([reported].concat(Array.from({ length: count }, (_, i) => rowOf(i)).flat()))
}

/** Builds a file with the data before the head, so that its offset is known. */
export function mp4Of({ tracks, data, moreInMoov = [] }: Mp4Plan): Buffer {
  const mvhd = box('mvhd', Buffer.concat([numbers(0, 0, 1000, 0), Buffer.alloc(80)]))
  const moov = box('moov', mvhd, ...tracks.map(trackBox), ...moreInMoov)
  return Buffer.concat([FTYP, box('mdat', data), moov])
}

/**
 * Returns a track of `samples` chunks with one sample each, of `bytes` bytes, contiguous; a tenth
 * of a second each.
 */
export function honestTrack(samples: number, bytes: number, plan: TrackPlan = {}): TrackPlan {
  return {
    stts: table(1, () => [samples, 100]),
    stsc: table(1, () => [1, 1, 1]),
    stsz: numbers(bytes, samples),
    stco: table(samples, (i) => [DATA_AT + i * bytes]),
    ...plan,
  }
}

function trackBox(plan: TrackPlan, i: number): Buffer {
  const { handler = 'vide', timescale = 1000, more = [] } = plan
  const tables = (['stts', 'stsc', 'stsz', 'stco'] as const).flatMap((type) =>
    plan[type] ? box(type, plan[type]) : [],
  )
  const hdlr = box('hdlr', Buffer.concat([numbers(0), Buffer.from(`${handler}${'\0'.repeat(13)}`)]))
  const mediaHead = handler === 'vide' ? box('vmhd', numbers(0, 0)) : box('smhd', numbers(0))
  const dinf = box('dinf', box('dref', numbers(1), box('url ', numbers())))
  const minf = box(
    'minf',
    mediaHead,
    dinf,
    box('stbl', box('stsd', numbers(0)), ...tables, ...more),
  )
  const mdia = box('mdia', box('mdhd', numbers(0, 0, timescale, 0, 0)), hdlr, minf)
  return box('trak', box('tkhd', Buffer.concat([numbers(0, 0, i + 1), Buffer.alloc(68)])), mdia)
}

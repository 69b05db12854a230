// The head of a fragmented MP4: the tracks' own boxes without their samples, which are in the segments
// (ISO/IEC 14496-12 §8.8). HLS calls it the media initialization section.

import { makeBox, makeFullBox } from './boxes.ts'
import type { Movie, Track } from './read-movie.ts'

export function writeInit({ mvhd, tracks }: Movie): Buffer {
  const extensions = tracks.map(({ id }) => makeFullBox('trex', {}, [id, 1, 0, 0, 0]))
  return Buffer.concat([
    makeBox('ftyp', Buffer.from('iso6\0\0\0\0iso6mp41', 'latin1')),
    makeBox('moov', mvhd, ...tracks.map(trackBox), makeBox('mvex', ...extensions)),
  ])
}

function trackBox({ boxes }: Track): Buffer {
  const tables = makeBox(
    'stbl',
    boxes.stsd,
    makeFullBox('stts', {}, [0]),
    makeFullBox('stsc', {}, [0]),
    makeFullBox('stsz', {}, [0, 0]),
    makeFullBox('stco', {}, [0]),
  )
  const media = makeBox('minf', boxes.mediaHead, boxes.dinf, tables)
  return makeBox('trak', boxes.tkhd, makeBox('mdia', boxes.mdhd, boxes.hdlr, media))
}

// Converts MP4 samples for a transport stream: H.264 with start codes, and parameter sets before each picture
// where decoding can begin (ISO/IEC 14496-10 annex B); AAC with a head per frame (ADTS, ISO/IEC 14496-3
// §1.A.2).

import { Mp4Error } from '../mp4/boxes.ts'
import { cutOut, lengthBytesOf, parameterSets } from '../mp4/parameter-sets.ts'

type Picture = { sample: Buffer; isSync: boolean }

const START = Buffer.from([0, 0, 0, 1])
/** Starts a picture of any type. */
const DELIMITER = Buffer.from([0, 0, 0, 1, 9, 0xf0])
const DELIMITER_TYPE = 9
const ADTS_BYTES = 7
const MAX_ADTS_FRAME = 0x1fff - ADTS_BYTES
const FREE_RATE = 15

/**
 * @param config - the decoder configuration record (mp4/sample-entry.ts)
 * @throws Mp4Error, RangeError
 */
export function createPictureWriter(config: Buffer): (picture: Picture) => Buffer {
  const lengthBytes = lengthBytesOf(config)
  const parameters = parameterSets(config)
  return ({ sample, isSync }) => {
    const units = unitsOf(sample, lengthBytes).filter((unit) => typeOf(unit) !== DELIMITER_TYPE)
    return Buffer.concat([DELIMITER, ...withStarts([...(isSync ? parameters : []), ...units])])
  }
}

/**
 * @param config - the AudioSpecificConfig
 * @throws Mp4Error, RangeError
 */
export function createFrameWriter(config: Buffer): (frame: Buffer) => Buffer {
  const bits = config.readUInt16BE(0)
  const [type, rate, channels] = [bits >> 11, (bits >> 7) & 15, (bits >> 3) & 15]
  if (rate === FREE_RATE || channels === 0 || channels > 7 || type > 4) {
    throw new Mp4Error('audio that an ADTS header cannot describe')
  }
  return (frame) => {
    if (frame.length > MAX_ADTS_FRAME) throw new Mp4Error('an audio frame is too large')
    const length = frame.length + ADTS_BYTES
    const head = Buffer.from([
      ...[0xff, 0xf1, ((type - 1) << 6) | (rate << 2) | (channels >> 2)],
      ...[((channels & 3) << 6) | (length >> 11), (length >> 3) & 0xff],
      ...[((length & 7) << 5) | 0x1f, 0xfc],
    ])
    return Buffer.concat([head, frame])
  }
}

function unitsOf(sample: Buffer, lengthBytes: number): Buffer[] {
  const units: Buffer[] = []
  for (let at = 0; at + lengthBytes <= sample.length; ) {
    const length = sample.readUIntBE(at, lengthBytes)
    units.push(cutOut(sample, at + lengthBytes, length))
    at += lengthBytes + length
  }
  return units
}

function typeOf(unit: Buffer): number {
  return unit[0]! & 0x1f
}

function withStarts(units: Buffer[]): Buffer[] {
  return units.flatMap((unit) => [START, unit])
}

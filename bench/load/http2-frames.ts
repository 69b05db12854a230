// HTTP/2 frames (RFC 9113, §4 and §6) and headers without references (RFC 7541), as our raw client sends
// them.

export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, goAway: 7, window: 8 } as const
export const FLAG = { end: 1, endHeaders: 4 } as const
export const SETTING = { maxStreams: 3, window: 4 } as const
export const HEAD_BYTES = 9
/** Frame size limit of each side until the other side raises it. */
export const MAX_FRAME_BYTES = 16_384
/** Initial and maximum window sizes. */
export const FIRST_WINDOW = 65_535
export const MAX_WINDOW = 2 ** 31 - 1

const SETTING_BYTES = 6
const NOTHING = new Uint8Array(0)
/** Header strings are shorter than this, so that their length fits in one byte. */
const MAX_TEXT = 126

export function frameOf(
  { type, flags = 0, id = 0 }: { type: number; flags?: number; id?: number },
  payload: Uint8Array = NOTHING,
): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(id, 5)
  bytes.set(payload, HEAD_BYTES)
  return bytes
}

/** @returns the value of a setting in the frame's payload, undefined if it does not name it. */
export function settingIn(payload: Buffer, setting: number): number | undefined {
  for (let at = 0; at + SETTING_BYTES <= payload.length; at += SETTING_BYTES) {
    if (payload.readUInt16BE(at) === setting) return payload.readUInt32BE(at + 2)
  }
  return undefined
}

/** For the connection, not a stream. */
export function windowFrame(more: number): Buffer {
  return frameOf({ type: FRAME.window }, word(more))
}

export function settingFrame(setting: number, value: number): Buffer {
  return frameOf({ type: FRAME.settings }, Buffer.concat([Buffer.from([0, setting]), word(value)]))
}

export function packHeaders(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  const fields = headers.map(([name, value]) =>
    Buffer.concat([Buffer.from([0]), packText(name), packText(value)]),
  )
  return Buffer.concat(fields)
}

function packText(text: string): Buffer {
  if (text.length > MAX_TEXT) throw new Error(`header too long: ${text}`)
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

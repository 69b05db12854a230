// Packets of an MPEG transport stream (ISO/IEC 13818-1 §2.4.3), 188 bytes each: the tables that describe the
// streams, and payloads split into packets with a continuity counter per PID. Times are in units of 1/90,000
// s.

/** First byte of each packet. */
const SYNC = 0x47
const PACKET_BYTES = 188
const HEAD_BYTES = 4
const CLOCK_FIELD_BYTES = 8
const PAT_PID = 0
const PMT_PID = 0x1000

export type Stream = { pid: number; type: number }
type Beginning = {
  /** The stream's clock at this packet. */
  clock?: number | undefined
  /** Decoding may begin here. */
  isEntry?: boolean
}

export type Packets = {
  /** Returns as many packets as the payload needs, without bytes of any other payload. */
  payload(pid: number, payload: Buffer, beginning?: Beginning): Buffer
  /** Lists the streams; players expect this at the start of each file. */
  tables(streams: readonly Stream[], clockPid: number): Buffer
}

export function createPackets(): Packets {
  const counters = new Map<number, number>()

  function nextCount(pid: number): number {
    const count = counters.get(pid) ?? 0
    counters.set(pid, (count + 1) & 0x0f)
    return count
  }

  function payload(pid: number, bytes: Buffer, beginning: Beginning = {}): Buffer {
    const packets: Buffer[] = []
    for (let at = 0; at < bytes.length || at === 0; ) {
      const isFirst = at === 0
      const field = adaptationField(isFirst ? beginning : {}, bytes.length - at)
      const some = bytes.subarray(at, at + PACKET_BYTES - HEAD_BYTES - field.length)
      const head = Buffer.from([
        SYNC,
        (isFirst ? 0x40 : 0) | (pid >> 8),
        pid & 0xff,
        (field.length > 0 ? 0x30 : 0x10) | nextCount(pid),
      ])
      packets.push(head, field, some)
      at += some.length
    }
    return Buffer.concat(packets)
  }

  const table = (pid: number, section: Buffer) => {
    const buffer = Buffer.alloc(PACKET_BYTES - HEAD_BYTES, 0xff)
    buffer[0] = 0 // pointer field 0: the section follows immediately
    section.copy(buffer, 1)
    return payload(pid, buffer)
  }

  return {
    payload,
    tables: (streams, clockPid) =>
      Buffer.concat([table(PAT_PID, programs()), table(PMT_PID, program(streams, clockPid))]),
  }
}

/** Holds the clock if given, padded to fill the packet. */
function adaptationField({ clock, isEntry = false }: Beginning, left: number): Buffer {
  const least = clock === undefined ? 0 : CLOCK_FIELD_BYTES
  const length = Math.max(least, PACKET_BYTES - HEAD_BYTES - left)
  const field = Buffer.alloc(length, 0xff)
  if (length > 0) field[0] = length - 1
  if (length > 1) field[1] = (isEntry ? 0x40 : 0) | (clock === undefined ? 0 : 0x10)
  if (clock !== undefined) {
    field.writeUInt32BE(Math.floor(clock / 2), 2)
    field[6] = ((clock % 2) << 7) | 0x7e
    field[7] = 0
  }
  return field
}

function programs(): Buffer {
  return section(0, Buffer.from([0, 1, ...pidBytes(PMT_PID)]))
}

function program(streams: readonly Stream[], clockPid: number): Buffer {
  const entries = streams.flatMap(({ pid, type }) => [type, ...pidBytes(pid), 0xf0, 0])
  return section(2, Buffer.from([...pidBytes(clockPid), 0xf0, 0, ...entries]))
}

/** A section of program 1, the only one (§2.4.4). */
function section(table: number, content: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from([0, 1, 0xc1, 0, 0]), content])
  const length = rest.length + 4
  const head = Buffer.from([table, 0xb0 | (length >> 8), length & 0xff])
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(Buffer.concat([head, rest])))
  return Buffer.concat([head, rest, check])
}

function pidBytes(pid: number): number[] {
  return [0xe0 | (pid >> 8), pid & 0xff]
}

/** The CRC of annex A, with the bit order opposite to zlib's. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0)
  }
  return crc >>> 0
}

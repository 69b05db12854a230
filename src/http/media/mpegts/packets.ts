// Packets of an MPEG transport stream (ISO/IEC 13818-1 §2.4.3), 188 bytes each: the tables that say what is in it, and
// the pieces of a payload, each kind counted on. Times are in 90,000ths of a second.

/** What a packet's first byte is. */
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
  /** As many packets as the payload takes, and no byte of another. */
  payload(pid: number, payload: Buffer, beginning?: Beginning): Buffer
  /** Which streams there are; players look for it at the start of each file. */
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
    const room = Buffer.alloc(PACKET_BYTES - HEAD_BYTES, 0xff)
    room[0] = 0 // the section begins at once
    section.copy(room, 1)
    return payload(pid, room)
  }

  return {
    payload,
    tables: (streams, clockPid) =>
      Buffer.concat([table(PAT_PID, programs()), table(PMT_PID, program(streams, clockPid))]),
  }
}

/** With the clock where it is given, and as long as makes the packet full. */
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

/** Of program 1, the one there is (§2.4.4). */
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

/** Of annex A: the other way around than zlib's. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0)
  }
  return crc >>> 0
}

// Names of objects, below the operator's prefix. They sort by time. A run is one shipper, from its start to its
// end; its changes are numbered.

import { randomBytes } from 'node:crypto'

export const FOLDERS = {
  /** 3f/09ab…: half a megabyte of the database or of another file, named by its content. */
  chunks: 'chunks/',
  /** TIME.RUN: the chunks of the whole database, and which changes complete it. */
  bases: 'bases/',
  /** RUN/00000017: the pages that changed since change 16. */
  runs: 'runs/',
  /** RUN.000004.full or .part: members’ private state and the operator’s decisions. */
  private: 'private/',
  /** TIME.RUN: other files of the data folder, and the settings. */
  files: 'files/',
} as const

/** Who ships here. */
export const OWNER = 'owner/server'

/** For example 20261128T220105Z. */
function stampOf(ms: number): string {
  return `${new Date(ms).toISOString().replace(/[-:]|\..*/g, '')}Z`
}

/** @returns undefined if the text does not begin with a stamp */
function timeOfStamp(text: string): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(text)
  if (!found) return undefined
  const [, year, month, day, hour, minute, second] = found
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

export function newRun(now: number): string {
  return `${stampOf(now)}-${randomBytes(4).toString('hex')}`
}

export function baseName(now: number, run: string): string {
  return `${FOLDERS.bases}${stampOf(now)}.${run}`
}

export function filesName(now: number, run: string): string {
  return `${FOLDERS.files}${stampOf(now)}.${run}`
}

export function runFolder(run: string): string {
  return `${FOLDERS.runs}${run}/`
}

export function changeName(run: string, seq: number): string {
  return runFolder(run) + String(seq).padStart(8, '0')
}

export function privateName(run: string, seq: number, kind: 'full' | 'part'): string {
  return `${FOLDERS.private}${run}.${String(seq).padStart(6, '0')}.${kind}`
}

/** Of a base or a list of files. */
export function readTimed(name: string): { at: number; run: string } | undefined {
  const [stamp = '', run] = name.slice(name.indexOf('/') + 1).split('.')
  const at = timeOfStamp(stamp)
  return at === undefined || run === undefined ? undefined : { at, run }
}

export function readChangeName(name: string): { run: string; seq: number } | undefined {
  const [, run = '', seq = ''] = name.split('/')
  return /^\d{8}$/.test(seq) ? { run, seq: Number(seq) } : undefined
}

export function chunkName(hash: string): string {
  return `${FOLDERS.chunks}${hash.slice(0, 2)}/${hash.slice(2)}`
}

export function readChunk(name: string): string {
  return name.slice(FOLDERS.chunks.length).replace('/', '')
}

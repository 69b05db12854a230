// Runs als.py in a temporary Python environment with `implicit` from the package registry. Without Python, or
// without a way to the registry, it says so and returns nothing.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const IMPLICIT = 'implicit==0.7.3'
const RECBOLE = 'recbole==1.2.1'
const ML_100K = 'recbole/dataset_example/ml-100k/ml-100k.inter'
/** What did best here among those tried: 32 to 128 factors, alpha 1 to 40. */
const FACTORS = '32'
const ALPHA = '40'
const REGULARIZATION = '0.1'
const SCRIPT = join(import.meta.dirname, 'als.py')

export type AlsInput = {
  liker: Int32Array
  post: Int32Array
  readers: Int32Array
  /** By post: whether it may be on the page of fresh posts. */
  fresh: Uint8Array
}

export type AlsResult = {
  all: number[][]
  fresh: number[][]
  /** Processor time of the training. */
  seconds: number
  /** The matrix in both directions, and the factors. */
  bytes: number
}

export type Python = {
  als(input: AlsInput): AlsResult
  /** The text of MovieLens 100k, as the package RecBole has it; undefined if it can't be had. */
  movieLens(): string | undefined
  close(): void
}

/** @returns undefined if it can't run here, after saying so */
export function openPython(): Python | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-als-'))
  const python = join(folder, 'env/bin/python')
  try {
    execFileSync('python3', ['-m', 'venv', join(folder, 'env')], { stdio: 'pipe' })
    execFileSync(python, ['-m', 'pip', 'install', '-q', IMPLICIT], { stdio: 'pipe' })
  } catch (error) {
    console.error(`SKIPPED: no alternating least squares: ${(error as Error).message}`)
    rmSync(folder, { recursive: true })
    return undefined
  }
  return {
    als: (input) => run(folder, python, input),
    movieLens: () => movieLens(folder, python),
    close: () => rmSync(folder, { recursive: true }),
  }
}

function run(folder: string, python: string, input: AlsInput): AlsResult {
  for (const [name, column] of Object.entries(input)) writeFileSync(join(folder, name), column)
  const env = { ...process.env, OPENBLAS_NUM_THREADS: '1' }
  execFileSync(python, [SCRIPT, folder, FACTORS, ALPHA, REGULARIZATION], { env, stdio: 'pipe' })
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return { ...read('pages.json'), ...read('figures.json') }
}

function movieLens(folder: string, python: string): string | undefined {
  const target = join(folder, 'recbole')
  const options = ['-q', '--no-deps', '--target', target, RECBOLE]
  try {
    execFileSync(python, ['-m', 'pip', 'install', ...options], { stdio: 'pipe' })
  } catch (error) {
    console.error(`SKIPPED: no public data set: ${(error as Error).message}`)
    return undefined
  }
  const path = join(target, ML_100K)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

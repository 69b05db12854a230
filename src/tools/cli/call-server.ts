import type { Status } from '../../http/operator/status.ts'
import type { DoctorContext } from '../doctor/context.ts'
import { CliError } from '../fail.ts'
import { findServer } from './control-client.ts'

/** The running server as the doctor sees it. */
export async function callServer(dataDir: string): Promise<DoctorContext['server']> {
  try {
    const client = await findServer(dataDir)
    if (!client) return 'none'
    return { status: await client.ask<Status>('GET', '/status'), ask: client.ask }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { refusal: error.message, fix: error.hint }
  }
}
